// A swipe along a row on a touch screen: it acts when the finger leaves far enough from where it came.
import { type PointerEvent, useRef, useState } from 'react';

/** CSS pixels of a swipe that acts. */
const ACTING_PX = 96;
/** CSS pixels of a movement that is a swipe, and no tap. */
const FIRST_PX = 12;

interface RowSwipe {
  /** How far the row has moved, CSS pixels to the right; 0 without a swipe. */
  readonly offset: number;
  /** Whether it acts if the finger leaves now. */
  readonly acts: boolean;
  readonly handlers: {
    onPointerDown(event: PointerEvent): void;
    onPointerMove(event: PointerEvent): void;
    onPointerUp(event: PointerEvent): void;
    onPointerCancel(): void;
  };
}

/** A swipe to the right acts. The browser scrolls up and down itself, and then cancels the pointer. */
export function useRowSwipe(act: (() => void) | null): RowSwipe {
  const start = useRef<number | null>(null);
  const [offset, setOffset] = useState(0);
  const moved = (event: PointerEvent) => Math.max(0, event.clientX - (start.current ?? event.clientX));
  const end = () => {
    start.current = null;
    setOffset(0);
  };
  return {
    offset,
    acts: offset >= ACTING_PX,
    handlers: {
      onPointerDown(event) {
        if (act !== null && event.pointerType === 'touch' && event.isPrimary) start.current = event.clientX;
      },
      onPointerMove(event) {
        if (start.current === null) return;
        const distance = moved(event);
        if (offset === 0 && distance < FIRST_PX) return;
        // The movement no longer belongs to the link or button below the finger.
        if (offset === 0) event.currentTarget.setPointerCapture(event.pointerId);
        setOffset(Math.max(1, distance));
      },
      onPointerUp(event) {
        const isFar = start.current !== null && moved(event) >= ACTING_PX;
        end();
        if (isFar) act?.();
      },
      onPointerCancel: end,
    },
  };
}
