// Trashing, restoring and deleting nodes (TRS).
import { Level, Op } from '@taskgraph/wire/codes';
import {
  changeLink,
  changeNode,
  type Draft,
  findLink,
  findNode,
  removeGrant,
  removeLink,
  removeNode,
} from '../draft.ts';
import { actorLevel, atLeast, type Command, refuse, staleVersion } from '../refusals.ts';
import { levelOnRestore } from '../rules/access.ts';
import { followOriginal } from '../rules/grant-rules.ts';
import { restorableLinks } from '../rules/restore.ts';
import { recomputeStatuses } from '../rules/status.ts';
import type { ModelNode } from '../state.ts';

/** Rules: TRS1, TRS4. */
const nodeTrash: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (!atLeast(actorLevel(draft, node), Level.EDITOR)) return refuse('forbidden');
  if (node.inTrash) return refuse('conflict.already_trashed');
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  trashNode(draft, node.id);
  recomputeStatuses(draft);
  return null;
};

/**
 * Moves a node to the trash with all its active links, of all owners: links first, by id. Rules:
 * TRS1, TRS3, BLK10.
 */
export function trashNode(draft: Draft, id: string): void {
  const links = draft.state.links.filter((link) => !link.inTrash && (link.source === id || link.target === id));
  const fields = { inTrash: true, lastBatchID: draft.moment.batchId };
  for (const link of links.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const marks = { marked: true, trashedBy: draft.actor.id };
    changeLink(draft, Op.LINK_TRASH, link.id, { ...fields, ...marks }, 'effect');
  }
  changeNode(draft, Op.NODE_TRASH, id, fields, 'own');
}

/** Rules: TRS2, TRS3. */
const nodeRestore: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  const level = levelOnRestore(draft.state, draft.actor, node, draft.moment.now);
  if (!atLeast(level, Level.EDITOR)) return refuse('forbidden');
  if (!node.inTrash) return refuse('not_trashed_node');
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  restoreNode(draft, node.id);
  recomputeStatuses(draft);
  return null;
};

/**
 * Restores a node with its links that were trashed with a node. Rules: TRS3, ACL3.
 *
 * ACL3: a link that is restored with its node propagates if it did before, whatever the restorer's
 * rights: a restore is not a request to share the node. TRS3: `lastBatchID` stays; it is "the batch
 * that last moved the item to the trash".
 */
export function restoreNode(draft: Draft, id: string): void {
  const { back, skipped } = restorableLinks(draft.state, id);
  changeNode(draft, Op.NODE_RESTORE, id, { inTrash: false }, 'own');
  for (const link of back) {
    changeLink(draft, Op.LINK_RESTORE, link.id, { inTrash: false, marked: false }, 'effect');
  }
  for (const link of skipped) {
    Object.assign(findLink(draft.state, link.id)!, { marked: false, unmarkedTime: draft.moment.now });
    draft.skipped.push(link.id);
  }
}

/**
 * Rules: TRS5, NODE3 (copies end with their originals).
 *
 * TRS5: the deleted grants are steps of the batch, so they are entries in `access`.
 */
const nodeDelete: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (node.ownerId !== draft.actor.id) return refuse('forbidden');
  if (!node.inTrash) return refuse('not_trashed_node');
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  deleteNode(draft, node);
  return null;
};

/** Deletes a trashed node permanently, with its links and grants. Rules: TRS5, NODE3. */
export function deleteNode(draft: Draft, node: ModelNode): void {
  const links = draft.state.links.filter((link) => link.source === node.id || link.target === node.id);
  for (const link of links.sort((a, b) => (a.id < b.id ? -1 : 1))) removeLink(draft, link, 'effect');
  for (const grant of draft.state.grants.filter((one) => one.nodeId === node.id)) {
    removeGrant(draft, grant, 'effect');
    followOriginal(draft, node.id, grant.email);
  }
  removeNode(draft, node);
}

/** By event. */
export const trashCommands: Readonly<Record<string, Command>> = {
  'node:trash': nodeTrash,
  'node:restore': nodeRestore,
  'node:delete': nodeDelete,
};
