// The stored form of nodes, links and grants: what decisions are made on. Timestamps are ISO 8601 UTC strings with milliseconds.
import type { Level, LinkType, Status } from '@taskgraph/wire/codes';

export interface NodeState {
  readonly id: string;
  /** A node's owner never changes. */
  readonly ownerId: string;
  readonly title: string;
  readonly description: string;
  readonly status: Status;
  /** The status that comes back on unblocking (BLK3); null while the node is not Blocked. */
  readonly statusBefore: Status | null;
  /** Active primary links on the node whose source is not Completed, counted whether or not the node is independent. */
  readonly openBlockers: number;
  readonly dueDate: string | null;
  readonly type: number;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly independent: boolean;
  readonly volume: number;
  readonly version: number;
  readonly assignee: readonly string[];
  readonly createdTime: string;
  readonly lastEditedTime: string;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly pinned: boolean;
  readonly collapsed: boolean;
  readonly publicToken: string | null;
  readonly publicDue: string | null;
  readonly publicBranch: boolean;
  readonly inTrash: boolean;
  readonly lastBatchID: string | null;
}

export interface LinkState {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly type: LinkType;
  readonly version: number;
  readonly wasBlocker: boolean;
  readonly private: boolean;
  /** Its maker, or the parent's owner where node:add made it (LNK7, NODE3). */
  readonly ownerId: string;
  /** Its right to convey: membership flows through it while it is active, not private, and both ends are active (ACL3). */
  readonly conveys: boolean;
  readonly inTrash: boolean;
  /** Whether it was trashed with a node, and comes back with it (TRS3). */
  readonly trashedWithNode: boolean;
  readonly lastBatchID: string | null;
  readonly createdTime: string;
  readonly lastEditedTime: string;
}

/** A grant on a node, as the access function reads it. */
export interface GrantState {
  readonly nodeId: string;
  /** Case-folded. */
  readonly email: string;
  readonly level: Level;
  readonly due: string | null;
  readonly branch: boolean;
}

/** Who reads or acts. */
export interface Reader {
  readonly id: string;
  readonly email: string;
}

/** Names of the users whose nodes are loaded. */
export interface OwnerNames {
  readonly username: string;
  readonly email: string;
}
