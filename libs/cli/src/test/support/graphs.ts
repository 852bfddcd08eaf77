// Small graphs for tests.
import type { Entity } from '@taskgraph/client';
import { type Graph, graphOf } from '../../graph/graph.ts';

/** A new node with an id derived from its number. */
function nodeOf(number: number, fields: Readonly<Record<string, unknown>>): Entity {
  const id = `01985f0e-0000-7000-8000-${(0xa1b2c3_000000 + number).toString(16).padStart(12, '0')}`;
  return {
    id,
    version: 1,
    status: 0,
    tags: [],
    description: '',
    dueDate: null,
    priority: 0,
    volume: 0,
    title: '',
    ...fields,
  };
}

/** Builds ann's graph of nodes with titles, and links as pairs of titles: source, target. */
export function graphWith(
  nodes: readonly (Readonly<Record<string, unknown>> & { readonly title: string })[],
  links: readonly (readonly [source: string, target: string, type?: number])[] = [],
): Graph {
  const made = nodes.map((fields, index) => nodeOf(index + 1, fields));
  const idOf = (title: string) => made.find((node) => node.title === title)?.id;
  const joined = links.map(([source, target, type = 0], index) => ({
    id: `link-${index}`,
    version: 1,
    source: idOf(source),
    target: idOf(target),
    type,
  }));
  return graphOf(made, joined, 'ann');
}
