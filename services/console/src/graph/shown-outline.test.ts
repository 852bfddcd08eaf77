import { expect, test } from 'vitest';
import { type OutlineGraph, outlineRows } from './outline.ts';
import { shownOutline } from './shown-outline.ts';
import type { Link, Task } from './task.ts';

/** `ab` is a primary link from `a` to `b`, and `a-b` a secondary one. */
function graphOf(nodes: readonly string[], ends: readonly string[]): OutlineGraph {
  const links = ends.map(
    (text, index): Link => ({
      id: String(1_000 + index),
      source: text[0] ?? '',
      target: text.at(-1) ?? '',
      type: text.includes('-') ? 1 : 0,
    }),
  );
  const away = new Set(links.filter(({ type }) => type === 0).map(({ source }) => source));
  return {
    incoming: (id) => links.filter(({ target }) => target === id),
    outgoing: (id) => links.filter(({ source }) => source === id),
    task: (id) => (nodes.includes(id) ? ({ id } as Task) : undefined),
    roots: () => nodes.filter((id) => !away.has(id)),
  };
}

const rowsOf = (graph: OutlineGraph, ids: readonly string[], root: string | null = null, scope = ids) =>
  outlineRows(shownOutline(graph, { ids: () => ids, inScope: (id) => scope.includes(id) }, root), () => true).map(
    ({ id, level, isReference }) => `${'-'.repeat(level - 1)}${id}${isReference ? '*' : ''}`,
  );

const ALL = [...'abcdefg'];
const graph = graphOf(ALL, ['ba', 'cb', 'da', 'ed', 'ef', 'g-a']);

test('[CON14] the outline shows the tasks that meet the filter, and those above them', () => {
  expect(rowsOf(graph, ['c'], null, ALL)).toEqual(['a', '-b', '--c']);
  expect(rowsOf(graph, ['e', 'f'], null, ALL)).toEqual(['a', '-d', '--e', 'f', '-e*']);
  expect(rowsOf(graph, [], null, ALL)).toEqual([]);
});

test('[CON14] a branch begins with its root, and what only secondary links reach comes after it', () => {
  expect(rowsOf(graph, [...'abcdeg'], 'a')).toEqual(['a', '-b', '--c', '-d', '--e', 'g']);
  expect(rowsOf(graph, ['e'], 'a', [...'abcdeg'])).toEqual(['a', '-d', '--e']);
  // Its home is outside of the branch.
  expect(rowsOf(graph, ['e', 'f'], 'f')).toEqual(['f', '-e']);
});
