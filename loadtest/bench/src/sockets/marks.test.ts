import { expect, test } from 'vitest';
import { markOf, nowUs, readMark } from './marks.ts';

test('a mark is read wherever it stands in a packet', () => {
  const us = nowUs();
  expect(readMark(Buffer.from(`42["graph:diff",{"title":"${markOf(us)}","version":17}]`))).toBe(us);
});

test('a packet without a mark has none', () => {
  expect(readMark(Buffer.from('42["feeds:heads",{}]'))).toBeNull();
});
