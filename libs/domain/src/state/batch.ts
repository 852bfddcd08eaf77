// The changes that a batch keeps: the stored form of what one command did. Rule: HIS1.
import type { Op } from '@taskgraph/wire/codes';

/** One stored version step. Patches hold the changed fields of the stored form; the whole entity where it was created. */
export interface StoredChange {
  readonly op: Op;
  readonly kind: 'node' | 'link' | 'grant';
  /** Of a grant, its node's id. */
  readonly id: string;
  /** A grant's e-mail. */
  readonly email?: string;
  /** Whether it was a side effect, which undo judges anew (HIS2). */
  readonly effect?: true;
  /** Of a command of several steps: which of them, from 0 (BAT5). */
  readonly step?: number;
  /** Null where the entity did not exist before. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Null where it was deleted for good. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** The content of a batch, on its way in as well as out. */
export interface Batch {
  readonly key: string;
  readonly id: string;
  readonly event: string;
  /** SHA-256 of the payload: tells a retry from another command under the same key (GEN8). */
  readonly payloadHash: string;
  readonly actorId: string;
  readonly actorUsername: string;
  readonly actorEmail: string;
  readonly ts: string;
  readonly changes: readonly StoredChange[];
  /** Links that stay in the trash though their node came back (TRS3). */
  readonly skipped: readonly string[];
  /** The batch that was asked to be undone or done again, and null elsewhere (HIS5). */
  readonly undoOf: string | null;
  readonly redoOf: string | null;
  /** The batch, made by neither undo nor redo, whose effect this one took away or brought back; its own id elsewhere. */
  readonly origin: string;
  /** Whether it took that effect away: then it counts as undone while its origin does not. */
  readonly reverses: boolean;
}

/** A batch as it is read back. */
export interface StoredBatch extends Batch {
  /** The number of its slice, by feed. */
  readonly feeds: Readonly<Record<string, number>>;
  /** Of an origin: whether its effect is taken away now. */
  readonly undone: boolean;
  /** Of an origin: the undo or redo that last took its effect away or brought it back. */
  readonly last: string | null;
}

/** A batch without its changes: who did it, when, and what it goes back to. */
export type BatchHead = Pick<StoredBatch, 'id' | 'ts' | 'actorUsername' | 'actorEmail' | 'origin'>;

/** The fields that a batch set on one entity, to tell which batch set a field last. */
export interface LaterBatch extends Omit<BatchHead, 'origin'> {
  readonly sets: readonly FieldsSet[];
}

/** One version step of an entity, or of a grant on it. */
export interface FieldsSet {
  readonly email?: string;
  /** Null stands for all fields: the entity came, or went. */
  readonly fields: readonly string[] | null;
  /** The version that it gave the entity. */
  readonly version: number;
}

/** The entry of a batch in one feed: the number of its slice, and the ids of all that it changed there, brought or took. */
export interface FeedEntry {
  readonly feed: string;
  readonly seq: number;
  readonly nodes: readonly string[];
  readonly links: readonly string[];
  /** Too much moved to be named: who missed it has to read the feed anew. */
  readonly reset: boolean;
}

/** A batch that is about to be stored. */
export interface NewBatch extends Batch {
  readonly slices: readonly FeedEntry[];
  /** Ids of the owners of what it touched: under these too it is found in history. */
  readonly owners: readonly string[];
}
