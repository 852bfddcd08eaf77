// `npm run test:node24 [-- arguments of vitest]`: runs tests on Node 24, on which workers run. Without
// arguments these are the tests without backends of workers, jobs and hooks services, administration and their
// libraries.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { prepare, repository } from './prepare.mjs';

const SERVICES = ['admin', 'hooks', 'jobs', 'worker'].map((name) => `services/${name}/`);
const LIBRARIES = ['bus', 'commands', 'domain', 'graph-store', 'runtime', 'wire'].map((name) => `libs/${name}/`);

prepare();
const { chooseNode, planNode } = await import('./launcher/dist/node/node-choice.js');
const { readCacheDir, readNodeSetting } = await import('./launcher/dist/configuration.js');
const { describeFailure } = await import('./launcher/dist/errors.js');
const { streamReport } = await import('./launcher/dist/progress.js');
const { node, isFallback } = await choose().catch((error) => {
  console.error(describeFailure(error));
  process.exit(1);
});
if (node.path === process.execPath) {
  // CI must not be green without these tests because a download failed.
  if (isFallback && process.env.CI) process.exit(1);
  console.log(`SKIPPED: npm test runs on the same Node ${node.version}`);
  process.exit(0);
}
console.log(`Node ${node.version}`);
const given = process.argv.slice(2);
const files = given.length > 0 ? given : ['--project', 'pure', ...SERVICES, ...LIBRARIES];
const test = fileURLToPath(new URL('test.mjs', import.meta.url));
process.exit(spawnSync(node.path, [test, ...files], { stdio: 'inherit' }).status ?? 1);

async function choose() {
  const setting = readNodeSetting(process.env);
  const cacheDir = readCacheDir(process.env, repository);
  const node = await chooseNode({ setting, cacheDir, report: streamReport(process.stderr), signal: undefined });
  return { node, isFallback: planNode(setting).kind === 'package' && node.path === process.execPath };
}
