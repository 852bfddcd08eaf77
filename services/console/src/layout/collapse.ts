// The part of a graph that shows while branches are collapsed. A node is hidden if everything that
// waits for it is collapsed or hidden; its links lead to the collapsed nodes above it instead.
// Rule: CON21.
import { adjacencyOf, at, type GraphArrays, topologicalOrder } from './graph-arrays.ts';
import { createLinkBundle, type LinkBundle } from './link-bundle.ts';

/**
 * The shown nodes by their places in `nodes`, and the links between them. A link stands for several if
 * a hidden node is at their ends.
 */
export interface CollapsedGraph extends LinkBundle {
  /** The numbers of the shown nodes in the whole graph, in its order. */
  readonly nodes: Int32Array;
  /** The number of hidden nodes below each shown node. */
  readonly hiddenBelow: Int32Array;
}

/** `types` is 0 for the primary links, which make up branches; `collapsed` is 1 for collapsed nodes. */
export function collapseGraph(graph: GraphArrays, types: Uint8Array, collapsed: Uint8Array): CollapsedGraph {
  const above = collapsedAbove(graph, types, collapsed);
  const shown: number[] = [];
  const placeOf = new Int32Array(graph.count).fill(-1);
  for (let node = 0; node < graph.count; node++) if (above[node] === undefined) placeOf[node] = shown.push(node) - 1;
  const hiddenBelow = new Int32Array(shown.length);
  for (const owners of above) {
    for (const owner of owners ?? []) {
      const place = at(placeOf, owner);
      hiddenBelow[place] = at(hiddenBelow, place) + 1;
    }
  }
  return { nodes: Int32Array.from(shown), hiddenBelow, ...linksBetween(graph, types, { above, placeOf, shown }) };
}

/** Cards that stand for one hidden node. A node below more of them shows its links at the first ones. */
const MOST_OWNERS = 8;

/**
 * The shown collapsed nodes above each hidden node; undefined for a shown one. In a cycle of links
 * that are not confirmed, nodes may show that would be hidden.
 */
function collapsedAbove(
  { count, sources, targets }: GraphArrays,
  types: Uint8Array,
  collapsed: Uint8Array,
): (readonly number[] | undefined)[] {
  const isPrimary = (_: number, link: number) => types[link] === 0;
  const [from, to] = [sources.filter(isPrimary), targets.filter(isPrimary)];
  const { order } = topologicalOrder({ count, sources: from, targets: to });
  const { offsets, items } = adjacencyOf(count, from, to);
  const above: (readonly number[] | undefined)[] = new Array(count);
  // From the last node back: what waits for a node comes before it.
  for (let place = count - 1; place >= 0; place--) {
    const node = at(order, place);
    const parents = items.subarray(at(offsets, node), at(offsets, node + 1));
    if (parents.length === 0 || parents.some((parent) => above[parent] === undefined && collapsed[parent] !== 1))
      continue;
    const owners = new Set<number>();
    for (const parent of parents) {
      for (const owner of above[parent] ?? [parent]) if (owners.size < MOST_OWNERS) owners.add(owner);
    }
    above[node] = [...owners];
  }
  return above;
}

interface NodePlaces {
  readonly above: readonly (readonly number[] | undefined)[];
  readonly placeOf: Int32Array;
  readonly shown: readonly number[];
}

function linksBetween(graph: GraphArrays, types: Uint8Array, { above, placeOf, shown }: NodePlaces): LinkBundle {
  const links = createLinkBundle(shown.length);
  for (let link = 0; link < graph.sources.length; link++) {
    const [source, target] = [at(graph.sources, link), at(graph.targets, link)];
    const [from, to] = [above[source] ?? [source], above[target] ?? [target]];
    for (const one of from) {
      for (const other of to) {
        // A link within a collapsed branch does not show.
        if (from.includes(other) || to.includes(one)) continue;
        links.add(at(placeOf, one), at(placeOf, other), types[link] ?? 0);
      }
    }
  }
  return links.bundle();
}
