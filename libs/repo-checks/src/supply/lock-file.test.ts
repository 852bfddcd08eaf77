// The lock files contain no package with a known weakness, and the checksum of each package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

/**
 * The first fixed version of each package. `npm run check:supply` asks the registry about others.
 */
const FIXED_IN: Readonly<Record<string, readonly [version: string, weakness: string]>> = {
  ws: ['8.17.1', 'CVE-2024-37890'],
};

const installedIn = (folder: string) => {
  const text = readFileSync(join(REPOSITORY, folder, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, LockedPackage>> };
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && link !== true);
};
const installed = installedIn('.');
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

test.each(Object.entries(FIXED_IN))('%s is nowhere older than %j', (name, [least]) => {
  const found = installed.filter(([path]) => nameOf(path) === name).map(([, { version = '0.0.0' }]) => version);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((version) => isOlder(version, least))).toEqual([]);
});

test('each package has an SHA-512 checksum', () => {
  for (const folder of ['.', 'docs/site']) {
    const packages = installedIn(folder);
    expect(packages.length).toBeGreaterThan(0);
    const without = packages.filter(([, { integrity = '' }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
    expect(without.map(([path]) => path)).toEqual([]);
  }
});

function isOlder(version: string, least: string): boolean {
  const [one, other] = [version, least].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (const [index, number] of (other ?? []).entries()) {
    const difference = (one?.[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
