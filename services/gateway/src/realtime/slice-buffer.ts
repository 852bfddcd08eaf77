// The slices of one feed that wait for one before them or for a control message, and those just delivered, for whoever is about to join.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';

/** Slices that may wait; past it the first are let on, which makes a hole. */
const MAXIMUM_SLICES = 1_000;
const MAXIMUM_BYTES = 4 * 1024 * 1024;
/**
 * Delivered slices are kept for as long as this, which is longer than a reader who is authorized is on the way. A reader who joins after more
 * than is kept is told to read again. They are no more than may wait, since they wait for whoever is the first to join.
 */
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

/** Slices in the order of their numbers. "Delivered" are those up to a number that the caller names. It is a class as its line is one. */
export class SliceBuffer {
  readonly #pool: Pool;
  readonly #slices: Arrived[] = [];
  #bytes = 0;
  #forgotten = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Puts a slice in its place; one that is there already is dropped. */
  add(arrived: Arrived): void {
    const index = this.#indexAfter(arrived.slice.seq);
    if (this.#slices[index - 1]?.slice.seq === arrived.slice.seq) return;
    this.#slices.splice(index, 0, arrived);
    this.#bytes += arrived.bytes;
    this.#pool.bytes += arrived.bytes;
  }

  firstAfter(seq: number): Arrived | undefined {
    return this.#slices[this.#indexAfter(seq)];
  }

  /** Those past one number, up to another one. */
  between(after: number, upTo: number): Arrived[] {
    return this.#slices.slice(this.#indexAfter(after), this.#indexAfter(upTo));
  }

  waiting(delivered: number): number {
    return this.#slices.length - this.#indexAfter(delivered);
  }

  /** The highest number that was kept once and is no longer; 0 where there is none. */
  forgotten(): number {
    return this.#forgotten;
  }

  /** Whether more waits than may. */
  isOverfull(delivered: number): boolean {
    const first = this.#indexAfter(delivered);
    const waiting = this.#slices.length - first;
    if (waiting === 0) return false;
    if (waiting > MAXIMUM_SLICES || this.#pool.bytes > MAXIMUM_BYTES_OF_ALL) return true;
    return this.#bytes > MAXIMUM_BYTES && this.#bytesFrom(first) > MAXIMUM_BYTES;
  }

  /** Forgets what was delivered and is too old or too much. */
  trim(delivered: number, nowMs: number): void {
    const recent = this.#indexAfter(delivered);
    let count = Math.max(0, recent - MAXIMUM_SLICES);
    let left = this.#bytes;
    for (let index = 0; index < count; index++) left -= (this.#slices[index] as Arrived).bytes;
    const isTooMuch = () => left > MAXIMUM_BYTES || this.#pool.bytes - (this.#bytes - left) > RECENT_BYTES_OF_ALL;
    while (count < recent) {
      const { atMs, bytes } = this.#slices[count] as Arrived;
      if (atMs + RECENT_MS > nowMs && !isTooMuch()) break;
      left -= bytes;
      count++;
    }
    if (count === 0) return;
    this.#forgotten = (this.#slices[count - 1] as Arrived).slice.seq;
    this.#drop(count);
  }

  isEmpty(): boolean {
    return this.#slices.length === 0;
  }

  clear(): void {
    this.#drop(this.#slices.length);
  }

  /** The place of the first slice past a number; mostly it is near the end. */
  #indexAfter(seq: number): number {
    let index = this.#slices.length;
    while (index > 0 && (this.#slices[index - 1] as Arrived).slice.seq > seq) index--;
    return index;
  }

  #bytesFrom(first: number): number {
    let sum = 0;
    for (let index = first; index < this.#slices.length; index++) sum += (this.#slices[index] as Arrived).bytes;
    return sum;
  }

  #drop(count: number): void {
    for (const { bytes } of this.#slices.splice(0, count)) {
      this.#bytes -= bytes;
      this.#pool.bytes -= bytes;
    }
  }
}
