// The records that a run of the fault test leaves to be judged: all that its clients asked, were answered and heard, and all that is stored at its end.

/** A mutation, from its first try to its last answer. Times are milliseconds of one clock. */
export interface Command {
  /** Its idempotency key, and the title that it writes, if it writes one. */
  readonly key: string;
  readonly client: string;
  /** The id and the e-mail of its user. */
  readonly user: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly calledMs: number;
  readonly endedMs: number;
  readonly outcome: Outcome;
}

/**
 * `done`: acknowledged; the batch is null where nothing had to change. `refused`: the service has said that it was not done. `unknown`: no
 * answer, or one that says that it may have been done.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly batch: string | null; readonly versions: readonly Version[] }
  | { readonly kind: 'refused'; readonly code: string; readonly details: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unknown'; readonly why?: string };

/** An entity at a version, which says all about it. */
export interface Version {
  readonly id: string;
  readonly version: number;
}

/** A whole page of the graph, which held all that its reader could see. */
export interface Read {
  readonly client: string;
  readonly user: string;
  readonly calledMs: number;
  readonly endedMs: number;
  readonly seen: readonly Version[];
}

/** A slice as a socket got it. */
export interface Pushed {
  readonly feed: string;
  readonly seq: number;
  readonly batch: string;
  readonly versions: readonly Version[];
}

/** The pushes of one connection, in the order of their coming. */
export interface Connection {
  readonly client: string;
  readonly user: string;
  readonly pushes: readonly Pushed[];
}

/** A replica: all that it has ever shown, and what it shows at the end beside what a read says then, each entity as a text. */
export interface ReplicaLog {
  readonly client: string;
  readonly user: string;
  readonly shown: readonly Version[];
  readonly last: Readonly<Record<string, string>>;
  readonly read: Readonly<Record<string, string>>;
}

export interface History {
  readonly commands: readonly Command[];
  readonly reads: readonly Read[];
  readonly connections: readonly Connection[];
  readonly replicas: readonly ReplicaLog[];
}

/** One version step of a stored batch. States hold the changed fields, and all fields where the entity is new. */
export interface Change {
  readonly kind: 'node' | 'link' | 'grant';
  /** Of a grant, its node's id. */
  readonly id: string;
  readonly email?: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

export interface Batch {
  readonly id: string;
  readonly key: string;
  readonly event: string;
  readonly changes: readonly Change[];
  /** The number of its slice, by feed. */
  readonly feeds: Readonly<Record<string, number>>;
}

/** A number that a feed has given out. */
export interface Entry {
  readonly feed: string;
  readonly seq: number;
}

export interface Stored {
  readonly users: readonly { readonly id: string; readonly email: string }[];
  readonly batches: readonly Batch[];
  readonly entries: readonly Entry[];
}

/** Something that may not be. `about` has the few records that show it. */
export interface Anomaly {
  readonly kind: string;
  readonly what: string;
  readonly about: readonly unknown[];
}
