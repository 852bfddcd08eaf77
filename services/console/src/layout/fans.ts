// Fans: many leaves of one task. A leaf has a single link, a primary one. Of a folded fan the first
// leaves show, and a card stands for the others; a fan that is open has the same card beside all of
// its leaves, which folds it again. Rule: CON38.
import { at, type GraphArrays } from './graph-arrays.ts';

/** Fewer leaves are no fan. */
export const LEAST_LEAVES = 8;
/** The leaves of a folded fan that show. */
export const FIRST_LEAVES = 3;

export interface Fan {
  /** The node whose leaves they are. */
  readonly node: number;
  /** `before`: the node waits for the leaves; `after`: they wait for the node. */
  readonly side: 'before' | 'after';
  /** In the order of their numbers. */
  readonly leaves: readonly number[];
}

/** The part of a graph that shows while fans are folded: its nodes, then a card for each fan. */
export interface FannedGraph {
  /** The numbers of the shown nodes in the given graph, in its order. The cards of fans come after them. */
  readonly nodes: Int32Array;
  readonly graph: GraphArrays;
  /** 0 for primary links. */
  readonly types: Uint8Array;
  /** The number of links for which each link stands; 0 if it only places the card of an open fan. */
  readonly counts: Int32Array;
}

interface LinkedGraph {
  readonly graph: GraphArrays;
  readonly types: Uint8Array;
  readonly counts: Int32Array;
}

/** The fans of a graph, by their nodes. `isLeaf` says whether a node with a single link may be a leaf. */
export function fansOf({ graph, types, counts }: LinkedGraph, isLeaf: (node: number) => boolean): Fan[] {
  const { count, sources, targets } = graph;
  const degrees = new Int32Array(count);
  for (let link = 0; link < types.length; link++) {
    for (const node of [at(sources, link), at(targets, link)]) degrees[node] = at(degrees, node) + 1;
  }
  const fans: Fan[] = [];
  for (const side of ['before', 'after'] as const) {
    const [leaves, nodes] = side === 'before' ? [sources, targets] : [targets, sources];
    const leavesOf = new Map<number, number[]>();
    for (let link = 0; link < types.length; link++) {
      const [leaf, node] = [at(leaves, link), at(nodes, link)];
      if (degrees[leaf] !== 1 || types[link] !== 0 || counts[link] !== 1 || !isLeaf(leaf)) continue;
      const known = leavesOf.get(node);
      if (known === undefined) leavesOf.set(node, [leaf]);
      else known.push(leaf);
    }
    for (const [node, own] of leavesOf) {
      if (own.length >= LEAST_LEAVES) fans.push({ node, side, leaves: own.sort((one, other) => one - other) });
    }
  }
  return fans.sort((one, other) => one.node - other.node);
}

/**
 * Replaces hidden leaves by the cards of their fans. `hidden` has the leaves of each fan for which its
 * card stands, none for an open one. A leaf has one link, so no other card takes part in it.
 */
export function foldFans(
  { graph, types, counts }: LinkedGraph,
  fans: readonly Fan[],
  hidden: readonly (readonly number[])[],
): FannedGraph {
  const isHidden = new Uint8Array(graph.count);
  for (const leaf of hidden.flat()) isHidden[leaf] = 1;
  const placeOf = new Int32Array(graph.count);
  const nodes: number[] = [];
  for (let node = 0; node < graph.count; node++) if (isHidden[node] === 0) placeOf[node] = nodes.push(node) - 1;
  const links: number[] = [];
  for (let link = 0; link < types.length; link++) {
    if (isHidden[at(graph.sources, link)] === 0 && isHidden[at(graph.targets, link)] === 0) links.push(link);
  }
  const total = links.length + fans.length;
  const [sources, targets, kinds, times] = [
    new Int32Array(total),
    new Int32Array(total),
    new Uint8Array(total),
    new Int32Array(total),
  ];
  links.forEach((link, place) => {
    sources[place] = at(placeOf, at(graph.sources, link));
    targets[place] = at(placeOf, at(graph.targets, link));
    kinds[place] = types[link] as number;
    times[place] = at(counts, link);
  });
  fans.forEach(({ node, side }, index) => {
    const [place, card, own] = [links.length + index, nodes.length + index, at(placeOf, node)];
    sources[place] = side === 'before' ? card : own;
    targets[place] = side === 'before' ? own : card;
    times[place] = hidden[index]?.length ?? 0;
  });
  return {
    nodes: Int32Array.from(nodes),
    graph: { count: nodes.length + fans.length, sources, targets },
    types: kinds,
    counts: times,
  };
}

/** The first leaves of a fan by an order, without sorting all of them. */
export function firstLeaves(
  leaves: readonly number[],
  comesBefore: (one: number, other: number) => boolean,
): readonly number[] {
  const first: number[] = [];
  for (const leaf of leaves) {
    const place = first.findIndex((each) => comesBefore(leaf, each));
    if (place >= 0) first.splice(place, 0, leaf);
    else if (first.length < FIRST_LEAVES) first.push(leaf);
    if (first.length > FIRST_LEAVES) first.pop();
  }
  return first;
}
