// The rows of a long table: those in view and the active one are elements, and gaps replace the
// others. All rows of a table have the same height.
import { type RefObject, useEffect, useRef, useState } from 'react';
import { messages } from '../messages/messages.ts';
import { usePixels } from '../parts/pixels.ts';
import { useIsPrinting } from '../print.ts';

/** Rows above and below the view that are elements too. */
const ROWS_AROUND = 10;
/** Rows on paper, which are elements all at once. */
const MOST_PRINTED = 5_000;

/** A row with an element, or a gap of rows without. */
type Part = { readonly row: number } | { readonly row: null; readonly start: number; readonly rows: number };

interface RowsOptions {
  readonly rows: number;
  /** The height of a row, as in the CSS: it follows the size of letters, which may change meanwhile. */
  readonly rowRem: number;
  /** The row with the focus. */
  readonly active: number;
}

/** The parts of the table for the present position of the scroller. */
export function useRowParts(
  scroller: RefObject<HTMLElement | null>,
  { rows, rowRem, active }: RowsOptions,
): readonly Part[] {
  const [view, setView] = useState({ top: 0, height: 0 });
  const isPrinting = useIsPrinting();
  const rowHeight = usePixels(rowRem);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => {
      const top = Math.floor(element.scrollTop / rowHeight);
      const height = Math.ceil(element.clientHeight / rowHeight);
      setView((before) => (before.top === top && before.height === height ? before : { top, height }));
    };
    look();
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, rowHeight]);
  if (isPrinting) return partsOf([...Array(Math.min(rows, MOST_PRINTED)).keys()], rows);
  const first = Math.max(0, Math.min(rows, view.top - ROWS_AROUND));
  const end = Math.min(rows, view.top + view.height + ROWS_AROUND);
  return partsOf(shownIndexes(first, end, active, rows), rows);
}

/** A row in place of those out of view, as high as all of them. On paper it only has their number. */
export function Gap({ rows, rowRem }: { readonly rows: number; readonly rowRem: number }) {
  if (useIsPrinting()) {
    return (
      <tr>
        <td>{messages.files.notPrinted(rows)}</td>
      </tr>
    );
  }
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row of a table does not take the focus.
  return <tr aria-hidden="true" style={{ blockSize: `${rows * rowRem}rem` }} />;
}

/** The `data-key` of the row in which an event happened; null outside of all rows. */
export function rowKeyAt(target: EventTarget): string | null {
  return (target as Element).closest<HTMLElement>('[data-key]')?.dataset.key ?? null;
}

interface ActiveRow {
  /** Its `data-key`; null until the reader chooses one. */
  readonly key: string | null;
  readonly index: number;
  /** Whether something in the row has the focus instead. */
  readonly isPaused?: boolean;
}

/**
 * Moves the focus and the view to the active row when the reader chooses another one, and when a
 * change of the list has moved it. A focus elsewhere on the page stays there.
 */
export function useActiveRow(
  scroller: RefObject<HTMLElement | null>,
  { key, index, isPaused = false }: ActiveRow,
): void {
  const last = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that moved has lost the focus.
  useEffect(() => {
    const element = scroller.current;
    if (key === null || isPaused || element === null) return;
    const isChosenNow = last.current !== key;
    last.current = key;
    const focused = document.activeElement;
    if (!isChosenNow && focused !== document.body && !element.contains(focused)) return;
    const row = element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (row === null) return;
    if (!row.contains(focused)) row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }, [scroller, key, index, isPaused]);
}

function partsOf(shown: readonly number[], rows: number): Part[] {
  const parts: Part[] = [];
  let start = 0;
  for (const row of [...shown, rows]) {
    if (row > start) parts.push({ row: null, start, rows: row - start });
    if (row < rows) parts.push({ row });
    start = row + 1;
  }
  return parts;
}

function shownIndexes(first: number, end: number, active: number, rows: number): number[] {
  const shown = Array.from({ length: end - first }, (_, index) => first + index);
  if (active < rows && (active < first || active >= end)) shown.push(active);
  return shown.sort((one, other) => one - other);
}
