// The stored form of nodes, links and grants, on which decisions are made. Timestamps are ISO 8601
// UTC with milliseconds.
import type { Level } from '@taskgraph/wire/codes';
import type { StoredLink } from '@taskgraph/wire/link-fields';
import type { StoredNode } from '@taskgraph/wire/node-fields';

/** A node, by the table of its fields in `@taskgraph/wire`. */
export type NodeState = StoredNode;

/**
 * Whether a node was loaded with its content: title, description, tags and assignees. The ends of
 * links are loaded as outlines: a node may have 20,000 links, and their content must not fill the
 * memory of a command that trashes it (LNK2).
 */
export function isWhole(node: NodeState): boolean {
  return (node as Partial<NodeState>).description !== undefined;
}

/** A link, by the table of its fields in `@taskgraph/wire`. */
export type LinkState = StoredLink;

/** An e-mail's level on a node or on its branch. */
export interface GrantState {
  readonly nodeId: string;
  /** Case-folded. */
  readonly email: string;
  readonly level: Level;
  readonly due: string | null;
  readonly branch: boolean;
  readonly version: number;
  /** Whether the grantee receives the grant's nodes in pages and pushes (ACL6). */
  readonly showing: boolean;
  /** The node whose grant this one copies and follows; null for an original (NODE3). */
  readonly copyOf: string | null;
}

/** The head of a feed, its owner and its readers. */
export interface FeedState {
  /** `user:<id>`, `root:<node id>` or `node:<node id>`. */
  readonly id: string;
  /** The user, or the owner of the node. The feed changes under this owner's lock alone. */
  readonly ownerId: string;
  /** The number of its last slice. */
  readonly seq: number;
  /** Grows when a reader may have lost access. */
  readonly epoch: number;
  /** The number of grants that open the feed. */
  readonly grants: number;
  /** Whether a publication opens the feed. */
  readonly public: boolean;
}

/** A reader, or the actor of a command. */
export interface Reader {
  readonly id: string;
  readonly email: string;
}

/** A user, read under the group's lock. */
export interface LockedUser extends Reader, OwnerNames {
  /** Grows with each batch that touches the user's entities. */
  readonly rev: number;
  /** Timestamp of the newest batch that concerned this owner, or '' (HIS7). */
  readonly lastTs: string;
  /** The head of the user's own feed. It changes under this lock alone. */
  readonly seq: number;
  readonly epoch: number;
}

/** Names of the users whose nodes are loaded. */
export interface OwnerNames {
  readonly username: string;
  readonly email: string;
}
