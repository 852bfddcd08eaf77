// `node deploy/run.mjs <file> [args]`: prepares the checkout, then runs a built script. Programs of
// administration run on the Node of workers if it is there.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, repository } from './prepare.mjs';

const [script, ...scriptArguments] = process.argv.slice(2);
if (script === undefined) {
  console.error('error: no script\n  Usage: node deploy/run.mjs <built file> [arguments]');
  process.exit(1);
}
prepare();
const { forwardSignals } = await import('./launcher/dist/processes/forwarded-signals.js');
const program = script.startsWith('services/admin/') ? await nodeOfWorkers() : process.execPath;
const child = spawn(program, [join(repository, script), ...scriptArguments], { stdio: 'inherit' });
forwardSignals(child);
child.on('error', (error) => {
  console.error(`error: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  // Ends as the child did, so that the caller sees the same status.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

async function nodeOfWorkers() {
  const { presentNode } = await import('./launcher/dist/node/node-choice.js');
  const { readCacheDir, readNodeSetting } = await import('./launcher/dist/configuration.js');
  const { describeFailure } = await import('./launcher/dist/errors.js');
  try {
    return (await presentNode(readNodeSetting(process.env), readCacheDir(process.env, repository))).path;
  } catch (error) {
    console.error(describeFailure(error));
    process.exit(1);
  }
}
