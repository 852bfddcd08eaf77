// The slices of one feed: those held for a predecessor or for a control message, and those
// delivered recently, for subscribers about to join. Rule: EVT5.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';

/** Slices that a feed may hold; past it the channel stops waiting, which makes a hole. */
const MAXIMUM_SLICES = 1_000;
const MAXIMUM_BYTES = 4 * 1024 * 1024;
/**
 * How long delivered slices are kept: longer than a reader takes from authorization to
 * subscription. The bounds above hold for them too. A reader who joins after more than is kept is
 * told to read again.
 */
const RECENT_MS = 5_000;
/** Bytes in all buffers of a gateway; past it nothing is held. */
const MAXIMUM_BYTES_OF_ALL = 64 * 1024 * 1024;
/**
 * Past this, delivered slices are dropped: those of many feeds must not take the room of held ones.
 */
const RECENT_BYTES_OF_ALL = MAXIMUM_BYTES_OF_ALL / 2;

/** A slice with its length on the wire and the time of its arrival. */
export interface ReceivedSlice {
  readonly slice: RawSlice;
  readonly bytes: number;
  readonly atMs: number;
}

/** The bytes in the buffers of all feeds. */
export interface BufferPool {
  bytes: number;
}

/**
 * Slices by ascending number. The caller names the number up to which they are delivered. A class,
 * as its channel is.
 */
export class SliceBuffer {
  readonly #pool: BufferPool;
  readonly #slices: ReceivedSlice[] = [];
  #bytes = 0;
  #forgotten = 0;

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  /** Inserts a slice by its number; a duplicate is dropped. */
  add(received: ReceivedSlice): void {
    const index = this.#indexAfter(received.slice.seq);
    if (this.#slices[index - 1]?.slice.seq === received.slice.seq) return;
    this.#slices.splice(index, 0, received);
    this.#bytes += received.bytes;
    this.#pool.bytes += received.bytes;
  }

  firstAfter(seq: number): ReceivedSlice | undefined {
    return this.#slices[this.#indexAfter(seq)];
  }

  /** The slices past one number, up to and including another. */
  between(after: number, upTo: number): ReceivedSlice[] {
    return this.#slices.slice(this.#indexAfter(after), this.#indexAfter(upTo));
  }

  waiting(delivered: number): number {
    return this.#slices.length - this.#indexAfter(delivered);
  }

  /** The highest number that was dropped, or 0. */
  forgotten(): number {
    return this.#forgotten;
  }

  /** Whether more slices are held than the bounds allow. */
  isOverfull(delivered: number): boolean {
    const first = this.#indexAfter(delivered);
    const waiting = this.#slices.length - first;
    if (waiting === 0) return false;
    if (waiting > MAXIMUM_SLICES || this.#pool.bytes > MAXIMUM_BYTES_OF_ALL) return true;
    return this.#bytes > MAXIMUM_BYTES && this.#bytesFrom(first) > MAXIMUM_BYTES;
  }

  /** Drops delivered slices that are too old or too many. */
  trim(delivered: number, nowMs: number): void {
    const recent = this.#indexAfter(delivered);
    let count = Math.max(0, recent - MAXIMUM_SLICES);
    let left = this.#bytes;
    for (let index = 0; index < count; index++) left -= (this.#slices[index] as ReceivedSlice).bytes;
    const isTooMuch = () => left > MAXIMUM_BYTES || this.#pool.bytes - (this.#bytes - left) > RECENT_BYTES_OF_ALL;
    while (count < recent) {
      const { atMs, bytes } = this.#slices[count] as ReceivedSlice;
      if (atMs + RECENT_MS > nowMs && !isTooMuch()) break;
      left -= bytes;
      count++;
    }
    if (count === 0) return;
    this.#forgotten = Math.max(this.#forgotten, (this.#slices[count - 1] as ReceivedSlice).slice.seq);
    this.#drop(count);
  }

  isEmpty(): boolean {
    return this.#slices.length === 0;
  }

  clear(): void {
    this.#drop(this.#slices.length);
  }

  /** The index of the first slice past a number, usually near the end. */
  #indexAfter(seq: number): number {
    let index = this.#slices.length;
    while (index > 0 && (this.#slices[index - 1] as ReceivedSlice).slice.seq > seq) index--;
    return index;
  }

  #bytesFrom(first: number): number {
    let sum = 0;
    for (let index = first; index < this.#slices.length; index++) sum += (this.#slices[index] as ReceivedSlice).bytes;
    return sum;
  }

  #drop(count: number): void {
    for (const { bytes } of this.#slices.splice(0, count)) {
      this.#bytes -= bytes;
      this.#pool.bytes -= bytes;
    }
  }
}
