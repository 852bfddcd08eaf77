// A queue that concurrent claims share: it is read once for many of them, and each gets other nodes.
// Rules: CLAIM1, CLAIM2.
//
// 1. The answer that nothing is free requires a list that was read after the claim arrived.
// 2. A lone claim reads the list again. Concurrent claims share one for up to two seconds.
// 3. A node goes to one claim at a time, except at the end of the list. It is free for other claims
//    in a list that is read after the claim was answered.
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import type { QueueParts } from './read-queue.ts';

/**
 * How long claims that run beside others reuse a list, milliseconds. After the first of these times,
 * the next list is read while they go on with this one.
 */
const FRESH_MS = 1_000;
const REUSE_MS = 2_000;
/** How long claims prefer other owners to one whose lock a claim did not get, milliseconds. */
const LOCKED_MS = 5_000;

/** The next nodes for a claim. At the end of the list they are empty. */
export type NextNodes = readonly string[] | Refusal;

/** A claim's position in the queue. */
export interface QueueCursor {
  /** Up to `count` nodes that this cursor has not offered yet. */
  next(count: number): Promise<NextNodes>;
  /**
   * Offers no more nodes of these nodes' owners, whose locks the claim did not get. For some time
   * other claims get such nodes only at the end of the list.
   */
  skipOwners(ids: readonly string[]): void;
  /** Must be called once the claim is answered. */
  close(): void;
}

interface QueueList {
  readonly startedAt: number;
  readonly startedMs: number;
  readonly parts: QueueParts | Refusal;
  /** The free nodes read so far. */
  readonly ids: string[];
  /** Those before this place were offered to claims. */
  place: number;
  /** The next part, while it is read. */
  reading: Promise<Refusal | null> | null;
  isComplete: boolean;
}

/** A node that was offered to claims. */
interface Candidate {
  /** The number of claims that have it. */
  claims: number;
  /** When the last of them was answered. */
  answeredAt: number;
}

interface TakeOptions {
  /** The nodes that the cursor has offered. */
  readonly offered: ReadonlySet<string>;
  /** The slots of the owners that it skips. An owner's nodes have the owner's slot. */
  readonly skipped: ReadonlySet<number>;
  /** Adds a node to the offered ones. */
  readonly offer: (id: string) => void;
  readonly count: number;
  readonly isDry: boolean;
}

interface QueueOptions {
  /** Rejects only on bugs. */
  readonly open: () => Promise<QueueParts | Refusal>;
  readonly nowMs?: () => number;
}

export class ClaimQueue {
  readonly #open: QueueOptions['open'];
  readonly #nowMs: () => number;
  readonly #candidates = new Map<string, Candidate>();
  /** By the slots of locked owners, the times until which they count as locked. */
  readonly #locked = new Map<number, number>();
  /** Counts arrivals, answers and starts of reads, to order them. */
  #events = 0;
  #cursors = 0;
  #list: QueueList | null = null;
  #reading: Promise<void> | null = null;

  constructor({ open, nowMs = () => performance.now() }: QueueOptions) {
    this.#open = open;
    this.#nowMs = nowMs;
  }

  /** `isDry`: the nodes are only looked at, and may be offered to other claims. */
  openCursor({ isDry = false } = {}): QueueCursor {
    const arrivedAt = ++this.#events;
    const offered = new Set<string>();
    const skipped = new Set<number>();
    let isClosed = false;
    const offer = (id: string) => {
      offered.add(id);
      if (isDry) return;
      this.#assign(id);
      // The claim was answered while it waited for the list.
      if (isClosed) this.#unassign(id);
    };
    this.#cursors++;
    return {
      next: (count) => this.#next(arrivedAt, { offered, skipped, offer, count, isDry }),
      skipOwners: (ids) => {
        for (const slot of ids.map(slotOf)) {
          skipped.add(slot);
          this.#locked.set(slot, this.#nowMs() + LOCKED_MS);
        }
      },
      close: () => {
        this.#cursors--;
        isClosed = true;
        if (!isDry) for (const id of offered) this.#unassign(id);
      },
    };
  }

  async #next(arrivedAt: number, options: TakeOptions): Promise<NextNodes> {
    for (;;) {
      const list = await this.#listFor(arrivedAt);
      if (isRefusal(list.parts)) return list.parts;
      const nodes = await this.#take(list, options);
      if (isRefusal(nodes) || nodes.length > 0) return nodes;
      if (list.startedAt > arrivedAt) return this.#atEnd(list, options);
      // Nodes may have become free since this list was read.
      await this.#read(arrivedAt);
    }
  }

  /** A list that the claim may use. */
  async #listFor(arrivedAt: number): Promise<QueueList> {
    const list = this.#list;
    if (this.#cursors <= 1 || list === null || isRefusal(list.parts)) return this.#read(arrivedAt);
    const ageMs = this.#nowMs() - list.startedMs;
    if (ageMs >= REUSE_MS) return this.#read(arrivedAt);
    // A failure reaches the claim that needs the list.
    if (ageMs >= FRESH_MS) this.#startReading().catch(() => undefined);
    return list;
  }

  /** A list that was read after the claim arrived. Claims that wait at the same time share it. */
  async #read(arrivedAt: number): Promise<QueueList> {
    for (;;) {
      if (this.#list !== null && this.#list.startedAt > arrivedAt) return this.#list;
      await this.#startReading();
    }
  }

  #startReading(): Promise<void> {
    this.#reading ??= this.#readList().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readList(): Promise<void> {
    const [startedAt, startedMs] = [++this.#events, this.#nowMs()];
    const parts = await this.#open();
    this.#list = { startedAt, startedMs, parts, ids: [], place: 0, reading: null, isComplete: isRefusal(parts) };
    for (const [id, { claims, answeredAt }] of this.#candidates) {
      if (claims === 0 && answeredAt < startedAt) this.#candidates.delete(id);
    }
  }

  /** The next nodes of the list that no claim has. */
  async #take(list: QueueList, { offered, offer, count, isDry }: TakeOptions): Promise<NextNodes> {
    const nodes: string[] = [];
    let place = list.place;
    while (nodes.length < count) {
      const id = list.ids[place];
      if (id === undefined) {
        if (list.isComplete) break;
        const refusal = await this.#readPart(list);
        if (refusal !== null) return nodes.length > 0 ? nodes : refusal;
        // Other claims may have taken nodes meanwhile.
        if (!isDry) place = list.place;
        continue;
      }
      place++;
      if (!isDry) list.place = place;
      if (offered.has(id) || this.#candidates.has(id) || this.#isLocked(id)) continue;
      nodes.push(id);
      offer(id);
    }
    return nodes;
  }

  /**
   * At the end of the list, the nodes of other claims are left, whose claims may fail, and then those
   * of locked owners.
   */
  #atEnd({ ids }: QueueList, { offered, skipped, offer, count }: TakeOptions): readonly string[] {
    const left = ids.filter((id) => !offered.has(id) && !skipped.has(slotOf(id)));
    const unlocked = left.filter((id) => !this.#isLocked(id));
    const nodes = (unlocked.length > 0 ? unlocked : left).slice(0, count);
    for (const id of nodes) offer(id);
    return nodes;
  }

  #isLocked(id: string): boolean {
    return (this.#locked.get(slotOf(id)) ?? 0) > this.#nowMs();
  }

  async #readPart(list: QueueList): Promise<Refusal | null> {
    const { parts } = list;
    if (isRefusal(parts)) return parts;
    list.reading ??= parts
      .next()
      .then((part) => {
        if (isRefusal(part)) return part;
        if (part === null) list.isComplete = true;
        else list.ids.push(...part);
        return null;
      })
      .finally(() => {
        list.reading = null;
      });
    return list.reading;
  }

  #assign(id: string): void {
    const candidate = this.#candidates.get(id) ?? { claims: 0, answeredAt: 0 };
    candidate.claims++;
    this.#candidates.set(id, candidate);
  }

  #unassign(id: string): void {
    const candidate = this.#candidates.get(id);
    if (candidate === undefined) return;
    candidate.claims--;
    candidate.answeredAt = ++this.#events;
  }
}
