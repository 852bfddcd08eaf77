// The state of the reference model: simple lists, copied before each command (`copies.ts`). It
// contains nothing derived: levels, membership, Blocked and visibility are computed at each
// question.
import type { Op } from '@taskgraph/wire/codes';
import type { NEW_NODE } from './node-fields.ts';

export interface ModelUser {
  readonly id: string;
  readonly username: string;
  /** Folded to lower case (ACL4). */
  readonly email: string;
  /** Only of a bot (BOT1). */
  readonly maintainer?: string | undefined;
}

export interface ModelNode extends NodeValues {
  readonly id: string;
  readonly ownerId: string;
  readonly createdTime: string;
  lastEditedTime: string;
}
type NodeValues = typeof NEW_NODE;

export interface ModelLink {
  readonly id: string;
  source: string;
  target: string;
  readonly ownerId: string;
  /** 0 primary, 1 secondary. */
  type: number;
  private: boolean;
  wasBlocker: boolean;
  version: number;
  readonly createdTime: string;
  lastEditedTime: string;
  inTrash: boolean;
  lastBatchID: string | null;
  /**
   * Whether the user who last made it active or public had the right to make it propagate (ACL3).
   * It propagates only while the other conditions of ACL3 hold too.
   */
  mayPropagate: boolean;
  /** Whether it was trashed with a node and is restored with it (TRS3). */
  marked: boolean;
  /**
   * When a trashed link last lost that mark: its time in the trash counts from then (TRS5). Absent
   * if it never did.
   */
  unmarkedTime?: string;
  /** Its last trasher. */
  trashedBy: string | null;
}

export interface ModelGrant {
  readonly nodeId: string;
  readonly email: string;
  level: number;
  due: string | null;
  branch: boolean;
  version: number;
  /** Set by the grantee (ACL6). */
  showing: boolean;
  /** The node of its original grant, which it still follows (NODE3). */
  copyOf: string | null;
}

type Kind = 'node' | 'link' | 'grant';

/**
 * One step of one entity. `before` and `after` are copies of the whole entity; null if it did not
 * or does not exist.
 */
export interface ModelOp {
  readonly op: Op;
  readonly kind: Kind;
  /** The entity's id; for a grant the id of its node (ACL9). */
  readonly id: string;
  readonly before: ModelNode | ModelLink | ModelGrant | null;
  readonly after: ModelNode | ModelLink | ModelGrant | null;
  /**
   * Set if the step followed from the command: a derived status, a node's links, a copied grant
   * (HIS2).
   */
  readonly effect: boolean;
  /** The operation of a batch, or the part of its undo, that made the step (BAT5); otherwise 0. */
  readonly part: number;
}

export interface ModelBatch {
  readonly id: string;
  readonly actor: ModelUser;
  readonly event: string;
  readonly ts: string;
  readonly ops: readonly ModelOp[];
  /** Ids of links that stayed in the trash (TRS3). */
  readonly skipped: readonly string[];
  undone: boolean;
  /** The batch that the caller asked to undo or redo (HIS5). */
  readonly undoOf: string | null;
  readonly redoOf: string | null;
}

/** The committed answer of an idempotency key (GEN8). */
export interface ModelKey {
  readonly userId: string;
  readonly key: string;
  readonly event: string;
  /** The sent payload, as JSON with sorted fields. */
  readonly payload: string;
  readonly batchId: string;
}

export interface ModelState {
  readonly users: ModelUser[];
  readonly nodes: ModelNode[];
  readonly links: ModelLink[];
  readonly grants: ModelGrant[];
  readonly batches: ModelBatch[];
  readonly keys: ModelKey[];
}

/** An empty world of these users. */
export function emptyState(users: readonly ModelUser[]): ModelState {
  return { users: [...users], nodes: [], links: [], grants: [], batches: [], keys: [] };
}

/** A command as a client sends it. */
export interface ModelCommand {
  readonly actor: ModelUser;
  readonly event: string;
  /** The sent payload: fields with a default may be missing. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The idempotency key, if any. */
  readonly key: string | null;
}

/** Names that the service creates: one operation creates at most one of each. */
export interface CreatedNames {
  readonly nodeId: string;
  readonly linkId: string;
  readonly publicToken: string;
}

/** The time of a command, and the names that the service creates. */
export interface ModelMoment extends CreatedNames {
  readonly now: string;
  readonly batchId: string;
  /** The node that a claim without an id took; null if it took none. */
  readonly claimed?: string | null;
  /** For a batch, those of each operation. */
  readonly each?: readonly CreatedNames[];
}

/**
 * The answer without `message` and `trace_id`. `details` contains the names from the rules; absent
 * if there are none.
 */
export type ModelAnswer =
  | { readonly ok: true; readonly body: Record<string, unknown> }
  | { readonly ok: false; readonly error: string; readonly details?: Record<string, unknown> };
