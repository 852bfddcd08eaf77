// Links between nodes that stand for others: all links in one direction between two nodes become one.
import type { GraphArrays } from './graph-arrays.ts';

export interface LinkBundle {
  readonly graph: GraphArrays;
  /** 0 for a link that stands for a primary one. */
  readonly types: Uint8Array;
  /** The number of links for which each link stands. */
  readonly counts: Int32Array;
}

/** Collects links between `count` nodes. The bundles are in the order of their first links. */
export function createLinkBundle(count: number) {
  const placeOf = new Map<number, number>();
  const [sources, targets, types, counts]: [number[], number[], number[], number[]] = [[], [], [], []];
  return {
    add(source: number, target: number, type: number): void {
      const key = source * count + target;
      const place = placeOf.get(key) ?? sources.push(source) - 1;
      placeOf.set(key, place);
      targets[place] = target;
      counts[place] = (counts[place] ?? 0) + 1;
      types[place] = Math.min(types[place] ?? type, type);
    },
    bundle: (): LinkBundle => ({
      graph: { count, sources: Int32Array.from(sources), targets: Int32Array.from(targets) },
      types: Uint8Array.from(types),
      counts: Int32Array.from(counts),
    }),
  };
}
