// dist/conformance.md lists, for each rule, the tests that run and cite it.
import { describe, expect, test } from 'vitest';
import { RULES_DOCUMENT } from '../tidy/rules.ts';
import { describeProblem, sourceOf } from '../tidy/source.ts';
import { titlesIn } from '../tidy/titles.ts';
import { checkConformance, conformanceOf } from './conformance.ts';

const TESTS = 'libs/wire/src/a.test.ts';
const RULES = '# Rules\n\n## GEN\n\n### GEN1: Ids\nText.\n\n### GEN8: Keys\nText.\n';

const repository = (tests: string, more: Record<string, string> = {}) => [
  sourceOf(RULES_DOCUMENT, RULES),
  sourceOf(TESTS, tests),
  ...Object.entries(more).map(([path, text]) => sourceOf(path, text)),
];
/** The entries under a rule. */
const listed = (id: string, ...of: Parameters<typeof repository>) => {
  const [, section = ''] = conformanceOf(repository(...of)).split(`### ${id}: `);
  return (section.split('\n### ')[0] ?? '').split('\n').filter((line) => line.startsWith('- '));
};

test('each file that proves a rule has one line, with its titles in order and without their rule ids', () => {
  const tests = "test('[GEN8 GEN1] works', f); test('[GEN8] again, by GEN1', f); test('plain', f);";
  const more = { 'deploy/a.test.ts': "test('[GEN8] deploys', f);" };
  expect(listed('GEN8', tests, more)).toEqual(['- deploy/a.test.ts: deploys', `- ${TESTS}: again, by GEN1 · works`]);
  expect(listed('GEN1', tests, more)).toEqual([`- ${TESTS}: again, by GEN1 · works`]);
});

test("the tests of a group prove the rules that it cites, with the group's title first", () => {
  const tests = "describe('[GEN8] keys', () => { test('work', f); test('[GEN1] have ids', f); });";
  expect(listed('GEN8', tests)).toEqual([`- ${TESTS}: keys > have ids · keys > work`]);
  expect(listed('GEN1', tests)).toEqual([`- ${TESTS}: keys > have ids`]);
});

test('cases of a helm-unittest suite prove rules too, unless they are skipped', () => {
  const suite =
    'suite: values\ntests:\n  - it: "[GEN8] refused"\n  - it: "[GEN1] skipped"\n    skip: {reason: later}\n';
  const more = { 'helm/a/tests/a_test.yaml': suite };
  expect(listed('GEN8', '', more)).toEqual(['- helm/a/tests/a_test.yaml: values > refused']);
  expect(listed('GEN1', '', more)).toEqual([]);
});

test('the order of files makes no difference', () => {
  const files = repository("test('[GEN8] a', f);", { 'deploy/a.test.ts': "test('[GEN8] b', f);" });
  expect(conformanceOf(files.toReversed())).toBe(conformanceOf(files));
});

test('a rule without a test is reported', () => {
  const sources = repository("test('[GEN8] works', f);");
  expect(checkConformance(sources).map((problem) => describeProblem(problem, sources))).toEqual([
    expect.stringMatching(/^docs\/rules\.md:5: no test proves GEN1\. Fix: \S/),
  ]);
});

describe('a disabled test proves nothing', () => {
  test.each([
    "test.skip('[GEN8] a', f);",
    "test.skip.each([1])('[GEN8] a', f);",
    "test.skipIf(process.env.CI)('[GEN8] a', f);",
    "test.runIf(process.env.CI)('[GEN8] a', f);",
    "test.fails('[GEN8] a', f);",
    "test.todo('[GEN8] a');",
    "test('[GEN8] a');",
    "test('[GEN8] a', { skip: true }, f);",
    "test('[GEN8] a', ({ skip }) => { skip(); });",
    "test('[GEN8] a', (context) => { if (busy) context.skip(); });",
    "describe.skip('[GEN8] g', () => { test('a', f); });",
    "describe('[GEN8] g', { skip: true }, () => { it('a', f); });",
    "test('[GEN8] a', f); test.only('b', f);",
    "// test('[GEN8] a', f);\nconst text = \"test('[GEN8] a', f)\";",
  ])('%s', (code) => {
    expect(listed('GEN8', code)).toEqual([]);
  });
});

describe('the titles in a file', () => {
  const namesIn = (text: string) => titlesIn(sourceOf(TESTS, text)).map(({ titles }) => titles.join(' > '));

  test.each([
    ["test('a', f);", ['a']],
    ['it("it\'s \\"a\\"", f);', ['it\'s "a"']],
    ["test.each([['x', 'y']])('a %s', f);", ['a %s']],
    ["test.for(rows)('a %s', f);", ['a %s']],
    ["test.each`x`('a $x', f);", ['a $x']],
    ['test(`$' + '{path}: a`, f);', ['$' + '{path}: a']],
    ["for (const x of list) it('a', f);", ['a']],
    [
      "describe('g', () => { test('a', f); describe.each([1])('h', () => { it('b', f); }); });",
      ['g', 'g > a', 'g > h', 'g > h > b'],
    ],
    ["other('a', f); a.test('b', f); test(name, f); expect('c').toBe('d');", []],
  ])('%s', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });
});
