// The outcome of a decision. The write, the reply, the slices and the history all derive from this
// list.
import type { Op } from '@taskgraph/wire/codes';
import type { FeedState, GrantState, LinkState, NodeState } from './state.ts';

/** The cause of a change. */
interface ChangeCause {
  /**
   * A side effect, which undo recomputes and which never conflicts (HIS2). Otherwise the command
   * itself set it.
   */
  readonly effect?: true;
  /**
   * For a command of several steps: the index of the step. Undo reverts the last step first (BAT5).
   */
  readonly step?: number;
}

/**
 * One version step of a node. `before` is null for a creation, `after` for a deletion. `fields` are
 * the changed fields without `version` and `lastEditedTime`; empty for a creation or deletion.
 */
export interface NodeChange extends ChangeCause {
  readonly kind: 'node';
  readonly op: Op;
  readonly id: string;
  readonly before: NodeState | null;
  readonly after: NodeState | null;
  readonly fields: readonly (keyof NodeState)[];
}

/** One version step of a link. */
export interface LinkChange extends ChangeCause {
  readonly kind: 'link';
  readonly op: Op;
  readonly id: string;
  readonly before: LinkState | null;
  readonly after: LinkState | null;
  readonly fields: readonly (keyof LinkState)[];
}

/**
 * A node's blocker count changed, without a visible effect: no version step, no diff, no history.
 */
export interface CounterChange {
  readonly kind: 'counter';
  readonly id: string;
  readonly openBlockers: number;
}

/**
 * A trashed link lost its mark and no longer returns with its node (TRS3). Clients do not see the
 * mark, and there is no version step.
 */
export interface MarkChange {
  readonly kind: 'mark';
  readonly id: string;
  /** From this time on, the link counts as trashed alone. */
  readonly time: string;
}

/** One version step of a grant. `id` is the node's, as in the diff's `access` entries (ACL4). */
export interface GrantChange extends ChangeCause {
  readonly kind: 'grant';
  readonly op: Op;
  readonly id: string;
  readonly before: GrantState | null;
  readonly after: GrantState | null;
  readonly fields: readonly (keyof GrantState)[];
}

/**
 * A node joined a feed, left it, or now belongs to it by another link. `via` is null for the feed's
 * own node.
 */
export interface MemberChange {
  readonly kind: 'member';
  readonly id: string;
  readonly feed: string;
  readonly before: { readonly via: string | null } | null;
  readonly after: { readonly via: string | null } | null;
  /** For a command of several steps: the step in which the node joined the feed. */
  readonly since?: number;
}

/**
 * A feed was created, or its grants, publication or epoch changed. Slice numbers are not part of
 * it.
 */
export interface FeedChange {
  readonly kind: 'feed';
  readonly id: string;
  readonly before: FeedState | null;
  readonly after: FeedState;
}

/** The grantee shows or hides a grant's nodes. No other user sees this change (ACL6). */
export interface ShowingChange {
  readonly kind: 'showing';
  readonly id: string;
  readonly email: string;
  readonly showing: boolean;
}

/** A batch was undone or redone; `id` is the origin's (HIS5). */
export interface UndoneChange {
  readonly kind: 'undone';
  readonly id: string;
  readonly undone: boolean;
  /** The undo or redo that caused it. */
  readonly last: string;
}

export type Change =
  | NodeChange
  | LinkChange
  | GrantChange
  | CounterChange
  | MarkChange
  | MemberChange
  | FeedChange
  | ShowingChange
  | UndoneChange;
/** A change that clients see. */
export type VisibleChange = NodeChange | LinkChange | GrantChange;

export function isVisible(change: Change): change is VisibleChange {
  return change.kind === 'node' || change.kind === 'link' || change.kind === 'grant';
}

/** The state after a change, or the last state of a deleted entity. */
export function subjectOf<T extends VisibleChange>(change: T): NonNullable<T['after']> {
  const state = change.after ?? change.before;
  if (state === null) throw new Error(`the change of ${change.id} has neither a state before nor one after`);
  return state as NonNullable<T['after']>;
}

/** The key of a grant: its node and its e-mail. */
export function grantKey(nodeId: string, email: string): string {
  return `${nodeId}|${email}`;
}

/** The owners of all nodes, ends of links, grants and memberships in these changes. */
export function concernedOwners(
  changes: readonly Change[],
  nodeOf: (id: string) => Pick<NodeState, 'ownerId'>,
): Set<string> {
  const owners = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'link') {
      const { source, target } = subjectOf(change);
      for (const end of [source, target]) owners.add(nodeOf(end).ownerId);
    } else if (
      change.kind === 'node' ||
      change.kind === 'counter' ||
      change.kind === 'grant' ||
      change.kind === 'member'
    )
      owners.add(nodeOf(change.id).ownerId);
  }
  return owners;
}

/** Ids of the nodes and links in visible changes, for a feed's entry. */
export function idsOf(changes: readonly Change[]): { nodes: string[]; links: string[] } {
  const ids = { nodes: new Set<string>(), links: new Set<string>() };
  for (const change of changes.filter(isVisible)) ids[change.kind === 'link' ? 'links' : 'nodes'].add(change.id);
  return { nodes: [...ids.nodes], links: [...ids.links] };
}
