// Publishing a node or a branch (PUB).
import { Op } from '@taskgraph/wire/codes';
import { changeNode, findNode } from '../draft.ts';
import { type Command, refuse, staleVersion } from '../refusals.ts';
import { mayShare } from '../rules/grant-rules.ts';
import type { ModelNode } from '../state.ts';

/**
 * Whether a publication is in force. Rules: PUB1, ACL5.
 *
 * PUB1: an expired publication counts as none, so a node can be published again before a job ends
 * the old one.
 */
function counts(node: ModelNode, now: string): boolean {
  return node.publicToken !== null && (node.publicDue === null || node.publicDue > now);
}

/** Rules: PUB1, PUB2, ACL4. */
const nodePublish: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  const publicBranch = (payload.branch as boolean | undefined) ?? true;
  if (!mayShare(draft, node, publicBranch)) return refuse('forbidden');
  if (node.inTrash) return refuse('conflict.in_trash');
  if (counts(node, draft.moment.now)) return refuse('conflict.already_public');
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  const publicDue = (payload.due as string | null | undefined) ?? null;
  const fields = { publicToken: draft.moment.publicToken, publicDue, publicBranch };
  changeNode(draft, Op.NODE_PUBLISH, node.id, fields, 'own');
  return null;
};

/** Rules: PUB1, PUB2, ACL4, GEN9. */
const nodePublishUpdate: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (!mayShare(draft, node, payload.branch === true || node.publicBranch)) return refuse('forbidden');
  if (node.inTrash) return refuse('conflict.in_trash');
  if (!counts(node, draft.moment.now)) return refuse('conflict.not_public');
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  const publicDue = payload.due === undefined ? node.publicDue : (payload.due as string | null);
  const publicBranch = (payload.branch as boolean | undefined) ?? node.publicBranch;
  if (publicDue === node.publicDue && publicBranch === node.publicBranch) return null;
  changeNode(draft, Op.NODE_PUBLISH, node.id, { publicDue, publicBranch }, 'own');
  return null;
};

/**
 * Rules: PUB1, ACL4 (revoking is allowed in the trash too; a branch publication requires an admin
 * of the branch).
 *
 * PUB1: `publicBranch` becomes false, as before any publication.
 */
const nodeUnpublish: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (!mayShare(draft, node, node.publicBranch)) return refuse('forbidden');
  if (!counts(node, draft.moment.now)) return refuse('conflict.not_public');
  const stale = staleVersion(node, payload);
  if (stale !== null) return stale;
  const fields = { publicToken: null, publicDue: null, publicBranch: false };
  changeNode(draft, Op.NODE_PUBLISH, node.id, fields, 'own');
  return null;
};

/** By event. */
export const publishCommands: Readonly<Record<string, Command>> = {
  'node:publish': nodePublish,
  'node:publish:update': nodePublishUpdate,
  'node:unpublish': nodeUnpublish,
};
