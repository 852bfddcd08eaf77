// The records of a fault test run for the checks: all requests, answers and pushes of its clients,
// and the stored data at its end.

/** A command, from its first attempt to its last answer. Times are milliseconds of one clock. */
export interface Command {
  /** Its idempotency key, which is also the title that it writes, if any. */
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
 * `done`: acknowledged; the batch is null if the command changed nothing. `refused`: the service
 * reported that it did not execute the command. `unknown`: no answer, or one that leaves open
 * whether the command was executed.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly batch: string | null; readonly versions: readonly Version[] }
  | { readonly kind: 'refused'; readonly code: string; readonly details: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unknown'; readonly why?: string };

/** An entity at a version; the version determines its content. */
export interface Version {
  readonly id: string;
  readonly version: number;
}

/** An answer to `node:claim`; a call that is repeated with its key has several. */
export interface ClaimAnswer {
  readonly key: string;
  readonly client: string;
  readonly user: string;
  readonly calledMs: number;
  readonly endedMs: number;
  /** The length of the claim, minutes. */
  readonly lease: number;
  /** `until`: its first end, ISO 8601 by the service's clock. Null if no node was free. */
  readonly claim: { readonly node: string; readonly claimId: string; readonly until: string } | null;
}

/** A whole page of the graph, which contained everything visible to its reader. */
export interface Read {
  readonly client: string;
  readonly user: string;
  readonly calledMs: number;
  readonly endedMs: number;
  readonly seen: readonly Version[];
}

/** A slice as a socket received it. */
export interface PushedSlice {
  readonly feed: string;
  readonly seq: number;
  readonly batch: string;
  readonly versions: readonly Version[];
}

/** The pushes of one connection, in order of arrival. */
export interface Connection {
  readonly client: string;
  readonly user: string;
  readonly pushes: readonly PushedSlice[];
}

/**
 * A replica: every version that it ever showed, and its final content beside that of a read, each
 * entity as a text.
 */
export interface ReplicaLog {
  readonly client: string;
  readonly user: string;
  readonly shown: readonly Version[];
  readonly last: Readonly<Record<string, string>>;
  readonly read: Readonly<Record<string, string>>;
}

/** An event of a webhook's message, without its fields. */
export interface HookEvent {
  readonly type: string;
  /** Empty for a due date, which is not a change. */
  readonly batch: string;
  readonly id: string;
  /** Whether it has the fields of the change, and not only the id. */
  readonly isWhole: boolean;
  /** The version after the change, if the event has it. */
  readonly version: number | null;
  /** The title after the change, if the change contains it. */
  readonly title: string | null;
  /** For an event about access: the level after it; null without access. */
  readonly level: number | null;
  /** The due date in the fields of a `node.due`; null for other types, and for an event without fields. */
  readonly dueDate: string | null;
  /** A number of the fields: equal fields have the same one. Without what depends on the access of the user. */
  readonly digest: number;
}

/** One attempt to deliver a message, as the receiver saw it. */
export interface HookMessage {
  /** Its `webhook-id`. */
  readonly id: string;
  readonly type: string;
  /** When its body was complete, and the longest time for which it may have waited before to be read. */
  readonly arrivedMs: number;
  readonly stalledMs: number;
  /** When its connection ended, or it was answered. */
  readonly endedMs: number;
  /** Whether the answer was a 2xx, which may have been lost on its way. */
  readonly isAccepted: boolean;
  /** By feed: the numbers before and at the end of its range. */
  readonly feeds: Readonly<Record<string, readonly number[]>>;
  readonly events: readonly HookEvent[];
  readonly isTruncated: boolean;
  /** The fields of a `graph.due` that no message of this type has. */
  readonly unknownFields: readonly string[];
  /** Whether its signature is that of the webhook's secret. */
  readonly isSigned: boolean;
}

/** A webhook of a user with its whole graph, or with one branch or one type of events. */
export interface WebhookLog {
  readonly client: string;
  readonly user: string;
  readonly root: string | null;
  readonly events: readonly string[];
  /** When the service had added it. */
  readonly addedMs: number;
  /** When the run enabled it again, so that its present message begins anew; null if it did not. */
  readonly enabledMs: number | null;
  /** In the order of their arrival. */
  readonly messages: readonly HookMessage[];
}

/** The clock of a run, whose times are milliseconds, and the clocks of the services. */
export interface RunClock {
  /** The time of day at 0, milliseconds since 1970. */
  readonly epochMs: number;
  /** When the stored data was read, after the last command. */
  readonly storedMs: number;
  /** Whether the run set clocks of services. */
  readonly isSet: boolean;
}

export interface History {
  readonly clock: RunClock;
  readonly commands: readonly Command[];
  readonly claims: readonly ClaimAnswer[];
  readonly reads: readonly Read[];
  readonly connections: readonly Connection[];
  readonly replicas: readonly ReplicaLog[];
  readonly webhooks: readonly WebhookLog[];
}

/**
 * One version step of a stored batch. Its states hold the changed fields, or all fields of a new
 * entity.
 */
export interface Change {
  readonly kind: 'node' | 'link' | 'grant';
  readonly op?: number;
  /** For a grant, its node's id. */
  readonly id: string;
  readonly email?: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

export interface Batch {
  readonly id: string;
  /** ISO 8601 by the service's clock. */
  readonly ts: string;
  readonly key: string;
  readonly event: string;
  readonly changes: readonly Change[];
  /** The number of its slice, by feed. */
  readonly feeds: Readonly<Record<string, number>>;
}

/** A number that a feed has given out. */
export interface FeedEntry {
  readonly feed: string;
  readonly seq: number;
}

export interface StoredData {
  readonly users: readonly { readonly id: string; readonly email: string }[];
  readonly batches: readonly Batch[];
  readonly entries: readonly FeedEntry[];
}

/** A violation. `about` lists the few records that show it. */
export interface Anomaly {
  readonly kind: string;
  readonly what: string;
  readonly about: readonly unknown[];
}
