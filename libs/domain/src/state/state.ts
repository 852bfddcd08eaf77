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

/**
 * Whether a node was loaded with its content (title, description, tags, assignees). Nodes that came as the ends of links come without: one
 * node may have 20,000 links, and the content of what others hung on it must not fill the memory of who trashes it (LNK2).
 */
export function isWhole(node: NodeState): boolean {
  return (node as Partial<NodeState>).description !== undefined;
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
  /** When that mark last came off in the trash: its time there counts from then. Absent where it never did. */
  readonly unmarkedTime?: string;
  /** Id of the user who last trashed it: their own restore in its old direction conveys as before (ACL3). Null while never trashed. */
  readonly trashedBy: string | null;
  readonly lastBatchID: string | null;
  readonly createdTime: string;
  readonly lastEditedTime: string;
}

/** A grant: an e-mail's level on a node, or on its whole branch. */
export interface GrantState {
  readonly nodeId: string;
  /** Case-folded. */
  readonly email: string;
  readonly level: Level;
  readonly due: string | null;
  readonly branch: boolean;
  readonly version: number;
  /** Whether the grantee wants the grant's nodes in their graph and pushes (ACL6). */
  readonly showing: boolean;
  /** Id of the node whose grant to the same e-mail this one was copied from and follows; null for a grant of its own (NODE3). */
  readonly copyOf: string | null;
}

/** The head of a feed: where its numbers are, who owns it, and whether anybody may read it. */
export interface FeedState {
  /** `user:<id>`, `root:<node id>` or `node:<node id>`. */
  readonly id: string;
  /** The user, or the owner of the node: the feed moves under this owner's lock alone. */
  readonly ownerId: string;
  /** The number of its last slice. */
  readonly seq: number;
  /** Part of its room's name; raised when a reader may have been taken away. */
  readonly epoch: number;
  /** How many grants make it readable. */
  readonly grants: number;
  /** Whether its node is published as this feed: with its branch, or alone. */
  readonly public: boolean;
}

/** The reader or actor. */
export interface Reader {
  readonly id: string;
  readonly email: string;
}

/** A user whom the group has locked, as read under the lock. */
export interface LockedUser extends Reader, OwnerNames {
  /** Rises with each batch that touches what is theirs. */
  readonly rev: number;
  /** Timestamp of the newest batch that concerned this owner, or '' (HIS7). */
  readonly lastTs: string;
  /** Head of the user's own feed. It moves under this lock alone. */
  readonly seq: number;
  readonly epoch: number;
}

/** Names of the users whose nodes are loaded. */
export interface OwnerNames {
  readonly username: string;
  readonly email: string;
}
