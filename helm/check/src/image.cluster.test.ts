// The image's build steps without Docker: its scripts run in order on this machine, and the test
// inspects and starts their results.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { must, run } from './program.ts';
import { repositoryPath } from './repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'taskgraph-image-'));
const application = join(folder, 'application');
const native = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

const script = (name: string, ...given: string[]) => run(repositoryPath('deploy', 'image', `${name}.sh`), given);

beforeAll(async () => {
  const assembled = await script('assemble', application);
  expect(assembled.exitCode, assembled.stderr).toBe(0);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * An archive in the layout of a uWebSockets.js release, around the native build of the locked
 * package.
 */
async function release(version: string, files: readonly string[]): Promise<string> {
  const root = join(folder, version, `uWebSockets.js-${version}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'uWebSockets.js', version, main: 'uws.js' }));
  writeFileSync(join(root, 'uws.js'), `module.exports = require('./${native}');\n`);
  writeFileSync(join(root, 'LICENSE'), 'the licence');
  for (const file of files)
    cpSync(repositoryPath('node_modules', 'uWebSockets.js', 'binaries', native), join(root, file));
  const archive = join(folder, `${version}.tar.gz`);
  await must('tar', [
    '--create',
    '--gzip',
    '--file',
    archive,
    '--directory',
    dirname(root),
    `uWebSockets.js-${version}`,
  ]);
  return archive;
}

const checksumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

it('the assembled folder holds the services and no development packages', () => {
  const services = readdirSync(repositoryPath('services'));
  expect(readdirSync(join(application, 'services'))).toEqual(services);
  for (const service of services) expect(existsSync(join(application, 'services', service, 'dist'))).toBe(true);
  expect(existsSync(join(application, 'node_modules', 'zod'))).toBe(true);
  const documents = ['docs/api/openapi.json', 'docs/api/asyncapi.json', 'services/gateway/page/rest.html'];
  for (const file of [...documents, 'services/console/dist/index.html']) {
    expect(existsSync(join(application, file))).toBe(true);
  }
  expect(existsSync(join(application, 'node_modules', 'swagger-ui-dist'))).toBe(true);
  for (const name of ['typescript', 'vitest', 'vite', 'react', 'fast-check', '@taskgraph/testkit']) {
    expect(existsSync(join(application, 'node_modules', name))).toBe(false);
  }
});

it('assembling rejects a folder with other content', async () => {
  const again = await script('assemble', application);
  expect(again.exitCode).toBe(1);
  expect(again.stderr).toContain('is not empty');
});

it('a release of uWebSockets.js replaces the package, with the build for this platform only', async () => {
  const archive = await release('20.99.0', [native, 'uws_other_x64_1.node']);
  const other = await script('uwebsockets', application, archive, '0'.repeat(64));
  expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('is not the release with this SHA-256')]);
  const put = await script('uwebsockets', application, archive, checksumOf(archive));
  expect(put.exitCode, put.stderr).toBe(0);
  const files = readdirSync(join(application, 'node_modules', 'uWebSockets.js')).sort();
  expect(files).toEqual(['LICENSE', 'package.json', native, 'uws.js'].sort());
});

it('the image has another build of uWebSockets.js than tests and npm start', () => {
  const dockerfile = readFileSync(repositoryPath('deploy', 'image', 'Dockerfile'), 'utf8');
  const [, official] = /^ARG UWEBSOCKETS_VERSION=(v\S+)$/m.exec(dockerfile) ?? [];
  const [, node] = /^ARG NODE_IMAGE=node:(\d+)/m.exec(dockerfile) ?? [];
  const manifest = repositoryPath('node_modules', 'uWebSockets.js', 'package.json');
  const { name, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string; version: string };
  const here = existsSync(repositoryPath('node_modules', 'uWebSockets.js', 'binaries', native)) ? native : 'none';
  process.stdout.write(
    `uWebSockets.js: the image runs on the official ${official} for Node ${node}, which is NOT WHAT IS TESTED HERE: ` +
      `it is not on the package registry. Tests run on ${name} ${version}, native build: ${here}\n`,
  );
  // Once both are the same build, this and the script that replaces one with the other can be
  // removed.
  expect([official, node]).toEqual([expect.stringMatching(/^v\d+\.\d+\.\d+$/), expect.stringMatching(/^\d+$/)]);
  expect(`v${version}`).not.toBe(official);
});

it('the SBOM lists the installed packages, including the official uWebSockets.js', async () => {
  const written = await script('sbom', application);
  expect(written.exitCode, written.stderr).toBe(0);
  const { bomFormat, components } = JSON.parse(readFileSync(join(application, 'sbom.cdx.json'), 'utf8'));
  expect(bomFormat).toBe('CycloneDX');
  const named = components.map(({ name, version }: { name: string; version: string }) => `${name}@${version}`);
  expect(named).toContain('uWebSockets.js@20.99.0');
  expect(named.some((each: string) => each.startsWith('neo4j-driver@'))).toBe(true);
  expect(named.some((each: string) => each.startsWith('vitest@'))).toBe(false);
});

it('verification succeeds, and finds an added development package', async () => {
  const verified = await script('verify', application);
  expect(verified.exitCode, verified.stderr).toBe(0);
  mkdirSync(join(application, 'node_modules', 'vitest'));
  const found = await script('verify', application);
  rmSync(join(application, 'node_modules', 'vitest'), { recursive: true });
  expect(found.exitCode).toBe(1);
  expect(found.stderr).toContain('vitest is for developers alone');
});

it("the assembled gateway connects to its backends with the image's environment", async () => {
  const environment = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0' };
  const backends = {
    NATS_URL: 'nats://127.0.0.1:9',
    NATS_USER: 'a',
    NATS_PASSWORD: 'b',
    REDIS_URL: 'redis://127.0.0.1:9',
    TASKGRAPH_SECRET: 'a secret of this test',
  };
  const child = spawn(process.execPath, ['services/gateway/dist/main.js'], {
    cwd: application,
    env: { ...environment, ...backends },
  });
  const ignoreMissing = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  const connecting = new Promise<void>((resolve) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (/NATS|CONNECTION_REFUSED|ECONNREFUSED/.test(said)) resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
  });
  await Promise.race([connecting, ignoreMissing]);
  child.kill('SIGKILL');
  await ignoreMissing;
  expect(said).toMatch(/NATS|CONNECTION_REFUSED|ECONNREFUSED/);
  expect(said).not.toMatch(/configuration is wrong|Cannot find/);
});

it('an archive without a build for this platform is rejected', async () => {
  const archive = await release('20.99.1', ['uws_other_x64_1.node']);
  const put = await script('uwebsockets', application, archive, checksumOf(archive));
  expect(put.exitCode).not.toBe(0);
  expect(put.stderr).toContain(native);
});
