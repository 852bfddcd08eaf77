// Reads docs/conformance.md and checks it: each demand of the interface document and each rule with tests that exist, run and cite it.

import { citations, isRule, RULE_IDS } from '../tidy/rules.ts';
import type { Problem, Source } from '../tidy/source.ts';
import { checkProof, type Proof, type Tests, testsIn } from './proofs.ts';

export const CONFORMANCE = 'docs/conformance.md';

const SECTIONS = ['The interface', 'The rules', 'Not yet'] as const;
type Section = (typeof SECTIONS)[number];

/** `- What is demanded.`, with what stands below it. */
export interface Demand {
  readonly at: number;
  readonly section: Section;
  readonly text: string;
  readonly proofs: Proof[];
  /** `  - Why: ...`, which only what is not there yet has. */
  readonly reasons: string[];
}

export interface Conformance {
  readonly demands: readonly Demand[];
  readonly problems: readonly Problem[];
}

const PROOF = /^ {2}- (\S+) "(.+)"$/;
const REASON = /^ {2}- Why: (.+)$/;
/** What is meant as an item and must not pass for prose. */
const ITEM = /^(\s|[-+|]|\*(?!\*)|\d+\.)/;

/** Takes the document apart. Every line that is neither an item of the form above, a heading nor prose is a problem. */
export function readConformance(text: string): Conformance {
  const demands: Demand[] = [];
  const problems: Problem[] = [];
  let section: Section | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const [heading, demand] = [/^## (.+)$/.exec(line)?.[1], /^- (\S.*)$/.exec(line)?.[1]];
    const [proof, reason] = [PROOF.exec(line), REASON.exec(line)?.[1]];
    const last = demands.at(-1);
    if (heading !== undefined) {
      section = SECTIONS.find((name) => name === heading) ?? null;
      if (section === null)
        problems.push(problem(at, `there is no section "${heading}".`, 'use the three that there are.'));
    } else if (demand !== undefined && section !== null) {
      demands.push({ at, section, text: demand, proofs: [], reasons: [] });
    } else if (reason !== undefined && last !== undefined) last.reasons.push(reason);
    else if (proof !== null && last !== undefined) {
      last.proofs.push({ at, path: proof[1] as string, name: proof[2] as string });
    } else if (ITEM.test(line)) problems.push(problem(at, `the line can't be read: ${line}`, FORM));
    at += line.length + 1;
  }
  return { demands, problems };
}

const FORM =
  'write `- demand`, and below it `  - path "group > test"` or, of what is not there yet, `  - Why: reason`.';

function problem(at: number, rule: string, fix: string): Problem {
  return { path: CONFORMANCE, at, rule, fix };
}

/** All that is wrong with the document, given the repository's files. */
export function checkConformance(sources: readonly Source[]): Problem[] {
  const text = sources.find(({ path }) => path === CONFORMANCE)?.text ?? '';
  const { demands, problems } = readConformance(text);
  const tests = testsIn(sources);
  return [
    ...problems,
    ...demands.flatMap((demand) => [
      ...checkShape(demand),
      ...demand.proofs.flatMap((proof) => checkProof(CONFORMANCE, proof, tests)),
      ...checkCitations(demand),
    ]),
    ...checkRuleLines(demands, tests),
  ];
}

function checkShape({ at, section, proofs, reasons }: Demand): Problem[] {
  if (section !== 'Not yet') {
    return [
      ...(proofs.length > 0
        ? []
        : [problem(at, 'no test proves it.', 'name one, or move it to "Not yet" and say why.')]),
      ...(reasons.length === 0 ? [] : [problem(at, 'it says why it has no test.', 'move it to "Not yet".')]),
    ];
  }
  return [
    ...(proofs.length === 0 ? [] : [problem(at, 'it has a test.', 'move it to its place above.')]),
    ...(reasons.length === 1 ? [] : [problem(at, 'it does not say why, once.', 'add one line `  - Why: reason`.')]),
  ];
}

/** A rule that a line names is cited by one of its tests, and the rule of a rule's line by each of them. */
function checkCitations({ at, section, text, proofs }: Demand): Problem[] {
  const named = citations(text);
  const unknown = named
    .filter((id) => !isRule(id))
    .map((id) => problem(at, `there is no rule ${id}.`, 'name another.'));
  if (section === 'Not yet') return unknown;
  const uncited = named.filter(isRule).filter((id) => {
    const cites = ({ name }: Proof) => citations(name).includes(id);
    return section === 'The rules' ? !proofs.every(cites) : !proofs.some(cites);
  });
  const fix = "cite it in the test's title, if the test proves it, or name another test.";
  return [...unknown, ...uncited.map((id) => problem(at, `${id} is not cited by the test.`, fix))];
}

/** Every rule has one line, in "The rules" as soon as a test cites it. */
function checkRuleLines(demands: readonly Demand[], tests: Tests): Problem[] {
  const lines = demands.filter(({ section }) => section === 'The rules');
  const waiting = new Set(
    demands.filter(({ section }) => section === 'Not yet').flatMap(({ text }) => citations(text)),
  );
  const cited = new Set([...tests.values()].flat().flatMap(({ titles }) => citations(titles.join(' '))));
  const misnamed = lines.filter(({ text }) => !isRule(ruleOf(text)));
  return [
    ...misnamed.map(({ at }) => problem(at, 'it does not begin with a rule.', 'write `- GEN1: what it is about.`')),
    ...RULE_IDS.flatMap((id) => {
      const own = lines.filter(({ text }) => ruleOf(text) === id);
      if (own.length > 1) return [problem(own[1]?.at ?? 0, `${id} has a line already.`, 'put its tests into one.')];
      if (own.length === 1 || (waiting.has(id) && !cited.has(id))) return [];
      const fix = cited.has(id) ? 'add one to "The rules": there are tests that cite it.' : 'add one to "Not yet".';
      return [problem(0, `${id} has no line.`, fix)];
    }),
  ];
}

function ruleOf(text: string): string {
  return /^([A-Z]+\d+): ./.exec(text)?.[1] ?? '';
}
