// Makes ids in the order of their making; they carry a routing slot (libs/wire, ids).
import { randomInt, randomBytes as systemRandomBytes } from 'node:crypto';
import { composeId, SLOTS } from '@taskgraph/wire/ids';

const COUNTER_LIMIT = 1 << 14;
const RANDOM_BYTES_PER_ID = 6;
const POOL_BYTES = 4096;

interface Sources {
  /** Milliseconds since 1970; the system's clock if not given. */
  nowMs?: () => number;
  randomBytes?: (size: number) => Uint8Array;
}

/**
 * Makes a function from a slot (0..4095) to a new id. Ids of one process ascend if their slots are equal: a clock that steps back
 * is held at its last time, and a millisecond with more than 16,384 ids borrows from the next.
 */
export function createIdFactory(sources: Sources = {}): (slot: number) => string {
  const { nowMs = Date.now, randomBytes = systemRandomBytes } = sources;
  // One system call for hundreds of ids: this is on the path of every command.
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
