// Seeded random numbers: the same seed gives the same sequence.
export interface Random {
  /** A number from 0 to below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** One element of a non-empty list. */
  of<T>(several: readonly T[]): T;
  /** True with this probability. */
  chance(share: number): boolean;
}

/** Mulberry32: short, and random enough for schedules. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    of: <T>(several: readonly T[]) => several[between(0, several.length - 1)] as T,
    chance: (share) => next() < share,
  };
}
