// The check of docs/security.md reports each kind of outdated row.
import { describe, expect, test } from 'vitest';
import { describeProblem, sourceOf } from '../tidy/source.ts';
import { checkSecurity, RISKS, SECURITY } from './security.ts';

const TESTS = 'libs/wire/src/a.test.ts';
const FILE = 'libs/wire/src/a.ts';
const ROW = `| It is bounded. | \`${FILE}\` | ${TESTS} "group > works" |`;
const HEAD = ['| Measure | Where | Test |', '|---|---|---|'];

/** Problems of a document whose first risk has these rows, and each other risk a valid one. */
function problemsOf(rows: readonly string[], risks: readonly string[] = RISKS) {
  const sections = risks.flatMap((risk, index) => [
    `## ${risk}`,
    '',
    'Prose.',
    ...HEAD,
    ...(index === 0 ? rows : [ROW]),
  ]);
  const tests = "describe('group', () => { test('works', f); test.skip('rests', f); });";
  const sources = [sourceOf(SECURITY, sections.join('\n')), sourceOf(TESTS, tests), sourceOf(FILE, '// A.')];
  return checkSecurity(sources).map((problem) => describeProblem(problem, sources));
}

test('rows with existing files and tests are valid, also with several of them', () => {
  expect(
    problemsOf([ROW, `| A. | \`${FILE}\`, and \`${FILE}\` | ${TESTS} "group > works"<br>${TESTS} "group > works" |`]),
  ).toEqual([]);
});

describe('a row', () => {
  test.each<[what: string, row: string, message: string]>([
    ['with a missing test', ROW.replace('works', 'work'), 'has no test "group > work"'],
    ['with a disabled test', ROW.replace('works', 'rests'), '"group > rests" proves nothing'],
    ['with a missing test file', ROW.replace('a.test.ts', 'b.test.ts'), 'no test file libs/wire/src/b.test.ts'],
    ['with a missing file', ROW.replace('a.ts', 'b.ts'), 'there is no file libs/wire/src/b.ts'],
    ['without a file', `| A. | here | ${TESTS} "group > works" |`, 'it does not name a file'],
    ['without a test', `| A. | \`${FILE}\` | |`, "the row can't be read"],
    ['with a test in words', `| A. | \`${FILE}\` | all of them |`, "the row can't be read"],
    ['with too many cells', ROW.replace('bounded', 'bounded | and'), "the row can't be read"],
  ])('%s', (_what, row, message) => {
    const problems = problemsOf([ROW, row]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
    expect(problems[0]).toMatch(/^docs\/security\.md:\d+: .* Fix: \S/);
  });
});

test('a risk without rows, a missing risk, and another order', () => {
  expect(problemsOf([])).toEqual([expect.stringContaining(`there is no measure against ${RISKS[0]}`)]);
  expect(problemsOf([ROW], RISKS.slice(1))).toEqual([expect.stringContaining('the sections are not the risks')]);
  expect(problemsOf([ROW], RISKS.toReversed())).toEqual([expect.stringContaining('the sections are not the risks')]);
});
