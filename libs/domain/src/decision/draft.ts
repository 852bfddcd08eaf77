// One command's tentative changes on a world. It keeps blocker counts in step and remembers whose statuses must be recomputed.
// The file is long because it has every operation that a command may perform on a world.
import { LinkType, Op, SHOWN_IN_FULL, Status } from '@taskgraph/wire/codes';
import { PUBLICATION_FIELDS } from '@taskgraph/wire/node-fields';
import type { BatchHead, LaterBatch, StoredBatch } from '../state/batch.ts';
import { type Change, isVisible } from '../state/change.ts';
import { lookupsOf } from '../state/lookups.ts';
import { NotLoaded, type ReadItem } from '../state/read-set.ts';
import { type GrantState, isWhole, type LinkState, type NodeState } from '../state/state.ts';
import { CONTENT, textSteps } from '../state/text-cost.ts';
import type { Work } from '../state/work.ts';
import { layerOver, type World } from '../state/world.ts';
import { applyChange } from './apply-change.ts';
import { differingFields } from './field-differences.ts';

type NodePatch = Partial<Omit<NodeState, 'id' | 'ownerId' | 'version' | 'createdTime' | 'lastEditedTime'>>;
type GrantPatch = Partial<Omit<GrantState, 'nodeId' | 'email' | 'version'>>;
type LinkPatch = Partial<Omit<LinkState, 'id' | 'ownerId' | 'version' | 'createdTime' | 'lastEditedTime'>>;

export interface Draft {
  /** The world that the command found: rights are judged on it. */
  readonly base: World;
  /** A layer over it with the draft's changes. */
  readonly world: World;
  readonly now: string;
  /** Counts what the command does. */
  readonly work: Work;
  readonly changes: readonly Change[];
  /** Nodes whose blockers or independence moved and that `recomputeStatuses` has to look at. */
  readonly toRecompute: Set<string>;
  /** Nodes that left Completed: links that they are the source of may block for the first time (BLK9). */
  readonly reopened: Set<string>;
  /** Nodes that stopped being independent: links that reach them may block for the first time (BLK9). */
  readonly dependentAgain: Set<string>;
  node(id: string): NodeState | null;
  link(id: string): LinkState | null;
  /** A node that is known to exist, for instance the end of a link. */
  existingNode(id: string): NodeState;
  existingLink(id: string): LinkState;
  /** Asks for many nodes at once, so that a long list costs one round of loading and not one a node. */
  requireNodes(ids: readonly string[]): void;
  requireLinks(ids: readonly string[]): void;
  requireTargetsOf(ids: readonly string[]): void;
  /** All that `path` searches from each of these nodes. */
  requireClosures(ids: readonly string[]): void;
  degree(id: string): number;
  /** How many of the active links on a node are this user's. */
  linksBy(node: string, owner: string): number;
  /** All links on a node, trashed ones included, by id. */
  linksOn(id: string): LinkState[];
  /** The active links on a node, by id. */
  activeOn(id: string): LinkState[];
  /** The links that come back with a node if it is active again, by id: trashed with a node, and with an active node at the other end (TRS3). */
  returningOn(id: string): LinkState[];
  /** Asks for many counts of `linksBy` at once. */
  requireLinksBy(pairs: readonly { readonly node: string; readonly owner: string }[]): void;
  linksBetween(one: string, other: string): LinkState[];
  /** Asks for many of them at once. */
  requireLinksBetween(pairs: readonly (readonly [string, string])[]): void;
  batch(id: string): StoredBatch | null;
  /** Ids of the users who may know that something deleted for good was there; none for what never was (TRS5). */
  recallers(id: string): readonly string[];
  /** A batch without its changes. */
  batchHead(id: string): BatchHead | null;
  /** The newest batches that touched an entity since another batch, newest first; perhaps not all of them. */
  later(item: ReadItem<'laterThan'>): readonly LaterBatch[];
  /** Asks for many of both at once. */
  requireHistory(heads: readonly string[], later: readonly ReadItem<'laterThan'>[]): void;
  /** Active primary links that leave a node: link id to target id. */
  primaryFrom(id: string): ReadonlyMap<string, string>;
  /** All active primary links that reach a node. */
  primaryInto(id: string): ReadonlySet<string>;
  /** Some of them that block it, for display. */
  blockersOf(id: string): ReadonlySet<string>;
  /** Node ids of a shortest path of active primary links, both ends included, or null. `without` leaves one link out. */
  path(from: string, to: string, without?: string): readonly string[] | null;
  addNode(op: Op, node: NodeState): void;
  addLink(op: Op, link: LinkState): void;
  /** One version step of a node. Fields that already hold the value are left out; nothing happens where none is left. */
  changeNode(op: Op, id: string, patch: NodePatch): void;
  changeLink(op: Op, id: string, patch: LinkPatch): void;
  /** Notes that a link blocks for the first time: in the entry that it has in this step, otherwise in one of its own (BLK9). */
  markBlocker(id: string): void;
  /** Takes the mark off a trashed link: it no longer comes back with its node (TRS3). */
  unmarkLink(id: string): void;
  /** Deletes for good; a node's links must be deleted before it. */
  deleteLink(op: Op, id: string): void;
  deleteNode(op: Op, id: string): void;
  addGrant(op: Op, grant: GrantState): void;
  /** One version step of a grant, like `changeNode`. */
  changeGrant(op: Op, grant: GrantState, patch: GrantPatch): void;
  deleteGrant(op: Op, grant: GrantState): void;
  /** Grants, by key, that follow this one (NODE3). */
  copiesOf(key: string): readonly string[];
  /** How many grants an e-mail has on the nodes of this node's owner. */
  grantsTo(node: Pick<NodeState, 'id' | 'ownerId'>, email: string): number;
  /** All that is changed meanwhile is a side effect: undo recomputes it (HIS2). */
  asEffect(changing: () => void): void;
  /** Notes a change that nobody sees. */
  record(change: Change): void;
  /** Whether the command has changed links, in this draft or before it. */
  movesLinks(): boolean;
}

/**
 * Opens a draft over a world; the world is not touched. `now` is the batch's timestamp. `movesLinks` tells that the command has changed links
 * before this draft.
 */
export function createDraft(
  base: World,
  { now, work, movesLinks }: Pick<Draft, 'now' | 'work'> & { readonly movesLinks: boolean },
): Draft {
  const world = layerOver(base, work);
  const changes: Change[] = [];
  let hasMovedLinks = movesLinks;
  const toRecompute = new Set<string>();
  const reopened = new Set<string>();
  const dependentAgain = new Set<string>();
  let effects = 0;
  const record = (change: Change) => {
    work.change();
    work.pass(textSteps(change));
    const noted = effects > 0 && isVisible(change) ? { ...change, effect: true as const } : change;
    changes.push(noted);
    hasMovedLinks ||= change.kind === 'link';
    applyChange(world, noted);
  };
  // The database knows nothing of what this command did to links; only before that may its answer about a path be used.
  const lookup = lookupsOf(world, () => !hasMovedLinks, work);
  const shiftBlockers = (target: string, by: number) => {
    if (by === 0) return;
    const node = lookup.existingNode(target);
    record({ kind: 'counter', id: target, openBlockers: node.openBlockers + by });
    toRecompute.add(target);
  };
  const draft: Draft = {
    base,
    world,
    record,
    now,
    work,
    movesLinks: () => hasMovedLinks,
    changes,
    toRecompute,
    reopened,
    dependentAgain,
    ...lookup,
    addNode(op, node) {
      record({ kind: 'node', op, id: node.id, before: null, after: node, fields: [] });
    },
    addLink(op, link) {
      const after = { ...link, wasBlocker: blocks(draft, link) };
      record({ kind: 'link', op, id: link.id, before: null, after, fields: [] });
      shiftBlockers(after.target, opens(draft, after) ? 1 : 0);
    },
    changeNode(op, id, patch) {
      const before = lookup.existingNode(id);
      // An entity that comes back is shown whole, and content is compared with what is there.
      const asksForContent = SHOWN_IN_FULL.has(op) || CONTENT.some((field) => field in patch);
      if (asksForContent) requireWhole(before);
      const differs = differingFields(before, patch);
      if (differs.length === 0) return;
      // A publication is shown whole, whichever part of it changed (WIRE5).
      const fields = op === Op.NODE_PUBLISH ? PUBLICATION_FIELDS : differs;
      const after = { ...before, ...patch, version: before.version + 1, lastEditedTime: now };
      record({ kind: 'node', op, id, before, after, fields });
      if (before.independent !== after.independent || before.inTrash !== after.inTrash) toRecompute.add(id);
      if (before.independent && !after.independent) dependentAgain.add(id);
      const opened = (after.status === Status.COMPLETED ? 0 : 1) - (before.status === Status.COMPLETED ? 0 : 1);
      if (opened > 0) reopened.add(id);
      if (opened === 0) return;
      const targets = [...lookup.primaryFrom(id).values()];
      lookup.requireNodes(targets);
      for (const target of targets) shiftBlockers(target, opened);
    },
    changeLink(op, id, patch) {
      const before = lookup.existingLink(id);
      const wanted = withBlockerMark(draft, before, patch);
      const fields = differingFields(before, wanted);
      if (fields.length === 0) return;
      const after = { ...before, ...wanted, version: before.version + 1, lastEditedTime: now };
      const openedBefore = opens(draft, before);
      record({ kind: 'link', op, id, before, after, fields });
      const openedAfter = opens(draft, after);
      if (before.target === after.target) shiftBlockers(after.target, Number(openedAfter) - Number(openedBefore));
      else {
        shiftBlockers(before.target, openedBefore ? -1 : 0);
        shiftBlockers(after.target, openedAfter ? 1 : 0);
      }
    },
    markBlocker(id) {
      const at = changes.findLastIndex((change) => change.kind === 'link' && change.id === id);
      const change = changes[at];
      if (change?.kind !== 'link' || change.after === null)
        return draft.changeLink(Op.LINK_UPDATE, id, { wasBlocker: true });
      // Of a new link no fields are named: it is shown whole.
      const fields = change.before === null ? change.fields : [...change.fields, 'wasBlocker' as const];
      const marked = { ...change, after: { ...change.after, wasBlocker: true }, fields };
      changes[at] = marked;
      applyChange(world, marked);
    },
    unmarkLink(id) {
      if (lookup.existingLink(id).trashedWithNode) record({ kind: 'mark', id, time: now });
    },
    deleteLink(op, id) {
      record({ kind: 'link', op, id, before: lookup.existingLink(id), after: null, fields: [] });
    },
    deleteNode(op, id) {
      const before = lookup.existingNode(id);
      requireWhole(before);
      record({ kind: 'node', op, id, before, after: null, fields: [] });
    },
    addGrant(op, grant) {
      record({ kind: 'grant', op, id: grant.nodeId, before: null, after: grant, fields: [] });
    },
    changeGrant(op, before, patch) {
      const fields = differingFields(before, patch);
      if (fields.length === 0) return;
      const after = { ...before, ...patch, version: before.version + 1 };
      record({ kind: 'grant', op, id: before.nodeId, before, after, fields });
    },
    deleteGrant(op, before) {
      record({ kind: 'grant', op, id: before.nodeId, before, after: null, fields: [] });
    },
    asEffect(changing) {
      effects++;
      changing();
      effects--;
    },
  };
  return draft;
}

/** Asks for a node's content where it came without, as the end of a link does. */
function requireWhole(node: NodeState): void {
  if (!isWhole(node)) throw new NotLoaded({ nodes: [node.id] });
}

/** Whether a link counts as an open blocker of its target: active, primary and from a node that is not Completed (BLK1). */
function opens(draft: Pick<Draft, 'existingNode'>, link: LinkState): boolean {
  if (link.inTrash || link.type !== LinkType.PRIMARY) return false;
  const source = draft.existingNode(link.source);
  return !source.inTrash && source.status !== Status.COMPLETED;
}

/** Whether a link blocks its target (BLK1). */
export function blocks(draft: Pick<Draft, 'existingNode'>, link: LinkState): boolean {
  return opens(draft, link) && !draft.existingNode(link.target).independent;
}

/** `wasBlocker` turns true when the link first blocks, and false only when it becomes secondary (BLK9). */
function withBlockerMark(draft: Pick<Draft, 'existingNode'>, before: LinkState, patch: LinkPatch): LinkPatch {
  const after = { ...before, ...patch };
  if (after.type !== LinkType.PRIMARY && before.type === LinkType.PRIMARY) return { ...patch, wasBlocker: false };
  return { ...patch, wasBlocker: after.wasBlocker || blocks(draft, after) };
}
