// The top-level branches of a graph, for its picture from far away. Each node is in one of them: in
// that of the task below which it stands in full in the outline. Rule: CON23.
import { adjacencyOf, at, type GraphArrays } from './graph-arrays.ts';
import { createLinkBundle, type LinkBundle } from './link-bundle.ts';

/** The branches as nodes, with one link for all links in the same direction between two of them. */
export interface Branches extends LinkBundle {
  /** The branch of each node. */
  readonly branchOf: Int32Array;
  /** The top node of each branch; -1 for the last one if it holds the nodes of all small branches. */
  readonly tops: readonly number[];
}

/** A single task at the top is a branch of its own, and the branches below it are shown. */
const MOST_LEVELS = 5;
const REST = -1;

/** At most `most` branches. The links are in order of their ids; `types` is 0 for primary ones. */
export function branchesOf(graph: GraphArrays, types: Uint8Array, most: number): Branches {
  const homes = homesOf(graph, types);
  const tops = topsOf(homes);
  const { branchOf, sizes } = assignNodes(homes, tops);
  const branches = largest({ branchOf, sizes, tops }, most);
  return { ...branches, ...linksBetween(graph, types, branches) };
}

/** The target of the first primary link that leads away from each node; -1 without one. */
function homesOf({ count, sources, targets }: GraphArrays, types: Uint8Array): Int32Array {
  const homes = new Int32Array(count).fill(-1);
  for (let link = sources.length - 1; link >= 0; link--) {
    if (types[link] === 0) homes[at(sources, link)] = at(targets, link);
  }
  return homes;
}

function topsOf(homes: Int32Array): number[] {
  const [inside, ends] = [new Int32Array(homes.length), new Int32Array(homes.length)];
  let [count, tops]: [number, number[]] = [0, []];
  for (let node = 0; node < homes.length; node++) {
    const home = at(homes, node);
    if (home < 0) tops.push(node);
    else {
      inside[count] = node;
      ends[count++] = home;
    }
  }
  const { offsets, items } = adjacencyOf(homes.length, ends.subarray(0, count), inside.subarray(0, count));
  const singles: number[] = [];
  for (let level = 0; level < MOST_LEVELS && tops.length === 1; level++) {
    const [top = 0] = tops;
    const below = items.subarray(at(offsets, top), at(offsets, top + 1));
    if (below.length === 0) break;
    singles.push(top);
    tops = [...below];
  }
  return [...singles, ...tops];
}

interface Assignment {
  readonly branchOf: Int32Array;
  /** The number of nodes of each branch; the last one is without a top, for nodes in a circle. */
  readonly sizes: Int32Array;
}

function assignNodes(homes: Int32Array, tops: readonly number[]): Assignment {
  const branchOf = new Int32Array(homes.length).fill(REST);
  const isKnown = new Uint8Array(homes.length);
  tops.forEach((top, branch) => {
    branchOf[top] = branch;
    isKnown[top] = 1;
  });
  const sizes = new Int32Array(tops.length + 1);
  const path: number[] = [];
  for (let start = 0; start < homes.length; start++) {
    let node = start;
    while (node >= 0 && isKnown[node] === 0) {
      // A circle of links that are not confirmed ends here.
      isKnown[node] = 1;
      path.push(node);
      node = at(homes, node);
    }
    const branch = node < 0 ? REST : at(branchOf, node);
    for (const each of path) branchOf[each] = branch;
    path.length = 0;
    const own = at(branchOf, start);
    const index = own === REST ? tops.length : own;
    sizes[index] = at(sizes, index) + 1;
  }
  return { branchOf, sizes };
}

/** The largest branches in their order, then one for all other nodes if there are any. */
function largest(
  { branchOf, sizes, tops }: Assignment & { readonly tops: readonly number[] },
  most: number,
): { readonly branchOf: Int32Array; readonly tops: readonly number[] } {
  const hasRest = tops.length > most || at(sizes, tops.length) > 0;
  const bySize = tops.map((_, branch) => branch).sort((one, other) => at(sizes, other) - at(sizes, one) || one - other);
  const chosen = bySize.slice(0, hasRest ? most - 1 : most).sort((one, other) => one - other);
  const placeOf = new Int32Array(tops.length).fill(chosen.length);
  chosen.forEach((branch, place) => {
    placeOf[branch] = place;
  });
  return {
    branchOf: branchOf.map((branch) => (branch === REST ? chosen.length : at(placeOf, branch))),
    tops: [...chosen.map((branch) => tops[branch] as number), ...(hasRest ? [REST] : [])],
  };
}

function linksBetween(
  { sources, targets }: GraphArrays,
  types: Uint8Array,
  { branchOf, tops }: Pick<Branches, 'branchOf' | 'tops'>,
): LinkBundle {
  const links = createLinkBundle(tops.length);
  for (let link = 0; link < sources.length; link++) {
    const [source, target] = [at(branchOf, at(sources, link)), at(branchOf, at(targets, link))];
    if (source !== target) links.add(source, target, types[link] ?? 0);
  }
  return links.bundle();
}
