import { refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { withDryRun } from './dry-run.ts';

const command = { kind: 'command' };
const value = { title: 'a' };

test.each([
  ['dryRun=true', { title: 'a', dryRun: true }],
  ['dryRun=false', { title: 'a', dryRun: false }],
  ['dryRun=yes', { title: 'a', dryRun: 'yes' }],
  ['other=1&dryRun=true', { title: 'a', dryRun: true }],
  ['title=b', value],
  ['', value],
])('[DRY1] the query %s of a mutation with a body', (query, expected) => {
  expect(withDryRun({ value }, query, command)).toEqual({ value: expected });
});

test('[DRY1 GEN4] is refused where it is given twice, and plays no part for reads', () => {
  const twice = { code: 'bad_request.invalid_dryRun' };
  expect(withDryRun({ value }, 'dryRun=true&dryRun=false', command)).toMatchObject(twice);
  expect(withDryRun({ value: { dryRun: true } }, 'dryRun=true', command)).toMatchObject(twice);
  expect(withDryRun({ value }, 'dryRun=true', { kind: 'read' })).toEqual({ value });
  expect(withDryRun({ value: null }, 'dryRun=true', command)).toEqual({ value: null });
  const refusal = refuse('bad_request.invalid_json', 'No.');
  expect(withDryRun(refusal, 'dryRun=true', command)).toBe(refusal);
});
