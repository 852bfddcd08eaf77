// How many calls of sockets are worked on at once in a gateway, and how many of these are one
// socket's. Rules: WIRE1.
//
// Calls beyond what the workers can do wait, and waiting costs: memory, its garbage collection,
// late answers. So all sockets share a bound, and each may have as many calls under way as are left
// of it. While answers come, sockets that ask for all that they can get have about the same each,
// and as much is left for one more.

interface Bounds {
  /** Calls of one socket. */
  readonly ofOne: number;
  /** Calls of all sockets; past it each still has its `always`. */
  readonly ofAll: number;
  /**
   * Calls that each socket may have under way whatever others do, so that thousands with one or two
   * each lose nothing.
   */
  readonly always: number;
}

export const CALLS: Bounds = { ofOne: 256, ofAll: 2_048, always: 8 };

/**
 * Why there is no room: `full`: the socket has all that one can have; `busy`: all sockets together
 * leave it no more.
 */
export type NoRoom = 'busy' | 'full';

export interface CallRoom {
  /** Why a socket with so many calls under way can't have one more; null where it can. */
  lacking(calls: number): NoRoom | null;
  /** Counts one more, of whichever socket. */
  take(): void;
  /** Counts one less. */
  give(): void;
  /** Counts a call that found no room. */
  refuse(why: NoRoom): void;
  underWay(): number;
  /** How many calls found no room so far. */
  readonly refused: Readonly<Record<NoRoom, number>>;
}

export function createCallRoom({ ofOne, ofAll, always }: Bounds = CALLS): CallRoom {
  let all = 0;
  const refused = { busy: 0, full: 0 };
  return {
    refused,
    underWay: () => all,
    lacking(calls) {
      if (calls >= ofOne) return 'full';
      return calls < Math.max(always, ofAll - all) ? null : 'busy';
    },
    refuse(why) {
      refused[why]++;
    },
    take() {
      all++;
    },
    give() {
      all--;
    },
  };
}
