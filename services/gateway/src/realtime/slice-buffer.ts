// The slices of one feed that wait for one before them or for a control message, and those just delivered, for whoever is about to join.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';

/** Slices that may wait; past it the first are let on, which makes a hole. */
const MAXIMUM_SLICES = 1_000;
const MAXIMUM_BYTES = 4 * 1024 * 1024;
/** Delivered slices that are kept, and for how long: longer than a reader who is authorized is on the way. */
const RECENT_SLICES = 200;
const RECENT_BYTES = 512 * 1024;
const RECENT_MS = 5_000;
/** Of all feeds of a gateway together; past it nothing waits. */
const MAXIMUM_BYTES_OF_ALL = 64 * 1024 * 1024;
/** Past this nothing is kept that was delivered: what others are sent in many feeds must not take the room of what waits. */
const RECENT_BYTES_OF_ALL = MAXIMUM_BYTES_OF_ALL / 2;

/** A slice with its length on the wire, and when it came. */
export interface Arrived {
  readonly slice: RawSlice;
  readonly bytes: number;
  readonly atMs: number;
}

/** The bytes that the buffers of all feeds hold together. */
export interface Pool {
  bytes: number;
}

/** Slices in the order of their numbers. "Delivered" are those up to a number that the caller names. */
export function createSliceBuffer(pool: Pool) {
  const slices: Arrived[] = [];
  let bytes = 0;

  /** The place of the first slice past a number; mostly it is near the end. */
  function indexAfter(seq: number): number {
    let index = slices.length;
    while (index > 0 && (slices[index - 1] as Arrived).slice.seq > seq) index--;
    return index;
  }

  function drop(count: number): void {
    for (const dropped of slices.splice(0, count)) {
      bytes -= dropped.bytes;
      pool.bytes -= dropped.bytes;
    }
  }

  return {
    /** Puts a slice in its place; one that is there already is dropped. */
    add(arrived: Arrived): void {
      const index = indexAfter(arrived.slice.seq);
      if (slices[index - 1]?.slice.seq === arrived.slice.seq) return;
      slices.splice(index, 0, arrived);
      bytes += arrived.bytes;
      pool.bytes += arrived.bytes;
    },
    firstAfter: (seq: number): Arrived | undefined => slices[indexAfter(seq)],
    /** Those past one number, up to another one. */
    between: (after: number, upTo: number): Arrived[] => slices.slice(indexAfter(after), indexAfter(upTo)),
    waiting: (delivered: number): number => slices.length - indexAfter(delivered),
    /** Whether more waits than may. */
    isOverfull(delivered: number): boolean {
      const waiting = slices.length - indexAfter(delivered);
      return waiting > MAXIMUM_SLICES || (waiting > 0 && (bytes > MAXIMUM_BYTES || pool.bytes > MAXIMUM_BYTES_OF_ALL));
    },
    /** Forgets what was delivered and is too old or too much. */
    trim(delivered: number, nowMs: number): void {
      const recent = indexAfter(delivered);
      let count = Math.max(0, recent - RECENT_SLICES);
      let left = bytes;
      for (let index = 0; index < count; index++) left -= (slices[index] as Arrived).bytes;
      const isTooMuch = () => left > RECENT_BYTES || pool.bytes - (bytes - left) > RECENT_BYTES_OF_ALL;
      while (count < recent) {
        const { atMs, bytes: length } = slices[count] as Arrived;
        if (atMs + RECENT_MS > nowMs && !isTooMuch()) break;
        left -= length;
        count++;
      }
      if (count > 0) drop(count);
    },
    isEmpty: () => slices.length === 0,
    clear: () => drop(slices.length),
  };
}
