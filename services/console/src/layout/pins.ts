// The cards that readers have put into place: they stay there, and the others make room. Rule: CON22.
import { at } from './graph-arrays.ts';
import { CARD_WIDTH, COLUMN_WIDTH, type PinnedPlaces } from './rows.ts';

/** The pinned nodes and the centres of their cards, in pixels. */
export interface Pins {
  readonly nodes: Int32Array;
  readonly xs: Float64Array;
  readonly ys: Float64Array;
}

export const NO_PINS: Pins = { nodes: new Int32Array(0), xs: new Float64Array(0), ys: new Float64Array(0) };

/** A pin farther from the origin, in pixels, does not count. */
export const FARTHEST_PIN = 1_000_000;

const PIXELS_BETWEEN = 20;

/** The column in which a card at `x` counts. */
export function columnAt(x: number): number {
  return Math.round(x / COLUMN_WIDTH);
}

export function pinnedPlaces({ nodes, xs }: Pins): PinnedPlaces {
  const pinned = new Set(nodes);
  const columns = new Map<number, number[]>();
  const reach = CARD_WIDTH + PIXELS_BETWEEN;
  nodes.forEach((node, index) => {
    const last = Math.floor((at(xs, index) + reach) / COLUMN_WIDTH);
    for (let column = Math.ceil((at(xs, index) - reach) / COLUMN_WIDTH); column <= last; column++) {
      columns.set(column, [...(columns.get(column) ?? []), node]);
    }
  });
  return { has: (node) => pinned.has(node), inColumn: (column) => columns.get(column) ?? [] };
}
