// Fetches packages with npm's client from a registry of this test. Their Node is a shell script.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { findProgram } from '../processes/commands.ts';
import { chooseNode } from './node-choice.ts';
import { type NodeProgram, programOf } from './node-download.ts';
import type { NodePackage } from './node-package.ts';

const MACHINE = { version: '20.20.2', platform: 'test', hasFile: () => true };
const OWN: NodeProgram = { path: process.execPath, version: process.versions.node };

const folder = mkdtempSync(join(tmpdir(), 'taskgraph-registry-'));
const archives = new Map<string, Buffer>();
let server: Server;
let registry = '';
let downloads = 0;
/** Instead of an answer to the request of an archive. */
let onDownload: (() => void) | undefined;
let cacheDir = '';

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const [, name = '', isArchive] = /^\/([\w-]+)(\/archive)?$/.exec(url) ?? [];
    const archive = archives.get(name);
    if (archive === undefined) {
      response.writeHead(404).end('{}');
    } else if (isArchive === undefined) {
      response.setHeader('Content-Type', 'application/json').end(describe(name, archive));
    } else {
      downloads += 1;
      if (onDownload === undefined) response.end(archive);
      else onDownload();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    npm_config_registry: registry,
    npm_config_cache: join(folder, 'npm'),
    npm_config_noproxy: '127.0.0.1',
  });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  cacheDir = mkdtempSync(join(folder, 'cache-'));
  downloads = 0;
});

/** The registry's document of a package with one version. */
function describe(name: string, archive: Buffer): string {
  const dist = { tarball: `${registry}/${name}/archive`, integrity: integrityOf(archive) };
  const version = { name, version: '24.0.1', dist };
  return JSON.stringify({ name, 'dist-tags': { latest: '24.0.1' }, versions: { '24.0.1': version } });
}

/** Publishes a package whose Node is this script. */
function publish(name: string, script: string): NodePackage {
  const source = join(folder, name);
  mkdirSync(join(source, 'bin'), { recursive: true });
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name, version: '24.0.1', bin: { node: 'bin/node' } }));
  writeFileSync(join(source, 'bin', 'node'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: source, stdio: 'pipe' });
  const archive = readFileSync(join(folder, `${name}-24.0.1.tgz`));
  archives.set(name, archive);
  return { name, version: '24.0.1', integrity: integrityOf(archive) };
}

function integrityOf(content: Buffer): string {
  return `sha512-${createHash('sha512').update(content).digest('base64')}`;
}

async function choose(
  wanted: NodePackage,
  { signal, by = chooseNode }: { signal?: AbortSignal; by?: typeof chooseNode } = {},
): Promise<{ node: NodeProgram; lines: string[] }> {
  const lines: string[] = [];
  const report = { line: (text: string) => lines.push(text), status: () => {} };
  const options = { cacheDir, machine: MACHINE, packages: { test: wanted }, report, signal };
  return { node: await by({ ...options, setting: { kind: 'auto' } }), lines };
}

/** With modules that remember nothing. */
async function chooseInNextProcess(wanted: NodePackage) {
  vi.resetModules();
  const { chooseNode: by } = await import('./node-choice.ts');
  return choose(wanted, { by });
}

test('Node is downloaded once, also for two launchers at the same time', async () => {
  const wanted = publish('node-sound', 'echo v24.0.1');
  const node = { path: programOf(cacheDir, wanted), version: '24.0.1' };
  const [one, other] = await Promise.all([choose(wanted), choose(wanted)]);
  expect([one.node, other.node]).toEqual([node, node]);
  expect([...one.lines, ...other.lines]).toEqual([expect.stringMatching(/^fetching Node 24\.0\.1 +[\d.]+ s$/)]);
  expect(await choose(wanted)).toEqual({ node, lines: [] });
  expect(downloads).toBe(1);
});

test("a package of other content is refused, and workers run on the launcher's Node", async () => {
  const wanted = publish('node-of-other-content', 'echo v24.0.1');
  const { node, lines } = await choose({ ...wanted, integrity: integrityOf(Buffer.from('other')) });
  expect(node).toEqual(OWN);
  expect(lines).toEqual([expect.stringContaining(`workers run on Node ${OWN.version}: `)]);
  expect(lines[0]).toContain('EINTEGRITY');
  expect(readdirSync(cacheDir)).toEqual([]);
});

test.each([
  ['that does not run here', 'exit 1', 'is not a Node that runs here'],
  ['of another version', 'echo v24.0.2', 'is Node 24.0.2'],
])('a package %s is not used, and not fetched again by each start', async (title, script, reason) => {
  const wanted = publish(`node-${title.replaceAll(' ', '-')}`, script);
  const { node, lines } = await choose(wanted);
  expect(node).toEqual(OWN);
  expect(lines).toEqual([
    expect.stringMatching(/^fetching Node/),
    expect.stringContaining(`workers run on Node ${OWN.version}: `),
  ]);
  expect(lines[1]).toContain(reason);
  expect(downloads).toBe(1);
  const next = await chooseInNextProcess(wanted);
  expect(next).toEqual({ node: OWN, lines: [expect.stringContaining(reason)] });
  expect(downloads).toBe(1);
});

test('a program that was damaged since its download is not used', async () => {
  const wanted = publish('node-damaged', 'echo v24.0.1');
  const { node } = await choose(wanted);
  truncateSync(node.path);
  const next = await choose(wanted);
  expect(next).toEqual({ node: OWN, lines: [expect.stringContaining('is not a Node that runs here')] });
});

test('a folder without its program is fetched once more', async () => {
  const wanted = publish('node-halved', 'echo v24.0.1');
  const { node } = await choose(wanted);
  rmSync(node.path);
  expect((await choose(wanted)).node).toEqual(node);
  expect((await choose(wanted)).node).toEqual(node);
  expect(downloads).toBe(2);
});

test('an aborted download ends when npm has ended, and leaves nothing', async () => {
  const wanted = publish('node-aborted', 'echo v24.0.1');
  const pidFile = join(folder, 'npm.pid');
  const programs = mkdtempSync(join(folder, 'programs-'));
  const [path, npm] = [process.env.PATH, findProgram(['npm'])];
  writeFileSync(join(programs, 'npm'), `#!/bin/sh\necho $$ >'${pidFile}'\nexec '${npm}' "$@"\n`, { mode: 0o755 });
  process.env.PATH = `${programs}:${path}`;
  const stopping = new AbortController();
  onDownload = () => stopping.abort();
  try {
    await expect(choose(wanted, { signal: stopping.signal })).rejects.toThrow('aborted');
  } finally {
    process.env.PATH = path;
    onDownload = undefined;
  }
  expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow('ESRCH');
  expect(readdirSync(cacheDir)).toEqual([]);
});

test("without a registry workers run on the launcher's Node, and the process does not ask again", async () => {
  const unknown = { name: 'node-unknown', version: '24.0.1', integrity: integrityOf(Buffer.from('')) };
  const first = await choose(unknown);
  expect(first).toEqual({ node: OWN, lines: [expect.stringContaining('npm could not fetch node-unknown (E404)')] });
  archives.set('node-unknown', Buffer.from(''));
  expect(await choose(unknown)).toEqual(first);
  expect(existsSync(programOf(cacheDir, unknown))).toBe(false);
});
