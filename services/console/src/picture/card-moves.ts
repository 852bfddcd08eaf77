// A pointer that drags a card. The port of a card and touches belong to others: a finger moves the
// world, also on a card.
import { CLICK_PIXELS } from './pointer-moves.ts';

/** A card that follows the pointer. */
export interface CardMove {
  /** By how much it has moved since the press, in pixels. */
  move(dx: number, dy: number): void;
  drop(): void;
  cancel(): void;
}

/** In the bits of the pressed buttons. */
const PRIMARY_BUTTON = 1;

interface Press {
  readonly pointer: number;
  readonly id: string;
  readonly x: number;
  readonly y: number;
  /** Undefined until the pointer has left the place of the press; null if the card cannot be moved. */
  move?: CardMove | null;
}

/**
 * Calls `begin` with the id of a card whose drag begins; null means that it stays. Escape cancels a
 * drag. Returns a function that ends this.
 */
export function followCards(element: HTMLElement, begin: (id: string) => CardMove | null): () => void {
  let press: Press | null = null;
  /** The click after a drag opens nothing. */
  let isDropped = false;
  const ending = new AbortController();
  const { signal } = ending;

  const end = (how: 'drop' | 'cancel') => {
    press?.move?.[how]();
    press = null;
  };
  element.addEventListener(
    'pointerdown',
    ({ target, button, pointerType, pointerId: pointer, clientX: x, clientY: y }) => {
      isDropped = false;
      const id = (target as Element).closest<HTMLElement>('.card[data-task]')?.dataset.task;
      if (press === null && button === 0 && pointerType !== 'touch' && id !== undefined) press = { pointer, id, x, y };
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    ({ pointerId, buttons, clientX, clientY }) => {
      if (press?.pointer !== pointerId) return;
      // The button was released outside of the window.
      if ((buttons & PRIMARY_BUTTON) === 0) return end('cancel');
      const [dx, dy] = [clientX - press.x, clientY - press.y];
      if (press.move === undefined) {
        if (Math.hypot(dx, dy) < CLICK_PIXELS) return;
        press.move = begin(press.id);
        element.setPointerCapture(pointerId);
      }
      press.move?.move(dx, dy);
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    ({ pointerId }) => {
      if (press?.pointer !== pointerId) return;
      isDropped = press.move !== undefined;
      end('drop');
    },
    { signal },
  );
  element.addEventListener('pointercancel', () => end('cancel'), { signal });
  element.addEventListener(
    'click',
    (event) => {
      if (!isDropped) return;
      isDropped = false;
      event.stopPropagation();
    },
    { signal, capture: true },
  );
  addEventListener(
    'keydown',
    (event) => {
      isDropped = false;
      if (event.key !== 'Escape' || press?.move === undefined) return;
      // The panel stays open.
      event.stopImmediatePropagation();
      end('cancel');
      // The button is still pressed, and the click to come opens nothing.
      isDropped = true;
    },
    { signal, capture: true },
  );
  return () => {
    end('cancel');
    ending.abort();
  };
}
