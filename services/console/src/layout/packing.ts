// Packs boxes on shelves, so that the whole has about the shape of a screen.

/** Its width in columns, its height in pixels. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

/** Pixels of a unit of each measure. */
interface Units {
  readonly width: number;
  readonly height: number;
}

const SCREEN_RATIO = 1.6;
const COLUMNS_BETWEEN = 1;
const PIXELS_BETWEEN = 80;

/** The upper left corner of each box: highest boxes first, equal ones in their order. */
export function packBoxes(boxes: readonly Box[], units: Units): { column: number; row: number }[] {
  const area = boxes.reduce(
    (sum, { width, height }) =>
      sum + (width + COLUMNS_BETWEEN) * units.width * (height + PIXELS_BETWEEN) * units.height,
    0,
  );
  const widest = boxes.reduce((most, { width }) => Math.max(most, width), 0);
  const shelfWidth = Math.max(widest, Math.round(Math.sqrt(area * SCREEN_RATIO) / units.width));
  const corners = boxes.map(() => ({ column: 0, row: 0 }));
  const order = boxes.map((_, index) => index);
  order.sort((one, other) => (boxes[other] as Box).height - (boxes[one] as Box).height || one - other);
  let [column, row, shelfHeight] = [0, 0, 0];
  for (const index of order) {
    const { width, height } = boxes[index] as Box;
    if (column > 0 && column + width > shelfWidth) {
      [column, row, shelfHeight] = [0, row + shelfHeight + PIXELS_BETWEEN, 0];
    }
    corners[index] = { column, row };
    column += width + COLUMNS_BETWEEN;
    shelfHeight = Math.max(shelfHeight, height);
  }
  return corners;
}
