// A queue that concurrent claims share: it is read once for many of them, and each gets other nodes.
// Rules: CLAIM1, CLAIM2.
//
// 1. The answer that nothing is free requires a list that was read after the claim arrived.
// 2. A lone claim reads the list again. Concurrent claims share one for up to two seconds.
// 3. A node goes to one claim at a time, except at the end of the list. It is free for other claims
//    in a list that is read after the claim was answered.
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import type { QueueParts } from './read-queue.ts';

/**
 * How long claims that run beside others reuse a list, milliseconds. After the first of these times,
 * the next list is read while they go on with this one.
 */
const FRESH_MS = 1_000;
const REUSE_MS = 2_000;

/** The next nodes for a claim. At the end of the list they are empty. */
export type NextNodes = readonly string[] | Refusal;

/** A claim's place in the queue. */
export interface QueueVisit {
  /** Up to `count` nodes that this visit has not been given yet. */
  next(count: number): Promise<NextNodes>;
  /** Must be called once the claim is answered. */
  end(): void;
}

interface QueueList {
  readonly startedAt: number;
  readonly startedMs: number;
  readonly parts: QueueParts | Refusal;
  /** The free nodes read so far. */
  readonly ids: string[];
  /** Those before this place were given to claims. */
  place: number;
  /** The next part, while it is read. */
  reading: Promise<Refusal | null> | null;
  isComplete: boolean;
}

interface GivenNode {
  /** The number of claims that have it. */
  claims: number;
  /** When the last of them was answered. */
  answeredAt: number;
}

interface TakeOptions {
  /** The nodes that the visit has had. */
  readonly tried: ReadonlySet<string>;
  /** Gives a node to the visit. */
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
  readonly #given = new Map<string, GivenNode>();
  /** Counts arrivals, answers and starts of reads, to order them. */
  #events = 0;
  #visits = 0;
  #list: QueueList | null = null;
  #reading: Promise<void> | null = null;

  constructor({ open, nowMs = () => performance.now() }: QueueOptions) {
    this.#open = open;
    this.#nowMs = nowMs;
  }

  /** Whether no claim uses the queue. */
  get isIdle(): boolean {
    return this.#visits === 0;
  }

  /** `isDry`: the nodes are only looked at, and may be given to other claims. */
  visit({ isDry = false } = {}): QueueVisit {
    const arrivedAt = ++this.#events;
    const tried = new Set<string>();
    let isOver = false;
    const offer = (id: string) => {
      tried.add(id);
      if (isDry) return;
      this.#give(id);
      // The claim was answered while it waited for the list.
      if (isOver) this.#answer(id);
    };
    this.#visits++;
    return {
      next: (count) => this.#next(arrivedAt, { tried, offer, count, isDry }),
      end: () => {
        this.#visits--;
        isOver = true;
        if (!isDry) for (const id of tried) this.#answer(id);
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
    if (this.#visits <= 1 || list === null || isRefusal(list.parts)) return this.#read(arrivedAt);
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
    for (const [id, { claims, answeredAt }] of this.#given) {
      if (claims === 0 && answeredAt < startedAt) this.#given.delete(id);
    }
  }

  /** The next nodes of the list that no claim has. */
  async #take(list: QueueList, { tried, offer, count, isDry }: TakeOptions): Promise<NextNodes> {
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
      if (tried.has(id) || this.#given.has(id)) continue;
      nodes.push(id);
      offer(id);
    }
    return nodes;
  }

  /** At the end of the list, the nodes of other claims are left: their claims may fail. */
  #atEnd({ ids }: QueueList, { tried, offer, count }: TakeOptions): readonly string[] {
    const nodes = ids.filter((id) => !tried.has(id)).slice(0, count);
    for (const id of nodes) offer(id);
    return nodes;
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

  #give(id: string): void {
    const given = this.#given.get(id) ?? { claims: 0, answeredAt: 0 };
    given.claims++;
    this.#given.set(id, given);
  }

  #answer(id: string): void {
    const given = this.#given.get(id);
    if (given === undefined) return;
    given.claims--;
    given.answeredAt = ++this.#events;
  }
}
