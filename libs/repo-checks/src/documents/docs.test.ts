// The documents name existing things: environment variables, scripts of package.json, operations
// and codes of the interface, paths of the repository, and other documents.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { USAGE } from '@taskgraph/launcher/configuration';
import { ERRORS, STATUS_BY_FAMILY } from '@taskgraph/wire/error-codes';
import { routesOf } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { describe, expect, test } from 'vitest';
import { isTest, readRepository } from '../tidy/source.ts';

const repository = readRepository();
const locate = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(locate(path), 'utf8');

/** The distinct texts of the pattern's first group, sorted. */
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
    // One row covers all limits; docs/limits.md lists them.
    const declared = Object.keys(configuration).filter((name) => !name.startsWith('LIMIT_'));
    expect(declared.length).toBeGreaterThan(0);
    expect(documented(heading)).toEqual(declared.sort());
  });

  test('of the launcher, as its help lists them', () => {
    // NATS is the first part of a variable and the name of a server; no variable is named NATS.
    const named = find(USAGE, /\b([A-Z][A-Z0-9_]{3,})\b/g).filter((name) => name !== 'NATS');
    expect(documented('Launcher')).toEqual(named);
  });
});

test.each(['README.md', 'CONTRIBUTING.md', 'docs/running.md', 'docs/operations.md'])(
  '%s names existing scripts',
  (document) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = find(read(document), /\bnpm run ([\w:-]+)/g);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  },
);

const design = readdirSync(locate('docs/design')).map((name) => `docs/design/${name}`);

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/operations.md', ...design])(
  '%s names existing paths',
  (document) => {
    const named = find(read(document), /`((?:libs|services|deploy|helm|loadtest|examples)\/[\w./-]+)`/g);
    expect(named.filter((path) => !existsSync(locate(path)))).toEqual([]);
  },
);

describe('docs/interface.md has', () => {
  const rows = (heading: string) => {
    const [, section = ''] = read('docs/interface.md').split(`\n## ${heading}\n`);
    return (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  };

  test('[WIRE1] each call with its routes and fields', () => {
    const called = new Map(
      rows('Calls')
        .map((row) => row.slice(2, -2).split(' | ') as [string, string, string])
        .map((row) => [row[0], row]),
    );
    for (const operation of socketOperations) {
      const { name: event, payload } = operation;
      const [, routes = '', fields = ''] = called.get(`\`${event}\``) ?? [];
      expect(routes, event).toBe(
        routesOf(operation)
          .map(({ method, path }) => `\`${method} ${path}\``)
          .join(', '),
      );
      // The fields of a node have their own table.
      const wanted = Object.keys(payload.shape).filter((field) => !fields.includes(`\`${field}\``));
      const writable = rows('Calls').map((row) => row.split(' | ')[0] ?? '');
      expect(
        wanted.filter((field) => !writable.some((names) => names.includes(`\`${field}\``))),
        event,
      ).toEqual([]);
    }
    expect(
      [...called.keys()].filter(
        (name) => name.includes(':') && socketOperations.every((one) => name !== `\`${one.name}\``),
      ),
    ).toEqual([]);
  });
});

describe('each error code', () => {
  const codesIn = (sources: typeof repository) => {
    const families = Object.keys(STATUS_BY_FAMILY).join('|');
    const code = new RegExp(`'((?:${families})(?:\\.\\w+)?)'`, 'g');
    return new Set(sources.filter((source) => source.code !== null).flatMap(({ text }) => find(text, code)));
  };
  const codes = Object.keys(ERRORS);

  test('[GEN3] is answered somewhere', () => {
    const TABLE = 'libs/wire/src/error-codes.ts';
    const answered = codesIn(repository.filter((source) => !isTest(source) && source.path !== TABLE));
    const ofFields = find(repository.map(({ text }) => text).join('\n'), /refuseField\('(\w+)'/g);
    for (const problem of ofFields) answered.add(`bad_request.${problem}_<field>`);
    expect(codes.filter((name) => !answered.has(name))).toEqual([]);
  });

  test('[GEN3] is expected by a test', () => {
    const named = [...codesIn(repository.filter(isTest))];
    const isNamed = (name: string) => {
      const [start = '', field] = name.split('<');
      return field === undefined ? named.includes(name) : named.some((code) => code.startsWith(start));
    };
    expect(codes.filter((name) => !isNamed(name))).toEqual([]);
  });
});

describe('links between documents have targets', () => {
  const documents = repository.filter(({ path }) => path.endsWith('.md'));
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
  const anchorsIn = (text: string) => find(text, /^#+ (.+)$/gm).map(anchorOf);

  test.each(documents.map(({ path }) => path))('%s', (path) => {
    const text = read(path);
    const broken = find(text, /\]\(([^)\s]+)\)/g)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [to = '', anchor] = link.split('#');
        const target = to === '' ? path : join(dirname(path), to);
        if (!existsSync(locate(target))) return true;
        return anchor !== undefined && !anchorsIn(read(target)).includes(anchor);
      });
    expect(broken).toEqual([]);
  });
});

test('docs/README.md lists every document', () => {
  const listed = find(read('docs/README.md'), /\]\(([\w.]+)\)/g);
  const there = repository.map(({ path }) => path).filter((path) => /^docs\/[^/]+\.md$/.test(path));
  expect(listed).toEqual(
    there
      .map((path) => path.slice('docs/'.length))
      .filter((name) => name !== 'README.md')
      .sort(),
  );
});
