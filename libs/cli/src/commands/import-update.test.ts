// The options of updates that contradict each other, and the sources of files.
import { expect, test } from 'vitest';
import { CliError } from '../failures.ts';
import { checkUpdateFlags, sourceOf, type UpdateFlags } from './import-update.ts';

test('[IO12] no option of an update is ignored', () => {
  const refused: readonly UpdateFlags[] = [
    { remove: true },
    { overwrite: true },
    { acceptMismatch: true },
    { update: true, undo: true, remove: true },
    { update: true, undo: true, overwrite: true },
    { update: true, undo: true, acceptMismatch: true },
    { update: true, again: 'second' },
    { update: true, source: ' ' },
  ];
  for (const flags of refused)
    expect(() => checkUpdateFlags(flags, ['a.csv']), JSON.stringify(flags)).toThrowError(CliError);
  const accepted: readonly UpdateFlags[] = [
    { update: true, remove: true, overwrite: true, acceptMismatch: true, dryRun: true },
    { update: true, undo: true, dryRun: true },
    { undo: true },
    { again: 'second' },
  ];
  for (const flags of accepted) expect(() => checkUpdateFlags(flags, ['a.csv', 'b.csv'])).not.toThrow();
});

test('[IO12] files of one name in two folders have one source and two origins, and a chosen name has none', () => {
  const [one, other] = [sourceOf('/a/plan.csv', 'csv', {}), sourceOf('/b/plan.csv', 'csv', {})];
  expect(one?.name).toBe(other?.name);
  expect(one?.origin).toMatch(/^[0-9a-f]{64}$/);
  expect(one?.origin).not.toBe(other?.origin);
  expect(sourceOf('/a/plan.csv', 'csv', { source: 'plan' })).toEqual({ name: 'plan' });
  expect(sourceOf('-', 'csv', {})).toBeNull();
});
