// The commands of the system: they end expired access and empty the trash (ACL5, TRS5).
import { Op } from '@taskgraph/wire/codes';
import { changeNode, findGrant, findLink, findNode, removeGrant, removeLink } from '../draft.ts';
import { type Command, refuse } from '../refusals.ts';
import { followOriginal } from '../rules/grant-rules.ts';
import type { ModelGrant } from '../state.ts';
import { deleteNode } from './trash-commands.ts';

/**
 * Ends the expired access on a node: grants by e-mail, then the publication. Rules: ACL5, NODE3,
 * GEN9.
 *
 * ACL5, NODE3: a copy ends "with its original, in the same batch", so it stays while its original
 * exists, expired or not.
 */
export const nodeExpire: Command = (draft, payload) => {
  const { now } = draft.moment;
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  const isOver = (due: string | null) => due !== null && due <= now;
  const waits = ({ copyOf, email }: ModelGrant) => {
    const original = copyOf === null ? undefined : findGrant(draft.state, copyOf, email);
    return original !== undefined && isOver(original.due);
  };
  const over = draft.state.grants.filter((grant) => grant.nodeId === node.id && isOver(grant.due) && !waits(grant));
  for (const grant of over.sort((a, b) => (a.email < b.email ? -1 : 1))) {
    removeGrant(draft, grant, 'own');
    followOriginal(draft, node.id, grant.email);
  }
  if (node.publicToken !== null && isOver(node.publicDue)) {
    const fields = { publicToken: null, publicDue: null, publicBranch: false };
    changeNode(draft, Op.NODE_PUBLISH, node.id, fields, 'own');
  }
  return null;
};

/** Deletes a node that was trashed before a moment, as its owner would. Rules: TRS5, GEN9. */
export const nodePurge: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (node.inTrash && node.lastEditedTime < (payload.before as string)) deleteNode(draft, node);
  return null;
};

/**
 * Deletes a link that was trashed before a moment. Rules: LNK10, TRS3, GEN9.
 *
 * TRS3, TRS5: a link that was trashed with a node is deleted with that node, and not alone. A link
 * that stayed in the trash when its node was restored counts from the restore.
 */
export const linkPurge: Command = (draft, payload) => {
  const link = findLink(draft.state, payload.id as string);
  if (link === undefined) return refuse('not_found');
  const since = [link.lastEditedTime, link.unmarkedTime ?? ''].sort().at(-1) as string;
  if (link.inTrash && !link.marked && since < (payload.before as string)) removeLink(draft, link, 'own');
  return null;
};
