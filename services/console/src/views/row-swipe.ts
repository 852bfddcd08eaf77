// A swipe along a row on a touch screen: it acts when the finger leaves far enough from where it came.
import { type PointerEvent, useRef, useState } from 'react';
import { isRightToLeft } from '../language.ts';

/** CSS pixels of a swipe that acts. */
const ACTING_PX = 96;
/** CSS pixels of a movement that is a swipe, and no tap. */
const FIRST_PX = 12;
const ALONG = isRightToLeft ? -1 : 1;

interface RowSwipe {
  /** How far the row has moved along the line, in CSS pixels; 0 without a swipe. */
  readonly offset: number;
  /** Whether it acts if the finger leaves now. */
  readonly acts: boolean;
  readonly handlers: {
    onPointerDown(event: PointerEvent): void;
    onPointerMove(event: PointerEvent): void;
    onPointerUp(event: PointerEvent): void;
    onPointerCancel(event: PointerEvent): void;
  };
}

/** A swipe along the line acts, to the right in English. The browser scrolls up and down itself, and then cancels the pointer. */
export function useRowSwipe(act: (() => void) | null): RowSwipe {
  const press = useRef<{ readonly pointer: number; readonly x: number } | null>(null);
  const [offset, setOffset] = useState(0);
  /** Null for another finger. */
  const moved = ({ pointerId, clientX }: PointerEvent) =>
    press.current?.pointer === pointerId ? Math.max(0, (clientX - press.current.x) * ALONG) : null;
  const end = () => {
    press.current = null;
    setOffset(0);
  };
  return {
    offset,
    acts: offset >= ACTING_PX,
    handlers: {
      onPointerDown(event) {
        // Two fingers are no swipe.
        if (press.current !== null) return end();
        const { pointerType, isPrimary, pointerId: pointer, clientX: x } = event;
        if (act !== null && pointerType === 'touch' && isPrimary) press.current = { pointer, x };
      },
      onPointerMove(event) {
        const distance = moved(event);
        if (distance === null) return;
        if (offset === 0 && distance < FIRST_PX) return;
        // The movement no longer belongs to the link or button below the finger.
        if (offset === 0) event.currentTarget.setPointerCapture(event.pointerId);
        setOffset(Math.max(1, distance));
      },
      onPointerUp(event) {
        const distance = moved(event);
        if (distance === null) return;
        end();
        if (distance >= ACTING_PX) act?.();
      },
      onPointerCancel(event) {
        if (moved(event) !== null) end();
      },
    },
  };
}
