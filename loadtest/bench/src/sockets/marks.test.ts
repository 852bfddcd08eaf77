import { expect, test } from 'vitest';
import { markOf, nowUs, readMark } from './marks.ts';

test('a mark is read at any place in a packet', () => {
  const us = nowUs();
  expect(readMark(Buffer.from(`42["graph:diff",{"title":"${markOf(us)}","version":17}]`))).toBe(us);
});

test('of two marks the later one counts, in either order', () => {
  const [before, after] = [markOf(1_000), markOf(2_000)];
  expect(readMark(Buffer.from(`[{"before":{"title":"${before}"},"after":{"title":"${after}"}}]`))).toBe(2_000);
  expect(readMark(Buffer.from(`[{"after":{"title":"${after}"},"before":{"title":"${before}"}}]`))).toBe(2_000);
});

test('a packet without a mark has none', () => {
  expect(readMark(Buffer.from('42["feeds:heads",{}]'))).toBeNull();
});
