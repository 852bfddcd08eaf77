// Blockers, and the statuses that follow from them (BLK).
import { LinkType, Op, Status } from '@taskgraph/wire/codes';
import { changeLink, changeNode, type Draft, findNode } from '../draft.ts';
import type { ModelLink, ModelNode, ModelState, ModelUser } from '../state.ts';
import { seesLink } from './access.ts';

/** Whether a link blocks its target. Rules: BLK1, BLK7. */
function blocks(state: ModelState, link: ModelLink): boolean {
  if (link.type !== LinkType.PRIMARY || link.inTrash) return false;
  const source = findNode(state, link.source)!;
  return !source.inTrash && source.status !== Status.COMPLETED && !findNode(state, link.target)!.independent;
}

/** The links that block a node. Rules: BLK2, LNK9 (private ones too). */
export function blockersOf(state: ModelState, nodeId: string): ModelLink[] {
  return state.links.filter((link) => link.target === nodeId && blocks(state, link));
}

/**
 * The blockers of a node as a user sees them, with all hidden ones as one. Rules: BLK4, LNK9.
 *
 * BLK4: a blocker is a link with its source, `{id, link}`. A node that blocks by two links, each of
 * another owner, is listed twice, because both links have to go.
 */
export function blockersShown(state: ModelState, user: ModelUser, nodeId: string, now: string): object[] {
  const blockers = blockersOf(state, nodeId);
  const seen = blockers.filter((link) => seesLink(state, user, link, now));
  const shown: object[] = seen.map((link) => ({ id: link.source, link: link.id }));
  return seen.length === blockers.length ? shown : [...shown, { hidden: true }];
}

/** The status of a node before a batch, and its time of completion. */
export type FormerStatus = Pick<ModelNode, 'status' | 'completedTime'>;

/**
 * Derives all nodes again until nothing changes. A round changes the nodes with a wrong status
 * whose upstream nodes are right. So each node changes once, the nearest first, and nodes of one
 * round by id. `exact` has the values that undo and redo restore where nothing blocks. Rules: BLK2,
 * BLK3, BLK5, BLK6, BLK9, BLK10, BLK11, HIS2.
 */
export function recomputeStatuses(draft: Draft, exact: ReadonlyMap<string, FormerStatus> = new Map()): void {
  for (let wrong = misjudged(draft.state); wrong.length > 0; wrong = misjudged(draft.state)) {
    for (const node of wrong) {
      const fields =
        node.status === Status.BLOCKED
          ? { ...unblocked(node, exact.get(node.id)), statusBefore: null }
          : { status: Status.BLOCKED, statusBefore: node.status };
      changeNode(draft, Op.NODE_STATUS, node.id, fields, 'effect');
    }
  }
  recordBlockers(draft);
}

/** The active nodes that are Blocked without a blocker, or not Blocked with one, by id. Rules: BLK2, BLK10. */
function misjudged(state: ModelState): ModelNode[] {
  const wrong = state.nodes
    .filter((node) => !node.inTrash)
    .filter((node) => (node.status === Status.BLOCKED) !== blockersOf(state, node.id).length > 0)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return wrong.filter((node) => wrong.every((other) => other === node || !upstreamOf(state, node.id).has(other.id)));
}

/** All nodes from which active primary links lead to a node. Rules: LNK4 (there is no cycle of them). */
function upstreamOf(state: ModelState, nodeId: string): Set<string> {
  const upstream = new Set([nodeId]);
  for (const id of upstream) {
    for (const link of state.links) {
      if (!link.inTrash && link.type === LinkType.PRIMARY && link.target === id) upstream.add(link.source);
    }
  }
  upstream.delete(nodeId);
  return upstream;
}

/** The status to which unblocking returns. Rules: BLK3, BLK11 (a restored completion has its former time). */
function unblocked(node: ModelNode, exact: FormerStatus | undefined): Partial<FormerStatus> {
  // If a user has set another status meanwhile, that one counts.
  if (exact !== undefined && exact.status === node.statusBefore) return exact;
  const status = node.statusBefore ?? Status.AVAILABLE;
  return { status: status === Status.COMPLETED ? Status.IN_PROGRESS : status };
}

/**
 * Records which links block for the first time: in their own step if they have one, otherwise in a
 * new one. Rules: BLK9.
 */
function recordBlockers(draft: Draft): void {
  for (const link of draft.state.links) {
    if (link.wasBlocker || !blocks(draft.state, link)) continue;
    const own = draft.ops.findLast((op) => op.part === draft.part && op.kind === 'link' && op.id === link.id);
    if (own === undefined) {
      changeLink(draft, Op.LINK_UPDATE, link.id, { wasBlocker: true }, 'effect');
    } else {
      link.wasBlocker = true;
      (own.after as ModelLink).wasBlocker = true;
    }
  }
}
