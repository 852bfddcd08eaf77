// How many calls of sockets are worked on at once in a gateway, and how many of these are one socket's. Rules: WIRE1.
//
// Calls beyond what the workers can do wait, and what waits costs time: it is kept, collected and answered late. So all sockets share a
// bound, and each may have as many calls under way as are free of it. However many sockets ask for all that they can, as much is left free
// as each of them has, so that another socket finds room at once.

interface Bounds {
  /** Calls of one socket. */
  readonly ofOne: number;
  /** Calls of all sockets; past it each still has its `always`. */
  readonly ofAll: number;
  /** Calls that each socket may have under way whatever others do: then thousands of them that have one or two lose nothing. */
  readonly always: number;
}

export const CALLS: Bounds = { ofOne: 256, ofAll: 2_048, always: 8 };

/** `full`: the socket has all that one can have. `busy`: others leave no more. */
export type Room = 'free' | 'busy' | 'full';

export interface CallRoom {
  /** Whether a socket with so many calls under way may have one more. */
  of(calls: number): Room;
  /** Counts one more, of whichever socket. */
  take(): void;
  /** Counts one less. */
  give(): void;
}

export function createCallRoom({ ofOne, ofAll, always }: Bounds = CALLS): CallRoom {
  let all = 0;
  return {
    of(calls) {
      if (calls >= ofOne) return 'full';
      return calls < Math.max(always, ofAll - all) ? 'free' : 'busy';
    },
    take() {
      all++;
    },
    give() {
      all--;
    },
  };
}
