// The written types of published packages equal those of libs/wire/src/public-types.ts.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publicTypes } from './public-types.ts';

const COMPILER = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
const written = publicTypes();
const changed = written.replace("client: 'api' | 'web' | 'public';", "client: 'api' | 'web';");

let folder: string;
let errors: readonly string[];
beforeAll(async () => {
  // Below the repository, so that the compiler finds its packages.
  await mkdir(join(REPOSITORY, '.cache'), { recursive: true });
  folder = await mkdtemp(join(REPOSITORY, '.cache', 'public-types-'));
  const files = await Promise.all(
    Object.entries({ written, changed }).map(([name, text]) => write(folder, name, text)),
  );
  const compilerOptions = {
    composite: false,
    incremental: false,
    noEmit: true,
    customConditions: ['taskgraph-source'],
  };
  const configuration = { extends: '../../tsconfig.base.json', compilerOptions, files };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  const { stdout } = await promisify(execFile)(process.execPath, [COMPILER, '-p', folder]).catch((error) => error);
  errors = (stdout as string).split('\n').filter((line) => line.includes(': error '));
  // The compiler takes seconds, or minutes on a busy machine.
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Writes the declarations, and a module that compares each with the inferred type. Returns its
 * name.
 */
async function write(folder: string, name: string, declarations: string): Promise<string> {
  await writeFile(join(folder, `${name}.ts`), declarations);
  const compared = namesIn(declarations).map(
    (type) => `export const ${type}: Same<Inferred.${type}, Own.${type}> = true;`,
  );
  const lines = [
    "import type * as Inferred from '@taskgraph/wire/public-types';",
    `import type * as Own from './${name}.ts';`,
    'type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;',
    ...compared,
  ];
  await writeFile(join(folder, `${name}-compared.ts`), lines.join('\n'));
  return `${name}-compared.ts`;
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name = '']) => name).sort();
}

test('all types are written, and equal those of the schemas', async () => {
  const inferred = await readFile(join(REPOSITORY, 'libs', 'wire', 'src', 'public-types.ts'), 'utf8');
  expect(namesIn(written)).toEqual(namesIn(inferred));
  expect(errors.filter((line) => line.includes('written-compared.ts'))).toEqual([]);
});

test('a difference is an error', () => {
  expect(changed).not.toBe(written);
  expect(errors.filter((line) => line.includes('changed-compared.ts')).length).toBeGreaterThan(0);
});
