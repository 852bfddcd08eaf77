// The documents name what exists: variables of the environment, scripts of package.json, and paths of the repository.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { USAGE } from '@taskgraph/launcher/configuration';
import { describe, expect, test } from 'vitest';

const locate = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(locate(path), 'utf8');

/** All that the pattern's first group finds, once each, sorted. */
function find(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))].sort();
}

/** The variables in the tables under a heading of docs/configuration.md. */
function documented(heading: string): string[] {
  const [, section = ''] = read('docs/configuration.md').split(`\n## ${heading}\n`);
  return find(section.split('\n## ')[0] ?? '', /^\| `([A-Z0-9_]+)` \|/gm);
}

describe('docs/configuration.md has the variables', () => {
  test.each(['Gateway', 'Worker', 'Jobs', 'Admin'])('of the service: %s', async (heading) => {
    const path = locate(`services/${heading.toLowerCase()}/src/configuration.ts`);
    const { configuration } = (await import(/* @vite-ignore */ path)) as { configuration: object };
    // One row tells of all limits; docs/limits.md has them one by one.
    const declared = Object.keys(configuration).filter((name) => !name.startsWith('LIMIT_'));
    expect(declared.length).toBeGreaterThan(0);
    expect(documented(heading)).toEqual(declared.sort());
  });

  test('of the launcher, as its help names them', () => {
    // NATS is a variable's first part and a server's name; no variable has that name alone.
    const named = find(USAGE, /\b([A-Z][A-Z0-9_]{3,})\b/g).filter((name) => name !== 'NATS');
    expect(documented('Launcher')).toEqual(named);
  });
});

test.each(['README.md', 'CONTRIBUTING.md', 'docs/operations.md'])('%s names scripts that exist', (document) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = find(read(document), /\bnpm run ([\w:-]+)/g);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/operations.md'])('%s names paths that exist', (document) => {
  const named = find(read(document), /`((?:libs|services|deploy|helm|loadtest|examples)\/[\w./-]+)`/g);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !existsSync(locate(path)))).toEqual([]);
});
