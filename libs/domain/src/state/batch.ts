// The stored form of a command's changes. Rule: HIS1.
import type { Op } from '@taskgraph/wire/codes';

/**
 * One stored version step. Patches hold the changed fields in stored form; a created entity is
 * stored whole.
 */
export interface StoredChange {
  readonly op: Op;
  readonly kind: 'node' | 'link' | 'grant';
  /** For a grant, its node's id. */
  readonly id: string;
  /** A grant's e-mail. */
  readonly email?: string;
  /** A side effect, which undo recomputes (HIS2). */
  readonly effect?: true;
  /** For a command of several steps: the index of the step (BAT5). */
  readonly step?: number;
  /** Null if the entity did not exist before. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** Null if the entity was deleted permanently. */
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** The fields of a batch that are written and read alike. */
export interface Batch {
  readonly key: string;
  readonly id: string;
  /**
   * The id of the command. Gateways send a command again under its id, and clients under its key
   * (GEN8).
   */
  readonly commandId: string;
  readonly event: string;
  /**
   * SHA-256 of the payload. It distinguishes a retry from another command with the same key (GEN8).
   */
  readonly payloadHash: string;
  readonly actorId: string;
  readonly actorUsername: string;
  readonly actorEmail: string;
  readonly ts: string;
  readonly changes: readonly StoredChange[];
  /** Links that stayed in the trash when their node was restored (TRS3). */
  readonly skipped: readonly string[];
  /** The batch that this one undoes or redoes; null otherwise (HIS5). */
  readonly undoOf: string | null;
  readonly redoOf: string | null;
  /** The first batch in a chain of undos and redos; the batch's own id otherwise. */
  readonly origin: string;
  /** Whether this batch reverts its origin. It then counts as undone while its origin does not. */
  readonly reverses: boolean;
}

/** A batch as read from the database. */
export interface StoredBatch extends Batch {
  /** The number of its slice in each feed. */
  readonly feeds: Readonly<Record<string, number>>;
  /** For an origin: whether its effect is reverted now. */
  readonly undone: boolean;
  /** For an origin: its newest undo or redo. */
  readonly last: string | null;
}

/** A batch without its changes. */
export type BatchHead = Pick<StoredBatch, 'id' | 'ts' | 'actorUsername' | 'actorEmail' | 'origin'>;

/** The fields that a batch set on one entity. Conflicts name the batch that set a field last. */
export interface LaterBatch extends Omit<BatchHead, 'origin'> {
  readonly sets: readonly FieldsSet[];
}

/** One version step of an entity, or of a grant on it. */
export interface FieldsSet {
  readonly email?: string;
  /** Null for all fields: the entity was created, deleted, trashed or restored. */
  readonly fields: readonly string[] | null;
  /** The resulting version. */
  readonly version: number;
}

/**
 * The entry of a batch in one feed: the number of its slice, and the ids of all entities that
 * changed, joined or left.
 */
export interface FeedEntry {
  readonly feed: string;
  readonly seq: number;
  readonly nodes: readonly string[];
  readonly links: readonly string[];
  /**
   * Too many entities moved to name them. A reader who missed the slice must read the feed again.
   */
  readonly reset: boolean;
}

/** A batch before it is stored. */
export interface NewBatch extends Batch {
  readonly slices: readonly FeedEntry[];
  /** Ids of the owners of the entities that it touched. History finds the batch by them. */
  readonly owners: readonly string[];
}
