import fc from 'fast-check';
import { expect, test } from 'vitest';
import { homesOf, type OutlineGraph, outlineRows } from './outline.ts';
import type { Link, Task } from './task.ts';

/** A graph of primary links: `ab` is a link from `a` to `b`, and links are in the order of the list. */
function graphOf(nodes: readonly string[], ends: readonly string[]): OutlineGraph {
  const links = ends.map((text, index): Link => {
    const [source = '', target = ''] = text;
    return { id: `${1_000 + index}`, source, target, type: 0 };
  });
  const [tasks, away] = [new Set(nodes), new Set(links.map(({ source }) => source))];
  return {
    incoming: (id) => links.filter(({ target }) => target === id),
    outgoing: (id) => links.filter(({ source }) => source === id),
    task: (id) => (tasks.has(id) ? ({ id } as Task) : undefined),
    roots: () => nodes.filter((id) => !away.has(id)),
  };
}

const shown = (graph: OutlineGraph, expanded = (_id: string, _level: number) => true) =>
  outlineRows(graph, expanded).map(
    ({ id, level, isReference }) => `${'-'.repeat(level - 1)}${id}${isReference ? '*' : ''}`,
  );

test('[CON8] below each task stand the tasks that it waits for', () => {
  expect(shown(graphOf([...'abcd'], ['ba', 'ca', 'dc']))).toEqual(['a', '-b', '-c', '--d']);
});

test('[CON8] a task of several parents stands in full once, and elsewhere as a reference', () => {
  const graph = graphOf([...'abcd'], ['ca', 'cb', 'dc']);
  expect(shown(graph)).toEqual(['a', '-c', '--d', 'b', '-c*']);
  expect(homesOf(graph, 'd')).toEqual(['a', 'c']);
});

test('[CON8] a cycle of links that are not confirmed ends each walk', () => {
  const graph = graphOf([...'abc'], ['ba', 'cb', 'ac']);
  expect(homesOf(graph, 'a')).toEqual(['b', 'c']);
  expect(homesOf(graph, 'c')).toEqual(['a', 'b']);
  // A scope makes a task of the cycle a root.
  expect(shown({ ...graph, roots: () => ['a'] })).toEqual(['a', '-b', '--c', '---a*']);
});

test('[CON16] a bound on the rows ends the walk', () => {
  const rows = outlineRows(graphOf([...'abcd'], ['ba', 'ca', 'dc']), () => true, 2);
  expect(rows.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('[CON8] only expanded tasks show what is below them', () => {
  const graph = graphOf([...'abcd'], ['ba', 'cb', 'dc']);
  const rows = outlineRows(graph, (_id, level) => level === 1);
  expect(rows.map(({ id, hasChildren, isExpanded }) => [id, hasChildren, isExpanded])).toEqual([
    ['a', true, true],
    ['b', true, false],
  ]);
});

test('[CON8] each task stands in full exactly once, however the graph is linked', () => {
  const nodes = [...'abcdefghij'];
  // Links lead to earlier letters, so there is no circle.
  const link = fc.tuple(fc.nat(9), fc.nat(9)).filter(([one, other]) => one !== other);
  fc.assert(
    fc.property(fc.array(link, { maxLength: 25 }), (pairs) => {
      const ends = pairs.map((pair) => {
        const [low = 0, high = 0] = [...pair].sort((one, other) => one - other);
        return `${nodes[high]}${nodes[low]}`;
      });
      const rows = outlineRows(graphOf(nodes, ends), () => true);
      expect(
        rows
          .filter(({ isReference }) => !isReference)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(nodes);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    }),
  );
});
