// The tentative changes of one command on a world. A draft keeps blocker counts current and records
// the nodes whose status must be recomputed.
import { LinkType, Op, SHOWN_IN_FULL, Status } from '@taskgraph/wire/codes';
import { NO_CLAIM, PUBLICATION_FIELDS } from '@taskgraph/wire/node-fields';
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
  /** The world before the command. Rights are judged on it. */
  readonly base: World;
  /** A layer over `base` with the draft's changes. */
  readonly world: World;
  readonly now: string;
  readonly work: Work;
  readonly changes: readonly Change[];
  /** Nodes whose blockers or independence changed. */
  readonly toRecompute: Set<string>;
  /** Nodes that left Completed. Links from them may block for the first time (BLK9). */
  readonly reopened: Set<string>;
  /** Nodes that are no longer independent. Links to them may block for the first time (BLK9). */
  readonly dependentAgain: Set<string>;
  node(id: string): NodeState | null;
  link(id: string): LinkState | null;
  /** A node that is known to exist, for example the end of a link. */
  existingNode(id: string): NodeState;
  existingLink(id: string): LinkState;
  /** Requests many nodes in one load. */
  requireNodes(ids: readonly string[]): void;
  requireLinks(ids: readonly string[]): void;
  requireTargetsOf(ids: readonly string[]): void;
  /** Requests everything that `path` visits from each of these nodes. */
  requireClosures(ids: readonly string[]): void;
  degree(id: string): number;
  /** The number of this user's active links on a node. */
  linksBy(node: string, owner: string): number;
  /** All links on a node, including trashed ones, by id. */
  linksOn(id: string): LinkState[];
  /** The active links on a node, by id. */
  activeOn(id: string): LinkState[];
  /**
   * The links that a restore of the node would bring back, by id: trashed with a node, with an
   * active node at the other end (TRS3).
   */
  returningOn(id: string): LinkState[];
  /** Requests many counts of `linksBy` in one load. */
  requireLinksBy(pairs: readonly { readonly node: string; readonly owner: string }[]): void;
  linksBetween(one: string, other: string): LinkState[];
  /** Requests the links of many pairs in one load. */
  requireLinksBetween(pairs: readonly (readonly [string, string])[]): void;
  batch(id: string): StoredBatch | null;
  /** Ids of the users who may learn that a deleted entity existed; empty if it never did (TRS5). */
  formerReaders(id: string): readonly string[];
  /** A batch without its changes. */
  batchHead(id: string): BatchHead | null;
  /**
   * The newest batches that touched an entity after another batch, newest first; perhaps not all of
   * them.
   */
  later(item: ReadItem<'laterThan'>): readonly LaterBatch[];
  /** Requests many batch heads and later batches in one load. */
  requireHistory(heads: readonly string[], later: readonly ReadItem<'laterThan'>[]): void;
  /** Active primary links from a node: link id to target id. */
  primaryFrom(id: string): ReadonlyMap<string, string>;
  /** All active primary links to a node. */
  primaryInto(id: string): ReadonlySet<string>;
  /** Some of the links that block a node, for display. */
  blockersOf(id: string): ReadonlySet<string>;
  /**
   * Node ids of a shortest path of active primary links, including both ends, or null. `without`
   * excludes one link.
   */
  path(from: string, to: string, without?: string): readonly string[] | null;
  addNode(op: Op, node: NodeState): void;
  addLink(op: Op, link: LinkState): void;
  /**
   * One version step of a node, with the fields that differ. Without a difference nothing happens.
   * A node that enters Completed gets the time of the command, unless the patch names another
   * (BLK11). A claim ends when its node is no longer in progress (CLAIM3).
   */
  changeNode(op: Op, id: string, patch: NodePatch): void;
  changeLink(op: Op, id: string, patch: LinkPatch): void;
  /**
   * Records that a link blocks for the first time: in its entry of this step, or in an entry of its
   * own (BLK9).
   */
  markBlocker(id: string): void;
  /** Removes the mark of a trashed link, so that it no longer returns with its node (TRS3). */
  unmarkLink(id: string): void;
  /** Deletes permanently. A node's links must be deleted before it. */
  deleteLink(op: Op, id: string): void;
  deleteNode(op: Op, id: string): void;
  addGrant(op: Op, grant: GrantState): void;
  /** One version step of a grant, like `changeNode`. */
  changeGrant(op: Op, grant: GrantState, patch: GrantPatch): void;
  deleteGrant(op: Op, grant: GrantState): void;
  /** The keys of the copies that follow this grant (NODE3). */
  copiesOf(key: string): readonly string[];
  /** The number of the e-mail's grants on the nodes of this node's owner. */
  grantsTo(node: Pick<NodeState, 'id' | 'ownerId'>, email: string): number;
  /** Records all changes made by `changing` as side effects, which undo recomputes (HIS2). */
  asEffect(changing: () => void): void;
  /** Records a change that no client sees. */
  record(change: Change): void;
  /** Whether the command has changed links, in this draft or before it. */
  movesLinks(): boolean;
}

/**
 * Creates a draft over a world and leaves the world unchanged. `now` is the batch's timestamp.
 * `movesLinks`: whether the command has already changed links.
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
  // The database does not know this command's link changes, so its stored path counts only before
  // them.
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
    changeNode(op, id, given) {
      const before = lookup.existingNode(id);
      const patch = withClaimEnd(before, withAssignment(before, withCompletedTime(before, given, now)));
      // A restored entity is shown whole, and content is compared with the stored content.
      const asksForContent = SHOWN_IN_FULL.has(op) || CONTENT.some((field) => field in patch);
      if (asksForContent) requireWhole(before);
      const differs = differingFields(before, patch);
      if (differs.length === 0) return;
      // Every change of a publication shows all its fields (WIRE5).
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
      // A new link is shown whole, so it names no fields.
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

/** The patch with the time of completion, if the node enters or leaves Completed (BLK11). */
function withCompletedTime(before: NodeState, patch: NodePatch, now: string): NodePatch {
  const completes = (patch.status ?? before.status) === Status.COMPLETED;
  if (completes === (before.status === Status.COMPLETED)) return patch;
  if (!completes) return { ...patch, completedTime: null };
  return patch.completedTime === undefined ? { ...patch, completedTime: now } : patch;
}

/** The patch after which the assignees are no longer the claim's, because it changes them (CLAIM3). */
function withAssignment(before: NodeState, patch: NodePatch): NodePatch {
  if (before.claimAssigned !== true || patch.assignee === undefined) return patch;
  return differingFields(before, { assignee: patch.assignee }).length === 0
    ? patch
    : { claimAssigned: false, ...patch };
}

/**
 * The patch with the end of the node's claim, if the node is no longer in progress (CLAIM3). In the
 * trash it becomes Available, since nobody works on it after a restore.
 */
function withClaimEnd(before: NodeState, patch: NodePatch): NodePatch {
  if (before.claimId === null || isInProgress({ ...before, ...patch })) return patch;
  return { ...(patch.inTrash === true ? availableFrom(before) : {}), ...patch, ...NO_CLAIM };
}

/** The patch that makes a node Available. A Blocked node stores the status for later (BLK3). */
export function availableFrom({ status }: Pick<NodeState, 'status'>): Pick<NodePatch, 'status' | 'statusBefore'> {
  return status === Status.BLOCKED ? { statusBefore: Status.AVAILABLE } : { status: Status.AVAILABLE };
}

/** Whether a node is active and in progress, or will be once it is unblocked (BLK3). */
export function isInProgress({
  inTrash,
  status,
  statusBefore,
}: Pick<NodeState, 'inTrash' | 'status' | 'statusBefore'>): boolean {
  return !inTrash && (status === Status.BLOCKED ? statusBefore : status) === Status.IN_PROGRESS;
}

/** Requests a node's content if the node was loaded as an outline. */
function requireWhole(node: NodeState): void {
  if (!isWhole(node)) throw new NotLoaded({ nodes: [node.id] });
}

/**
 * Whether a link is an open blocker of its target: active, primary and from a node that is not
 * Completed (BLK1).
 */
function opens(draft: Pick<Draft, 'existingNode'>, link: LinkState): boolean {
  if (link.inTrash || link.type !== LinkType.PRIMARY) return false;
  const source = draft.existingNode(link.source);
  return !source.inTrash && source.status !== Status.COMPLETED;
}

/** Whether a link blocks its target (BLK1). */
export function blocks(draft: Pick<Draft, 'existingNode'>, link: LinkState): boolean {
  return opens(draft, link) && !draft.existingNode(link.target).independent;
}

/**
 * `wasBlocker` turns true when the link first blocks, and false only when it becomes secondary
 * (BLK9).
 */
function withBlockerMark(draft: Pick<Draft, 'existingNode'>, before: LinkState, patch: LinkPatch): LinkPatch {
  const after = { ...before, ...patch };
  if (after.type !== LinkType.PRIMARY && before.type === LinkType.PRIMARY) return { ...patch, wasBlocker: false };
  return { ...patch, wasBlocker: after.wasBlocker || blocks(draft, after) };
}
