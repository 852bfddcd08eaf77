// Checks that each mutant's text still exists. Otherwise only the nightly run would notice.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RULE_MUTANTS } from '@taskgraph/reference-model/mutants';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));

test.each(Object.entries({ ...RULE_MUTANTS, ...MUTANTS }))(
  'the text that the mutant "%s" replaces occurs once in its file',
  (_name, mutant) => {
    expect(readFileSync(`${REPOSITORY}${mutant.file}`, 'utf8').split(mutant.find)).toHaveLength(2);
  },
);
