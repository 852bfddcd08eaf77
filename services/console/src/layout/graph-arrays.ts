// A directed graph in typed arrays, so that a layout of 20,000 nodes allocates little and travels to
// a worker without a copy.

/** Nodes are numbers from 0 to `count - 1`; link `i` goes from `sources[i]` to `targets[i]`. */
export interface GraphArrays {
  readonly count: number;
  readonly sources: Int32Array;
  readonly targets: Int32Array;
}

/** The neighbours of node `n` are `items[offsets[n]]` up to `items[offsets[n + 1]]`, exclusive. */
export interface Adjacency {
  readonly offsets: Int32Array;
  readonly items: Int32Array;
}

/** The neighbours of each node in the order of the links. `from` and `to` have the same length. */
export function adjacencyOf(count: number, from: Int32Array, to: Int32Array): Adjacency {
  const offsets = new Int32Array(count + 1);
  for (const node of from) offsets[node + 1] = at(offsets, node + 1) + 1;
  for (let node = 0; node < count; node++) offsets[node + 1] = at(offsets, node + 1) + at(offsets, node);
  const next = offsets.slice();
  const items = new Int32Array(from.length);
  for (let link = 0; link < from.length; link++) {
    const node = at(from, link);
    const place = at(next, node);
    items[place] = at(to, link);
    next[node] = place + 1;
  }
  return { offsets, items };
}

/** An element that exists by construction; the compiler cannot know that. */
export function at(array: Int32Array | Float64Array, index: number): number {
  return array[index] as number;
}

/**
 * All nodes in an order in which sources come before their targets; equal ones by number. The
 * service refuses cycles, but a page may combine links of different times: a cycle is cut at its
 * node with the lowest number, and `positionOf[source] > positionOf[target]` for the cut links.
 */
export function topologicalOrder({ count, sources, targets }: GraphArrays): {
  readonly order: Int32Array;
  readonly positionOf: Int32Array;
} {
  const outgoing = adjacencyOf(count, sources, targets);
  const missing = new Int32Array(count);
  for (const target of targets) missing[target] = at(missing, target) + 1;
  const order = new Int32Array(count);
  const positionOf = new Int32Array(count).fill(-1);
  let length = 0;
  const append = (node: number) => {
    positionOf[node] = length;
    order[length++] = node;
  };
  for (let node = 0; node < count; node++) if (missing[node] === 0) append(node);
  let [read, lowest] = [0, 0];
  while (length < count || read < length) {
    if (read === length) {
      while (positionOf[lowest] !== -1) lowest++;
      append(lowest);
    }
    const node = at(order, read++);
    for (let index = at(outgoing.offsets, node); index < at(outgoing.offsets, node + 1); index++) {
      const target = at(outgoing.items, index);
      missing[target] = at(missing, target) - 1;
      if (missing[target] === 0 && positionOf[target] === -1) append(target);
    }
  }
  return { order, positionOf };
}

/** The number of the connected component of each node, from 0 by the lowest node in each. */
export function componentsOf({ count, sources, targets }: GraphArrays): {
  readonly componentOf: Int32Array;
  readonly components: number;
} {
  const parent = Int32Array.from({ length: count }, (_, node) => node);
  const rootOf = (node: number): number => {
    let root = node;
    while (at(parent, root) !== root) {
      parent[root] = at(parent, at(parent, root));
      root = at(parent, root);
    }
    return root;
  };
  for (let link = 0; link < sources.length; link++) {
    const [one, other] = [rootOf(at(sources, link)), rootOf(at(targets, link))];
    // The lower number becomes the root, so that the result does not depend on the order of links.
    if (one < other) parent[other] = one;
    else parent[one] = other;
  }
  const componentOf = new Int32Array(count);
  let components = 0;
  for (let node = 0; node < count; node++) {
    const root = rootOf(node);
    componentOf[node] = root === node ? components++ : at(componentOf, root);
  }
  return { componentOf, components };
}
