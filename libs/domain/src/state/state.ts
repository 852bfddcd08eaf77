// The stored form of nodes, links and grants: what decisions are made on. Timestamps are ISO 8601 UTC strings with milliseconds.
import type { Level } from '@taskgraph/wire/codes';
import type { StoredLink } from '@taskgraph/wire/link-fields';
import type { StoredNode } from '@taskgraph/wire/node-fields';

/** A node, by the table of its fields in `wire`. */
export type NodeState = StoredNode;

/**
 * Whether a node was loaded with its content (title, description, tags, assignees). Nodes that came as the ends of links come without: one
 * node may have 20,000 links, and the content of what others hung on it must not fill the memory of who trashes it (LNK2).
 */
export function isWhole(node: NodeState): boolean {
  return (node as Partial<NodeState>).description !== undefined;
}

/** A link, by the table of its fields in `wire`. */
export type LinkState = StoredLink;

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
