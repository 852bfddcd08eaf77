// The graph of a file in a short form for comparisons in tests.
import type { TransferGraph } from '../../transfer/graph/transfer-graph.ts';

/** Nodes by their titles with some of their fields, links as pairs of titles, and losses. */
export function shownGraph(graph: TransferGraph, ...fields: (keyof TransferGraph['nodes'][number])[]) {
  const titleOf = (key: string) => graph.nodes.find((node) => node.key === key)?.title;
  return {
    nodes: graph.nodes.map((node) => [node.title, ...fields.map((field) => node[field])]),
    links: graph.links.map(
      ({ source, target, type }) => `${titleOf(source)} ${type === 0 ? '→' : '⇢'} ${titleOf(target)}`,
    ),
    leftOut: graph.leftOut.map(({ what, count }) => `${count} ${what}`),
  };
}
