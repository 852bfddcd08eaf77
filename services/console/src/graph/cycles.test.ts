import { expect, test } from 'vitest';
import { cycleOf } from './cycles.ts';
import type { Link } from './task.ts';

/** A graph of links such as `a>b`, or `a~b` for a secondary one. */
function graphOf(...arrows: readonly string[]) {
  const links = arrows.map((id): Link => {
    const [source = '', target = ''] = id.split(/[>~]/);
    return { id, source, target, type: id.includes('~') ? 1 : 0 };
  });
  return { outgoing: (id: string) => links.filter(({ source }) => source === id) };
}

test('[CON9 LNK4] names the shortest cycle that a link would close', () => {
  const graph = graphOf('a>b', 'b>c', 'c>d', 'a>c', 'x>a');
  expect(cycleOf(graph, 'd', 'a')).toEqual(['a', 'c', 'd']);
  expect(cycleOf(graph, 'b', 'a')).toEqual(['a', 'b']);
  expect(cycleOf(graph, 'a', 'a')).toEqual(['a']);
});

test('[CON9 LNK4] a link in the direction of others closes none, and secondary links do not count', () => {
  const graph = graphOf('a>b', 'b>c', 'c~d');
  expect(cycleOf(graph, 'a', 'c')).toBeNull();
  expect(cycleOf(graph, 'd', 'a')).toBeNull();
  expect(cycleOf(graph, 'z', 'a')).toBeNull();
});

test('the walk ends in a large graph, and in links that form a cycle for the moment', () => {
  const chain = { outgoing: (id: string): Link[] => [{ id, source: id, target: String(Number(id) + 1), type: 0 }] };
  expect(cycleOf(chain, 'none', '0')).toBeNull();
  expect(cycleOf(graphOf('a>b', 'b>a'), 'z', 'a')).toBeNull();
});
