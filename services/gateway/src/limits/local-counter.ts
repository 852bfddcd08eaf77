// Counts calls in this gateway alone, while Redis is away. Rule: LIM3.
import { LRUCache } from 'lru-cache';

/**
 * Past it, the least recently used window is dropped, so that many addresses cannot fill the
 * memory.
 */
const MAXIMUM_WINDOWS = 100_000;

/** A caller's count after a call. */
export interface WindowCount {
  /** Calls in the present window, including this one. */
  readonly used: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

interface Window {
  used: number;
  readonly endsMs: number;
}

/**
 * Counts a call of some weight for a key. A window starts with its first call. `nowMs` is
 * milliseconds since 1970.
 */
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

/** One gateway's share of a limit while it counts alone: at least one call. */
export function shareOf(points: number, gateways: number): number {
  return Math.max(1, Math.floor(points / gateways));
}
