// Creates dist/conformance.md: for each rule of docs/rules.md the tests whose titles cite it.

import { citations, RULES_DOCUMENT, rulesIn } from '../tidy/rules.ts';
import type { Problem, Source } from '../tidy/source.ts';
import { type Tests, testsIn } from './proofs.ts';

const HEAD = `# Conformance

The tests that prove each rule of [rules.md](../docs/rules.md), one line per file: its path, and the titles of the tests whose own title, or that of a
group around them, cites the rule. \` > \` stands between the title of a group and that of a test in it. Of a test that runs for many rows,
the title is the template. A test that is held back is left out.

\`npm run docs:conformance\` writes this file. \`npm run check\` names the rules that have no test.
`;

/** The document, from the repository's files. */
export function conformanceOf(sources: readonly Source[]): string {
  const tests = testsIn(sources);
  const sections = rulesOf(sources).map(({ id, name }) => [`### ${id}: ${name}`, '', ...proofsOf(id, tests)]);
  return [HEAD, ...sections.map((lines) => `${lines.join('\n')}\n`)].join('\n');
}

/** Rules that no test cites. */
export function checkConformance(sources: readonly Source[]): Problem[] {
  const tests = testsIn(sources);
  return rulesOf(sources)
    .filter(({ id }) => proofsOf(id, tests).length === 0)
    .map(({ id, at }) => {
      const fix = 'write a test that fails without it, and cite the rule in its title.';
      return { path: RULES_DOCUMENT, at, rule: `no test proves ${id}.`, fix };
    });
}

function rulesOf(sources: readonly Source[]) {
  return rulesIn(sources.find(({ path }) => path === RULES_DOCUMENT)?.text ?? '');
}

function proofsOf(id: string, tests: Tests): string[] {
  return [...tests.keys()].sort().flatMap((path) => {
    const titles = (tests.get(path) ?? [])
      .filter(({ titles, disabledBy }) => disabledBy === null && citations(titles.join(' ')).includes(id))
      .map(({ titles }) => titles.map(withoutRules).filter(Boolean).join(' > '));
    return titles.length === 0 ? [] : [`- ${path}: ${[...new Set(titles)].sort().join(' · ')}`];
  });
}

/** A title without the rule ids at its beginning. */
function withoutRules(title: string): string {
  return title.replace(/^\[[^\]]*\] ?/, '');
}
