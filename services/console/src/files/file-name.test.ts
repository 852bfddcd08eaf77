import { expect, test } from 'vitest';
import { fileNameOf } from './file-name.ts';

test.each([
  ['Open the shop', 'Open the shop.csv'],
  ['../../etc/passwd', 'etc passwd.csv'],
  ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j.csv'],
  ['  .hidden.  ', 'hidden.csv'],
  ['CON', 'tasks.csv'],
  ['Über Größe 東京', 'Über Größe 東京.csv'],
  ['x'.repeat(200), `${'x'.repeat(80)}.csv`],
  ['\u202Etxt.exe', 'txt.exe.csv'],
  ['?', 'tasks.csv'],
  ['', 'tasks.csv'],
])('[CON29] a file of %j is named %j', (title, name) => {
  expect(fileNameOf(title, 'csv', 'tasks')).toBe(name);
});
