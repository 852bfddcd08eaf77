import { expect, test } from 'vitest';
import type { LimitResult } from './limits.ts';
import { tableOf, withTable } from './report.ts';

const results: LimitResult = {
  limit: 'graph:get',
  way: 'Socket.IO',
  points: 5,
  seconds: 10,
  sent: 10,
  admitted: 5,
  ok: true,
};

test('the table marks a limit that did not hold', () => {
  const [, , good, bad] = tableOf([results, { ...results, admitted: 6, ok: false }]).split('\n');
  expect(good).toBe('| `graph:get` | Socket.IO | 5 | 10 | 10 | 5 |');
  expect(bad).toBe('| `graph:get` | Socket.IO | 5 | 10 | 10 | 6: not kept |');
});

test('a new table replaces the old one and changes nothing else', () => {
  const document = (table: string) =>
    `Before.\n\n<!-- measured: npm run loadtest -- limits -->\n${table}<!-- end of measured -->\nAfter.\n`;
  expect(withTable(document(''), '| new |')).toBe(document('| new |\n'));
  expect(withTable(document('| old |\n'), '| new |')).toBe(document('| new |\n'));
  expect(() => withTable('Before.', '| new |')).toThrow('the marks of the table are missing');
});
