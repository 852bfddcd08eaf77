// The options of the migration program.
import { expect, test } from 'vitest';
import { readMigrateOptions } from './migrate-options.ts';

test('the merged form of history is chosen by its option', () => {
  expect(readMigrateOptions([])).toEqual({ mergedHistory: false });
  expect(readMigrateOptions(['--merged-history'])).toEqual({ mergedHistory: true });
});

test.each(['--merged-histroy', '--merged-history=yes', 'merged-history'])('%s is refused', (argument) => {
  expect(() => readMigrateOptions([argument])).toThrow();
});
