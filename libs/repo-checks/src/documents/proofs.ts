// Checks that a test in a document exists, runs, and can fail.
import { parse } from 'yaml';
import type { Problem, Source } from '../tidy/source.ts';
import { type TitledTest, titlesIn } from '../tidy/titles.ts';

/** A test as a document names it. */
export interface Proof {
  /** Position in the document. */
  readonly at: number;
  readonly path: string;
  /** The titles of its groups and its own, separated by ` > `. */
  readonly name: string;
}

type Test = Pick<TitledTest, 'titles' | 'disabledBy'>;

/** All tests, by the path of their file. */
export type Tests = ReadonlyMap<string, readonly Test[]>;

export function testsIn(sources: readonly Source[]): Tests {
  return new Map(
    sources.flatMap((source): [string, readonly Test[]][] => {
      if (source.path.endsWith('_test.yaml')) return [[source.path, casesIn(source.text)]];
      if (!source.path.endsWith('.test.ts')) return [];
      return [[source.path, titlesIn(source).filter(({ kind }) => kind === 'test')]];
    }),
  );
}

/** The cases of a helm-unittest suite. */
function casesIn(text: string): Test[] {
  interface Skippable {
    readonly skip?: object;
  }
  const { suite, skip, tests } = parse(text) as Skippable & {
    readonly suite: string;
    readonly tests: readonly (Skippable & { readonly it: string })[];
  };
  return tests.map((each) => ({
    titles: [suite, each.it],
    disabledBy: (each.skip ?? skip) === undefined ? null : 'it is skipped',
  }));
}

/** The problem of a proof in a document; none if the test exists and runs. */
export function checkProof(document: string, { at, path, name }: Proof, tests: Tests): Problem[] {
  const problem = (rule: string, fix: string) => [{ path: document, at, rule, fix }];
  const candidates = tests.get(path);
  if (candidates === undefined) return problem(`there is no test file ${path}.`, 'write its path in the repository.');
  const found = candidates.filter(({ titles }) => titles.join(' > ') === name);
  if (found.length === 0) {
    const fix = 'write its full title with its groups: group > test.';
    return problem(`${path} has no test "${name}".`, fix);
  }
  const disabledBy = found.find((test) => test.disabledBy !== null)?.disabledBy;
  if (disabledBy === undefined || disabledBy === null) return [];
  return problem(`"${name}" proves nothing: ${disabledBy}.`, 'enable it, or name another.');
}
