// A decision's outcome. The write, the ack's diff, the broadcast and the history all come from this one list.
import type { Op } from '@taskgraph/wire/codes';
import type { FeedState, GrantState, LinkState, NodeState } from './state.ts';

/** How a change came about. */
interface ChangeCause {
  /** A side effect is judged anew by undo and never conflicts (HIS2); all else is what the command itself set. */
  readonly effect?: true;
  /** Of a command of several steps: which of them, from 0. Undo takes the last one back first (BAT5). */
  readonly step?: number;
}

/**
 * One version step of a node. `before` is null where it was created, `after` where it was deleted. `fields` are the changed ones,
 * without version and lastEditedTime; empty where it was created or deleted.
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

/** A node's blocker count moved and nothing that anybody sees: no version step, no diff, no history. */
export interface CounterChange {
  readonly kind: 'counter';
  readonly id: string;
  readonly openBlockers: number;
}

/** A trashed link's mark came off: it no longer comes back with its node (TRS3). No field on the wire and no version step. */
export interface MarkChange {
  readonly kind: 'mark';
  readonly id: string;
  /** When: from then on it counts as being in the trash by itself. */
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

/** A node came to a feed, left it, or belongs to it by another link now. `via` is null where the node is the feed's own. */
export interface MemberChange {
  readonly kind: 'member';
  readonly id: string;
  readonly feed: string;
  readonly before: { readonly via: string | null } | null;
  readonly after: { readonly via: string | null } | null;
  /** Of a command of several steps: the one by which the node came to the feed. */
  readonly since?: number;
}

/** A feed was made, or its grants, publication or epoch moved. Its number is no part of this. */
export interface FeedChange {
  readonly kind: 'feed';
  readonly id: string;
  readonly before: FeedState | null;
  readonly after: FeedState;
}

/** The grantee shows or hides a grant's nodes: nobody else learns of it (ACL6). */
export interface ShowingChange {
  readonly kind: 'showing';
  readonly id: string;
  readonly email: string;
  readonly showing: boolean;
}

/** A batch was undone, or done again; `id` is that of the batch that was not made by undo or redo (HIS5). */
export interface UndoneChange {
  readonly kind: 'undone';
  readonly id: string;
  readonly undone: boolean;
  /** The undo or redo that did it. */
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

/** The state that a change is about: the one after it, or the last one of what was deleted. */
export function subjectOf<T extends VisibleChange>(change: T): NonNullable<T['after']> {
  const state = change.after ?? change.before;
  if (state === null) throw new Error(`the change of ${change.id} has neither a state before nor one after`);
  return state as NonNullable<T['after']>;
}

/** The key that a grant is known by: its node and its e-mail. */
export function grantKey(nodeId: string, email: string): string {
  return `${nodeId}|${email}`;
}

/** The owners of all nodes, ends of links, grants and memberships that these changes touch. */
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

/** Ids of the nodes and links that visible changes are about, for a feed's entry. */
export function idsOf(changes: readonly Change[]): { nodes: string[]; links: string[] } {
  const ids = { nodes: new Set<string>(), links: new Set<string>() };
  for (const change of changes.filter(isVisible)) ids[change.kind === 'link' ? 'links' : 'nodes'].add(change.id);
  return { nodes: [...ids.nodes], links: [...ids.links] };
}
