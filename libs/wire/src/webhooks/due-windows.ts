// The windows of due dates: a search ends at the end of one. So the nodes of a message do not depend on the moment of
// the search, which may depend on nodes that the user does not see. Rules: HOOK2, HOOK5.

/** A window ends this long after the last one: a millisecond after a full minute, which is a usual due date. */
const WINDOW_MS = 60_000;

/** The end of the last window that is over at this time, milliseconds: the dates in it are before its end. */
export function lastWindowEnd(ms: number): number {
  return Math.floor((ms - 1) / WINDOW_MS) * WINDOW_MS + 1;
}

/** The end of the window in which this time is, milliseconds. */
export function endOfWindowAt(ms: number): number {
  return Math.ceil(ms / WINDOW_MS) * WINDOW_MS + 1;
}
