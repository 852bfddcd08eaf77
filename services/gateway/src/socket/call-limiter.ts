// Bounds the socket calls in progress, of one socket and of the whole gateway. Rule: WIRE1.
//
// Calls beyond the workers' capacity wait, which costs memory and time. So all sockets share one
// bound, and each may use as many calls as the others leave free. While answers arrive, busy
// sockets settle at about equal shares, and a new socket finds a share as well.

interface CallBounds {
  /** Calls of one socket. */
  readonly ofOne: number;
  /** Calls of all sockets; past it, each socket still has its `always`. */
  readonly ofAll: number;
  /** Calls that each socket always has, so that thousands with one or two calls lose nothing. */
  readonly always: number;
}

export const CALLS: CallBounds = { ofOne: 256, ofAll: 2_048, always: 8 };

/**
 * `full`: the socket has as many calls as one can have. `busy`: the other sockets leave it no more.
 */
export type CallRefusalReason = 'busy' | 'full';

export interface CallLimiter {
  /** Why a socket with this many calls in progress cannot make another; null if it can. */
  refusalOf(calls: number): CallRefusalReason | null;
  /** Counts a call of any socket until `end`. */
  begin(): void;
  end(): void;
  /** Counts a refused call. */
  countRefusal(reason: CallRefusalReason): void;
  underWay(): number;
  /** Refused calls so far. */
  readonly refused: Readonly<Record<CallRefusalReason, number>>;
}

export function createCallLimiter({ ofOne, ofAll, always }: CallBounds = CALLS): CallLimiter {
  let all = 0;
  const refused = { busy: 0, full: 0 };
  return {
    refused,
    underWay: () => all,
    refusalOf(calls) {
      if (calls >= ofOne) return 'full';
      return calls < Math.max(always, ofAll - all) ? null : 'busy';
    },
    countRefusal(reason) {
      refused[reason]++;
    },
    begin() {
      all++;
    },
    end() {
      all--;
    },
  };
}
