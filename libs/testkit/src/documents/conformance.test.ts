// docs/conformance.md holds what it says, and each of the ways in which it could stop doing so is noticed.
import { describe, expect, test } from 'vitest';
import { RULE_IDS } from '../tidy/rules.ts';
import { describeProblem, readRepository, sourceOf } from '../tidy/source.ts';
import { titledIn } from '../tidy/titles.ts';
import { CONFORMANCE, checkConformance, readConformance } from './conformance.ts';

test('every line names tests that exist, run and cite its rules, and every rule has a line', () => {
  const sources = readRepository();
  const problems = checkConformance(sources).map((problem) => describeProblem(problem, sources));
  expect(problems, problems.join('\n')).toEqual([]);
});

test('the document has its sections, and lines in each', () => {
  const text = readRepository().find(({ path }) => path === CONFORMANCE)?.text ?? '';
  const { demands } = readConformance(text);
  const count = (section: string) => demands.filter((demand) => demand.section === section).length;
  expect(count('The interface')).toBeGreaterThan(200);
  expect(count('The rules')).toBeGreaterThan(RULE_IDS.length / 2);
});

const TESTS = 'libs/wire/src/a.test.ts';
const PROOF = `  - ${TESTS} "[GEN8] works"`;

/** Problems of a document in which each rule but GEN8 waits. */
function problemsOf(lines: readonly string[], tests = "test('[GEN8] works', f);", rules = ['- GEN8: keys.', PROOF]) {
  const waiting = RULE_IDS.filter((id) => id !== 'GEN8').flatMap((id) => [`- ${id}: a rule.`, '  - Why: later.']);
  const document = ['## The interface', ...lines, '## The rules', ...rules, '## Not yet', ...waiting].join('\n');
  const sources = [sourceOf(CONFORMANCE, document), sourceOf(TESTS, tests)];
  return checkConformance(sources).map((problem) => describeProblem(problem, sources));
}

test('nothing is wrong with headings, prose, and lines with their tests', () => {
  const lines = ['### Node', 'Some prose.', '', '**GET /api/graph**', '', '- It works, by GEN8.', PROOF, PROOF, ''];
  expect(problemsOf(lines)).toEqual([]);
});

describe('a line of the document', () => {
  test.each<[what: string, lines: string[], says: string]>([
    ['with a wrong name', [`  - ${TESTS} "[GEN8] work"`], `${TESTS} has no test "[GEN8] work"`],
    ['with part of a name', [`  - ${TESTS} "works"`], 'has no test "works"'],
    [
      'with a name of another file',
      ['  - libs/wire/src/b.test.ts "[GEN8] works"'],
      'no test file libs/wire/src/b.test.ts',
    ],
    ['with a file that holds no tests', [`  - ${CONFORMANCE} "[GEN8] works"`], `no test file ${CONFORMANCE}`],
    ['without a test', [], 'no test proves it'],
    ['with a reason instead of a test', ['  - Why: later.'], 'it says why it has no test'],
    ['with a test that is indented otherwise', [`    - ${TESTS} "[GEN8] works"`], "the line can't be read"],
    ['with a test without quotes', [`  - ${TESTS} [GEN8] works`], "the line can't be read"],
  ])('%s', (_what, lines, says) => {
    const problems = problemsOf(['- It works.', ...lines]);
    expect(problems.join('\n')).toContain(says);
    expect(problems[0]).toMatch(/^docs\/conformance\.md:\d+: .* Fix: \S/);
  });

  test('that cites a rule, which no test of its cites', () => {
    expect(problemsOf(['- It works, by GEN9.', PROOF])).toHaveLength(1);
    expect(problemsOf(['- It works, by GEN9.', PROOF])[0]).toContain('GEN9 is not cited by the test');
  });

  test('that cites a rule that does not exist', () => {
    expect(problemsOf([`- It works, by GEN${12}.`, PROOF])[0]).toContain(`there is no rule GEN${12}`);
  });

  test('that is another kind of list, or stands in a section of its own', () => {
    expect(problemsOf(['* It works.'])[0]).toContain("the line can't be read");
    expect(problemsOf(['## Others', '- It works.']).join('\n')).toContain('no section "Others"');
  });
});

describe('a rule', () => {
  test.each<[what: string, rules: string[], says: string]>([
    ['without a line', [], 'GEN8 has no line. Fix: add one to "The rules"'],
    ['with two lines', ['- GEN8: keys.', PROOF, '- GEN8: more.', PROOF], 'GEN8 has a line already'],
    ['with a line that is about something else', ['- Keys.', PROOF], 'it does not begin with a rule'],
    ['with a test that does not cite it', ['- GEN8: keys.', PROOF, `  - ${TESTS} "plain"`], 'GEN8 is not cited'],
  ])('%s', (_what, rules, says) => {
    const tests = "test('[GEN8] works', f); test('plain', f);";
    expect(problemsOf([], tests, rules).join('\n')).toContain(says);
  });

  test('that waits although a test cites it', () => {
    const tests = "test('[GEN8] works', f); describe('[GEN7]', () => { test('works', f); });";
    expect(problemsOf([], tests)).toEqual([expect.stringContaining('GEN7 has no line. Fix: add one to "The rules"')]);
  });
});

describe('what is not there yet', () => {
  test.each<[what: string, lines: string[], says: string]>([
    ['without a reason', ['- It works.'], 'it does not say why'],
    ['with two reasons', ['- It works.', '  - Why: a.', '  - Why: b.'], 'it does not say why, once'],
    ['with a test', ['- It works.', '  - Why: a.', PROOF], 'it has a test'],
  ])('%s', (_what, lines, says) => {
    expect(problemsOf(['## Not yet', ...lines])[0]).toContain(says);
  });
});

describe('a test that is held back proves nothing', () => {
  const proof = (name: string) => ['- It works.', `  - ${TESTS} "${name}"`];
  test.each([
    ["test.skip('a', f);", 'a'],
    ["test.skip.each([1])('a', f);", 'a'],
    ["test.skipIf(process.env.CI)('a', f);", 'a'],
    ["test.runIf(process.env.CI)('a', f);", 'a'],
    ["test.fails('a', f);", 'a'],
    ["test.todo('a');", 'a'],
    ["test('a');", 'a'],
    ["test('a', { skip: true }, f);", 'a'],
    ["test('a', ({ skip }) => { skip(); });", 'a'],
    ["test('a', (context) => { if (busy) context.skip(); });", 'a'],
    ["describe.skip('g', () => { test('a', f); });", 'g > a'],
    ["describe('g', { skip: true }, () => { it('a', f); });", 'g > a'],
    ["test('a', f); test.only('b', f);", 'a'],
  ])('%s', (code, name) => {
    const tests = `${code} ${code.includes('only') ? "test.only('[GEN8] works', f);" : "test('[GEN8] works', f);"}`;
    expect(problemsOf(proof(name), tests)).toEqual([expect.stringContaining(`"${name}" proves nothing: `)]);
  });

  test('one that is commented out is not there', () => {
    const tests = "// test('a', f);\nconst text = \"test('a', f)\"; test('[GEN8] works', f);";
    expect(problemsOf(proof('a'), tests)[0]).toContain('has no test "a"');
  });
});

describe('the titles in a file', () => {
  const namesIn = (text: string) => titledIn(sourceOf(TESTS, text)).map(({ titles }) => titles.join(' > '));

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
