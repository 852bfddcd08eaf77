// Counts calls in this gateway alone, for as long as Redis is away. Rule: LIM3.
import { LRUCache } from 'lru-cache';

/** Callers that are remembered; past it those who were longest quiet begin anew, so that a flood of addresses can't fill the memory. */
const MAXIMUM_WINDOWS = 100_000;

/** Where a caller stands after a call. */
export interface WindowCount {
  /** Calls counted in the present window, this one included. */
  readonly used: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

interface Window {
  used: number;
  readonly endsMs: number;
}

/** Counts a call for a key, or one that counts as several, in windows that begin with the first call. `nowMs` is milliseconds since 1970. */
export type CountLocally = (key: string, seconds: number, nowMs: number, weight?: number) => WindowCount;

export function createLocalWindows(): CountLocally {
  const windows = new LRUCache<string, Window>({ max: MAXIMUM_WINDOWS });
  return (key, seconds, nowMs, weight = 1) => {
    let window = windows.get(key);
    if (window === undefined || window.endsMs <= nowMs) {
      window = { used: 0, endsMs: nowMs + seconds * 1_000 };
      windows.set(key, window);
    }
    window.used += weight;
    return { used: window.used, resetMs: window.endsMs - nowMs };
  };
}

/** The share of a limit that one of several gateways gives while it can't ask the others: at least one call. */
export function shareOf(points: number, gateways: number): number {
  return Math.max(1, Math.floor(points / gateways));
}
