// Creates ids that ascend in time and contain a routing slot (libs/wire, ids).
import { randomInt, randomBytes as systemRandomBytes } from 'node:crypto';
import { composeId, SLOTS } from '@taskgraph/wire/ids';

const COUNTER_LIMIT = 1 << 14;
const RANDOM_BYTES_PER_ID = 6;
const POOL_BYTES = 4096;

interface IdSources {
  /** Milliseconds since 1970; defaults to the system's clock. */
  nowMs?: () => number;
  randomBytes?: (size: number) => Uint8Array;
}

/**
 * Creates a function from a slot (0..4095) to a new id. Ids of one process and slot ascend: if the
 * clock steps back, the last time is reused, and a millisecond with more than 16,384 ids borrows
 * from the next.
 */
export function createIdFactory(sources: IdSources = {}): (slot: number) => string {
  const { nowMs = Date.now, randomBytes = systemRandomBytes } = sources;
  // One system call serves hundreds of ids: every command needs one.
  let pool = randomBytes(POOL_BYTES);
  let offset = 0;
  let lastMs = -1;
  let counter = 0;

  function takeRandom(): Uint8Array {
    if (offset + RANDOM_BYTES_PER_ID > pool.length) {
      pool = randomBytes(POOL_BYTES);
      offset = 0;
    }
    offset += RANDOM_BYTES_PER_ID;
    return pool.subarray(offset - RANDOM_BYTES_PER_ID, offset);
  }

  return (slot) => {
    const now = nowMs();
    if (now > lastMs) {
      lastMs = now;
      counter = 0;
    } else if (++counter === COUNTER_LIMIT) {
      lastMs++;
      counter = 0;
    }
    return composeId(slot, lastMs, counter, takeRandom());
  };
}

/** The slot of a new user, which spreads users over all partitions. */
export function randomSlot(): number {
  return randomInt(SLOTS);
}
