// The graph as the picture needs it: nodes and links by number, in typed arrays, and the last layout
// by id. A change of a node's fields costs as much as the node; a change of the structure numbers
// everything anew.
import type { Entity } from '@taskgraph/client';
import { linkOf, type Task, taskOf } from '../graph/task.ts';
import type { GraphArrays } from '../layout/graph-arrays.ts';
import { type EarlierPositions, type Layout, NO_COLUMN } from '../layout/layout.ts';

/** Nodes and links by number. Links with an invisible end are left out. */
export interface Scene {
  readonly ids: readonly string[];
  readonly numberOf: ReadonlyMap<string, number>;
  /** Undefined for a node that is removed since the layout. */
  readonly tasks: (Task | undefined)[];
  readonly graph: GraphArrays;
  /** 0 for primary links, as the service stores them. */
  readonly types: Uint8Array;
}

export interface PlacedScene extends Scene {
  readonly layout: Layout;
}

interface VisibleGraph {
  readonly nodes: ReadonlyMap<string, Entity>;
  readonly links: ReadonlyMap<string, Entity>;
}

/**
 * Numbers nodes and links by id, so that the same graph has the same picture in each browser.
 */
export function sceneOf({ nodes, links }: VisibleGraph): Scene {
  const ids = [...nodes.keys()].sort();
  const numberOf = new Map(ids.map((id, number) => [id, number]));
  const shown = [...links.values()]
    .map(linkOf)
    .filter(({ source, target }) => numberOf.has(source) && numberOf.has(target));
  shown.sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    ids,
    numberOf,
    tasks: ids.map((id) => taskOf(nodes.get(id) as Entity)),
    graph: {
      count: ids.length,
      sources: Int32Array.from(shown, ({ source }) => numberOf.get(source) as number),
      targets: Int32Array.from(shown, ({ target }) => numberOf.get(target) as number),
    },
    types: Uint8Array.from(shown, ({ type }) => type),
  };
}

/** The positions of the nodes of `scene` in an earlier picture. */
export function earlierPositions({ ids }: Scene, earlier: PlacedScene | null): EarlierPositions {
  const columns = new Int32Array(ids.length).fill(NO_COLUMN);
  const rows = new Float64Array(ids.length).fill(Number.NaN);
  if (earlier === null) return { columns, rows };
  ids.forEach((id, number) => {
    const before = earlier.numberOf.get(id);
    if (before === undefined) return;
    columns[number] = earlier.layout.columns[before] as number;
    rows[number] = earlier.layout.rows[before] as number;
  });
  return { columns, rows };
}
