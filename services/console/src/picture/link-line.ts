// The line of a link, for the canvas and for exports.
import { at } from '../layout/graph-arrays.ts';
import { CARD_WIDTH, COLUMN_WIDTH } from '../layout/rows.ts';
import type { PlacedScene } from './scene.ts';

/** Draws a line from one point to the next, in pixels of the picture. */
export interface LinePen {
  start(x: number, y: number): void;
  step(x: number, y: number, nextX: number, nextY: number): void;
}

/** Follows a link from the right edge of its source through its bends to the left edge of its target. */
export function followLink({ graph, layout }: PlacedScene, link: number, pen: LinePen): void {
  const [source, target] = [at(graph.sources, link), at(graph.targets, link)];
  let x = at(layout.xs, source) + CARD_WIDTH / 2;
  let y = at(layout.rows, source);
  pen.start(x, y);
  const step = (nextX: number, nextY: number) => {
    pen.step(x, y, nextX, nextY);
    [x, y] = [nextX, nextY];
  };
  const first = at(layout.bendOffsets, link);
  const bends = at(layout.bendOffsets, link + 1) - first;
  for (let bend = 0; bend < bends; bend++) {
    const centre = (at(layout.columns, source) + 1 + bend) * COLUMN_WIDTH;
    const row = at(layout.bendRows, first + bend);
    step(centre - CARD_WIDTH / 2, row);
    step(centre + CARD_WIDTH / 2, row);
  }
  step(at(layout.xs, target) - CARD_WIDTH / 2, at(layout.rows, target));
}
