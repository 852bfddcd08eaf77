// The queues that are in use, at most so many of all users and of one. A claim of a further queue
// waits for a place, and users take turns. Rule: CLAIM1.
import { FairQueue } from '../fair-queue.ts';

interface PlacesOptions {
  /** Most queues of all users, and of one. */
  readonly most: number;
  readonly mostOfUser: number;
  readonly nowMs: () => number;
}

/** A queue that a claim asks for. Equal keys share a place. */
export interface PlaceRequest<Queue> {
  readonly key: string;
  readonly user: string;
  readonly create: () => Queue;
}

export interface Place<Queue> {
  readonly key: string;
  readonly user: string;
  readonly queue: Queue;
  sinceMs: number;
  /** The claims that use it. It is free again without any. */
  claims: number;
}

/** Requests with the same key wait together. */
interface Group<Queue> extends PlaceRequest<Queue> {
  readonly waiters: Set<(place: Place<Queue>) => void>;
}

/** A request for a place. `end` gives the place back, or ends the wait for it. */
export interface PlaceTicket<Queue> {
  readonly place: Promise<Place<Queue>>;
  end(): void;
}

/** After so long, new claims of a queue wait for a turn too if others wait, so that its place becomes free. */
const TURN_MS = 2_000;

export class QueuePlaces<Queue> {
  readonly #options: PlacesOptions;
  readonly #places = new Map<string, Place<Queue>>();
  readonly #groups = new Map<string, Group<Queue>>();
  readonly #waiting = new FairQueue<Group<Queue>>();

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  take(request: PlaceRequest<Queue>): PlaceTicket<Queue> {
    const known = this.#places.get(request.key);
    if (known !== undefined && !this.#isTurnOver(known)) return this.#ticketOf(known);
    if (known === undefined && this.#hasRoom(request.user)) return this.#ticketOf(this.#open(request));
    return this.#wait(request);
  }

  #ticketOf(place: Place<Queue>): PlaceTicket<Queue> {
    place.claims++;
    return { place: Promise.resolve(place), end: () => this.#leave(place) };
  }

  #wait(request: PlaceRequest<Queue>): PlaceTicket<Queue> {
    const group = this.#groups.get(request.key) ?? this.#newGroup(request);
    let given: Place<Queue> | null = null;
    let start: (place: Place<Queue>) => void = () => undefined;
    const place = new Promise<Place<Queue>>((resolve) => {
      start = (found) => {
        given = found;
        resolve(found);
      };
    });
    group.waiters.add(start);
    return {
      place,
      end: () => {
        if (given !== null) return this.#leave(given);
        group.waiters.delete(start);
      },
    };
  }

  #newGroup(request: PlaceRequest<Queue>): Group<Queue> {
    const group = { ...request, waiters: new Set<(place: Place<Queue>) => void>() };
    this.#groups.set(request.key, group);
    this.#waiting.push(request.user, group);
    return group;
  }

  #open({ key, user, create }: PlaceRequest<Queue>): Place<Queue> {
    const place = { key, user, queue: create(), sinceMs: this.#options.nowMs(), claims: 0 };
    this.#places.set(key, place);
    return place;
  }

  #leave(place: Place<Queue>): void {
    place.claims--;
    if (place.claims > 0) return;
    this.#places.delete(place.key);
    this.#admit();
  }

  /** Gives free places to those that wait, one to each user in turn. */
  #admit(): void {
    for (let isGiven = true; isGiven; ) {
      isGiven = false;
      for (const user of [...this.#waiting.keys()]) {
        if (!this.#hasRoom(user)) continue;
        const group = this.#waiting.shiftOf(user);
        if (group === undefined) continue;
        isGiven = true;
        this.#start(group);
      }
    }
  }

  #start(group: Group<Queue>): void {
    this.#groups.delete(group.key);
    if (group.waiters.size === 0) return;
    const place = this.#places.get(group.key) ?? this.#open(group);
    place.sinceMs = this.#options.nowMs();
    for (const start of group.waiters) {
      place.claims++;
      start(place);
    }
  }

  #hasRoom(user: string): boolean {
    const own = [...this.#places.values()].filter((place) => place.user === user).length;
    return this.#places.size < this.#options.most && own < this.#options.mostOfUser;
  }

  /** Whether others wait for this place, which has been used for its time. */
  #isTurnOver({ user, sinceMs }: Place<Queue>): boolean {
    if (this.#waiting.size === 0 || this.#options.nowMs() - sinceMs < TURN_MS) return false;
    return this.#places.size >= this.#options.most || this.#waiting.sizeOf(user) > 0;
  }
}
