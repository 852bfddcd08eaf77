// The checks of style and structure, each with a message that names the fix.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { asyncapiDocument } from './api/asyncapi.ts';
import { readExamples } from './api/examples.ts';
import { openapiDocument } from './api/openapi.ts';
import { checkConformance } from './documents/conformance.ts';
import { errorsDocument } from './documents/errors.ts';
import { withFieldTables } from './documents/field-tables.ts';
import { checkSecurity } from './documents/security.ts';
import { declaredTables, withTables } from './documents/tables.ts';
import { checkCommandFiles } from './tidy/command-files.ts';
import { checkCypher } from './tidy/cypher.ts';
import { checkFolders } from './tidy/folders.ts';
import { checkImports } from './tidy/imports.ts';
import { checkModules } from './tidy/modules.ts';
import { checkPackageNames } from './tidy/package-names.ts';
import { checkPatterns } from './tidy/patterns.ts';
import { checkPurity } from './tidy/purity.ts';
import { checkRules } from './tidy/rules.ts';
import { type Check, describeProblem, readRepository } from './tidy/source.ts';
import { checkText } from './tidy/text.ts';

const sources = readRepository();

function expectTidy(check: Check): void {
  const problems = check(sources).map((problem) => describeProblem(problem, sources));
  expect(problems, problems.join('\n')).toEqual([]);
}

it('sees the repository', () => {
  const paths = sources.map(({ path }) => path);
  for (const path of ['package-lock.json', 'libs/wire/src/ids.ts', 'deploy/start.mjs']) expect(paths).toContain(path);
});

it('packages import allowed packages, and external libraries in their places', () => expectTidy(checkImports));
it('folders have few files and no import circles', () => expectTidy(checkFolders));
it('domain and commands use no clock, no randomness and no IO', () => expectTidy(checkPurity));
it('modules have a head comment, no re-exports and short functions', () => expectTidy(checkModules));
it('each command has a file, a place in the table, rules and a test', () => expectTidy(checkCommandFiles));
it('each Cypher statement is a constant with a contract, changed only by parameters', () => expectTidy(checkCypher));
// The check takes seconds, or many on a busy machine.
it('no pattern backtracks without a bound', () => expectTidy(checkPatterns), 60_000);
it('documents and configurations name the published packages, and no foreign one', () => expectTidy(checkPackageNames));
it('cited rule ids exist', () => expectTidy(checkRules));
it('each rule has a test', () => expectTidy(checkConformance));
it('docs/security.md names existing files and tests', () => expectTidy(checkSecurity));
it('docs/errors.md is what `npm run docs:generate` writes', async () => {
  await expect(errorsDocument()).toMatchFileSnapshot('../../../docs/errors.md');
});
it('the tables of fields in docs/interface.md are what `npm run docs:generate` writes', async () => {
  const current = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8');
  await expect(withFieldTables(current)).toMatchFileSnapshot('../../../docs/interface.md');
});
it.each(['configuration', 'limits', 'metrics'])(
  'the tables of docs/%s.md are what `npm run docs:generate` writes',
  async (name) => {
    const path = `../../../docs/${name}.md`;
    const text = readFileSync(new URL(path, import.meta.url), 'utf8');
    await expect(withTables(text, await declaredTables())).toMatchFileSnapshot(path);
  },
);
it('docs/api is what `npm run docs:generate` writes', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const examples = readExamples();
  await expect(openapiDocument(version, examples)).toMatchFileSnapshot('../../../docs/api/openapi.json');
  await expect(asyncapiDocument(version, examples)).toMatchFileSnapshot('../../../docs/api/asyncapi.json');
});
it('no file contains addresses, machine paths or notes of unfinished work', () => expectTidy(checkText));
