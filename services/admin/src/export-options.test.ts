// The arguments of the commands that write and read exports.
import { expect, test } from 'vitest';
import { readExportOptions, readImportOptions, readVerifyOptions } from './export-options.ts';

test('an export goes into a file, or into a folder with a number of exports to retain', () => {
  expect(readExportOptions(['--file', 'a'])).toEqual({ file: 'a' });
  expect(readExportOptions(['--folder', 'a', '--retain', '7'])).toEqual({ folder: 'a', retain: 7 });
});

test('an import and a verification read a file, or the newest of a folder', () => {
  expect(readImportOptions(['--file', 'a'])).toEqual({ file: 'a' });
  expect(readImportOptions(['--folder', 'a'])).toEqual({ folder: 'a' });
  expect(readVerifyOptions(['--folder', 'a'])).toEqual({ source: { folder: 'a' }, maxAgeHours: null });
  const verified = readVerifyOptions(['--file', 'a', '--max-age-hours', '26']);
  expect(verified).toEqual({ source: { file: 'a' }, maxAgeHours: 26 });
});

test.each([
  [[]],
  [['--folder', 'a']],
  [['--file', 'a', '--retain', '7']],
  [['--file', 'a', '--folder', 'b', '--retain', '7']],
  [['--folder', 'a', '--keep', '7']],
  [['a']],
])('an export with %j gets the usage', (given) => {
  expect(() => readExportOptions(given)).toThrow('usage: npm run export');
});

test.each(['0', '-1', '1.5', '1e3', '1001', '', 'seven'])('an export cannot retain %j', (retain) => {
  expect(() => readExportOptions(['--folder', 'a', `--retain=${retain}`])).toThrow('--retain must be a whole number');
});

test('the other commands refuse no source and two sources', () => {
  for (const given of [[], ['--file', 'a', '--folder', 'b'], ['--fiel', 'a']]) {
    expect(() => readImportOptions(given)).toThrow('usage: npm run import');
    expect(() => readVerifyOptions(given)).toThrow('usage: npm run verify-export');
  }
  const hours = ['--file', 'a', '--max-age-hours', 'day'];
  expect(() => readVerifyOptions(hours)).toThrow('--max-age-hours must be a whole number from 1 to 10000');
});
