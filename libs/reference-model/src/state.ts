// The state of the reference model: simple lists, copied whole before each command. Nothing here is derived; whatever follows from it
// (levels, membership, Blocked, visibility) is worked out anew at each question.
import type { Op } from '@taskgraph/wire/codes';
import type { NEW_NODE } from './node-fields.ts';

export interface ModelUser {
  readonly id: string;
  readonly username: string;
  /** Folded to lower case (ACL4). */
  readonly email: string;
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
  /** Whether whoever last made it active or public had the right to convey (ACL3). It conveys only while the rest of ACL3 holds too. */
  mayConvey: boolean;
  /** Trashed with a node, and to come back with it (TRS3). */
  marked: boolean;
  /** When that mark last came off in the trash: its time there counts from then (TRS5). Absent where it never did. */
  unmarkedTime?: string;
  /** Its trasher; kept until it is trashed again. */
  trashedBy: string | null;
}

export interface ModelGrant {
  readonly nodeId: string;
  readonly email: string;
  level: number;
  due: string | null;
  branch: boolean;
  version: number;
  /** The grantee's own switch (ACL6). */
  showing: boolean;
  /** The node whose grant it was copied from and still follows (NODE3). */
  copyOf: string | null;
}

type Kind = 'node' | 'link' | 'grant';

/** One step of one entity. `before` and `after` are copies of the whole entity; null where there was, or is, none. */
export interface ModelOp {
  readonly op: Op;
  readonly kind: Kind;
  /** The entity's id; a grant's is its node's (ACL9). */
  readonly id: string;
  readonly before: ModelNode | ModelLink | ModelGrant | null;
  readonly after: ModelNode | ModelLink | ModelGrant | null;
  /** Not what the command itself set, but what followed from it: a derived status, a node's links, a copied grant (HIS2). */
  readonly effect: boolean;
  /** Which operation of a composite did it, or which part of its undo (BAT5); 0 elsewhere. */
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
  /** The batch that the caller asked to undo, or to redo (HIS5). */
  readonly undoOf: string | null;
  readonly redoOf: string | null;
}

/** The answer that was committed under an idempotency key (GEN8). */
export interface ModelKey {
  readonly userId: string;
  readonly key: string;
  readonly event: string;
  /** The payload as it was sent, as JSON with sorted fields. */
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
  /** As sent: fields that have a default may be missing. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The idempotency key, if any. */
  readonly key: string | null;
}

/** Names that the service makes up: one operation makes at most one of each. */
export interface MadeNames {
  readonly nodeId: string;
  readonly linkId: string;
  readonly publicToken: string;
}

/** When a command is done, and the names that the service makes up. */
export interface ModelMoment extends MadeNames {
  readonly now: string;
  readonly batchId: string;
  /** Of a composite, those of each operation. */
  readonly each?: readonly MadeNames[];
}

/** The answer without `message` and `trace_id`. `details` holds what the rules name; absent where they name nothing. */
export type ModelAnswer =
  | { readonly ok: true; readonly body: Record<string, unknown> }
  | { readonly ok: false; readonly error: string; readonly details?: Record<string, unknown> };
