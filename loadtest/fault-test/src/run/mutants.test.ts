// Each mutant changes something: its text occurs once in its source.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';

const SOURCES = Object.entries(MUTANTS).flatMap(([name, mutant]) => ('file' in mutant ? [{ name, ...mutant }] : []));

test.each(SOURCES)('the mutant $name', ({ file, find, replace }) => {
  const parts = readFileSync(join(REPOSITORY, file), 'utf8').split(find);
  expect(parts).toHaveLength(2);
  expect(replace).not.toBe(find);
});
