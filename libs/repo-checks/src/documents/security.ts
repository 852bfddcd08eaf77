// Checks docs/security.md: each of the ten risks has measures in existing files, with tests that
// exist and run.

import type { Problem, Source } from '../tidy/source.ts';
import { checkProof, type Proof, type Tests, testsIn } from './proofs.ts';

export const SECURITY = 'docs/security.md';

/** The OWASP API Security Top 10 of 2023, and risks outside it. */
export const RISKS = [
  'API1:2023 Broken Object Level Authorization',
  'API2:2023 Broken Authentication',
  'API3:2023 Broken Object Property Level Authorization',
  'API4:2023 Unrestricted Resource Consumption',
  'API5:2023 Broken Function Level Authorization',
  'API6:2023 Unrestricted Access to Sensitive Business Flows',
  'API7:2023 Server Side Request Forgery',
  'API8:2023 Security Misconfiguration',
  'API9:2023 Improper Inventory Management',
  'API10:2023 Unsafe Consumption of APIs',
  'Other risks',
] as const;

const HEAD = '| Measure | Where | Test |';
const RULE = '|---|---|---|';
const FILE = /`([^`]+)`/g;
/** Several tests are separated by `<br>`. */
const PROOF = /^(\S+) "(.+)"$/;

/** One measure against a risk. */
interface Measure {
  readonly at: number;
  readonly risk: string;
  readonly files: readonly string[];
  readonly proofs: readonly Proof[];
}

/** All problems of the document, given the repository's files. */
export function checkSecurity(sources: readonly Source[]): Problem[] {
  const text = sources.find(({ path }) => path === SECURITY)?.text ?? '';
  const { risks, measures, problems } = readSecurity(text);
  const tests = testsIn(sources);
  const paths = new Set(sources.map(({ path }) => path));
  const fix = `write these sections, in this order: ${RISKS.join(', ')}.`;
  const isWhole = risks.join('\n') === RISKS.join('\n');
  return [
    ...problems,
    ...(isWhole ? [] : [problem(0, 'the sections are not the risks.', fix)]),
    ...risks
      .filter((risk) => measures.every((measure) => measure.risk !== risk))
      .map((risk) =>
        problem(text.indexOf(`## ${risk}`), `there is no measure against ${risk}.`, 'add a row with a test.'),
      ),
    ...measures.flatMap((measure) => checkMeasure(measure, paths, tests)),
  ];
}

/** Parses the document. Every table row that is not a measure is a problem. */
function readSecurity(text: string) {
  const risks: string[] = [];
  const measures: Measure[] = [];
  const problems: Problem[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) risks.push(heading);
    else if (line.startsWith('|') && line !== HEAD && line !== RULE) {
      const measure = readRow(line, at, risks.at(-1) ?? '');
      if (measure === null) problems.push(problem(at, `the row can't be read: ${line}`, FORM));
      else measures.push(measure);
    }
    at += line.length + 1;
  }
  return { risks, measures, problems };
}

const FORM = 'write | measure | `file`, `file` | path "group > test" |, with <br> between several tests.';

function readRow(line: string, at: number, risk: string): Measure | null {
  const [what, where, tests, ...more] = line.slice(2, -2).split(' | ');
  if (!what || where === undefined || tests === undefined || more.length > 0) return null;
  const proofs = tests.split('<br>').map((test) => PROOF.exec(test.trim()));
  if (proofs.includes(null)) return null;
  const named = proofs.map((proof) => ({ at, path: proof?.[1] as string, name: proof?.[2] as string }));
  return { at, risk, files: [...where.matchAll(FILE)].map(([, file]) => file as string), proofs: named };
}

function checkMeasure({ at, files, proofs }: Measure, paths: ReadonlySet<string>, tests: Tests): Problem[] {
  const missing = files.filter((file) => !paths.has(file));
  return [
    ...(files.length > 0 ? [] : [problem(at, 'it does not name a file.', 'name the file of the measure.')]),
    ...missing.map((file) => problem(at, `there is no file ${file}.`, 'write its path in the repository.')),
    ...proofs.flatMap((proof) => checkProof(SECURITY, proof, tests)),
  ];
}

function problem(at: number, rule: string, fix: string): Problem {
  return { path: SECURITY, at, rule, fix };
}
