// Counts how often the code under test waits for another turn of the event loop (storage/next-turn.ts).
import { vi } from 'vitest';

/** The returned function gives the number of waits since this call. Ends with `vi.unstubAllGlobals`. */
export function countTurns(): () => number {
  let turns = 0;
  class CountedChannel extends MessageChannel {
    constructor() {
      super();
      turns++;
    }
  }
  vi.stubGlobal('MessageChannel', CountedChannel);
  return () => turns;
}
