// The windows of due dates. A search ends at the end of a window, so its time, which hidden nodes may
// delay, does not decide which nodes share a message. Rules: HOOK2, HOOK5.

/** A window ends a millisecond after a full minute, so that dates at full minutes are in it. */
const WINDOW_MS = 60_000;

/** The end of the last window that is over at this time, milliseconds: the dates in it are before its end. */
export function lastWindowEnd(ms: number): number {
  return Math.floor((ms - 1) / WINDOW_MS) * WINDOW_MS + 1;
}

/** The end of the window in which this time is, milliseconds. */
export function endOfWindowAt(ms: number): number {
  return Math.ceil(ms / WINDOW_MS) * WINDOW_MS + 1;
}
