// Pointers on the picture: one drags the world, two also zoom it, and a press without a move is a
// click.
import type { Point } from './camera.ts';

interface Moves {
  pan(dx: number, dy: number): void;
  zoom(factor: number, at: Point): void;
  click(at: Point): void;
}

/** A press that moves less is a click. */
export const CLICK_PIXELS = 4;
const ZOOM_A_PIXEL = 0.0015;
/** A wheel that counts lines instead of pixels. */
const PIXELS_A_LINE = 16;

/** Follows pointers and the wheel over an element. Returns a function that ends this. */
export function followPointers(element: HTMLElement, moves: Moves): () => void {
  const pressed = new Map<number, Point>();
  let travelled = 0;
  const ending = new AbortController();
  const { signal } = ending;

  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const distanceTo = (one: Point, others: Iterable<Point>): number => {
    for (const other of others) if (other !== one) return Math.hypot(one.x - other.x, one.y - other.y);
    return 0;
  };

  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || !movesWorld(event)) return;
      if (pressed.size === 0) travelled = 0;
      pressed.set(event.pointerId, pointOf(event));
      element.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      const last = pressed.get(event.pointerId);
      if (last === undefined) return;
      const next = pointOf(event);
      const before = distanceTo(last, pressed.values());
      pressed.set(event.pointerId, next);
      const after = distanceTo(next, pressed.values());
      const [dx, dy] = [(next.x - last.x) / pressed.size, (next.y - last.y) / pressed.size];
      travelled += Math.hypot(dx, dy);
      moves.pan(dx, dy);
      if (before > 0 && after > 0) moves.zoom(after / before, next);
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (pressed.delete(event.pointerId) && pressed.size === 0 && travelled < CLICK_PIXELS)
        moves.click(pointOf(event));
    },
    { signal },
  );
  element.addEventListener('pointercancel', ({ pointerId }) => void pressed.delete(pointerId), { signal });
  element.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : PIXELS_A_LINE;
      if (event.shiftKey) moves.pan(-(event.deltaX || event.deltaY) * unit, 0);
      else moves.zoom(Math.exp(-event.deltaY * unit * ZOOM_A_PIXEL), pointOf(event));
    },
    { signal, passive: false },
  );
  return () => ending.abort();
}

/** A finger moves the world also on a card; a mouse moves the card. */
function movesWorld({ target, pointerType }: PointerEvent): boolean {
  const element = target as Element;
  if (pointerType === 'touch' && element.closest('.card') !== null) return true;
  return element.closest('button, a, form, .port') === null;
}
