// The commands on grants: grant, update, revoke, and the grantee's own `showing` (ACL).
import { Op } from '@taskgraph/wire/codes';
import { addGrant, changeGrant, findGrant, findNode, removeGrant } from '../draft.ts';
import { actorLevel, type Command, refuse, staleVersion } from '../refusals.ts';
import { grantsInForce, lasts } from '../rules/access.ts';
import { followOriginal, mayShare } from '../rules/grant-rules.ts';
import type { ModelGrant } from '../state.ts';

const DEFAULT_LEVEL = 3;

/** Whether a change leaves a grant unchanged. Rules: GEN9. */
function isSame(grant: ModelGrant, fields: Pick<ModelGrant, 'level' | 'due' | 'branch'>): boolean {
  return grant.level === fields.level && grant.due === fields.due && grant.branch === fields.branch;
}

/**
 * Rules: ACL4, GEN9, GEN10, NODE3.
 *
 * GEN3, ACL4: `bad_request.owner_grant` requires the node and the right to share it; as a 400 it
 * comes before state and version. GEN9: a POST that changes nothing of an existing grant is a
 * no-op. GEN10: a `version` of a missing grant is stale, because the grant was revoked meanwhile.
 */
const nodeAccess: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  const email = payload.email as string;
  const existing = findGrant(draft.state, node.id, email);
  const level = (payload.level as number | undefined) ?? DEFAULT_LEVEL;
  const due = (payload.due as string | null | undefined) ?? null;
  const branch = (payload.branch as boolean | undefined) ?? true;
  if (!mayShare(draft, node, branch || existing?.branch === true)) return refuse('forbidden');
  if (draft.state.users.some((user) => user.id === node.ownerId && user.email === email)) {
    return refuse('bad_request.owner_grant');
  }
  if (node.inTrash) return refuse('conflict.in_trash');
  const stale = staleVersion(existing, payload);
  if (stale !== null) return stale;
  if (existing === undefined) {
    const grant = { nodeId: node.id, email, level, due, branch, version: 1, showing: true, copyOf: null };
    addGrant(draft, grant, 'own');
  } else if (!isSame(existing, { level, due, branch })) {
    changeGrant(draft, Op.GRANT_UPSERT, existing, { level, due, branch, copyOf: null }, 'own');
  }
  followOriginal(draft, node.id, email);
  return null;
};

/** Rules: ACL4, GEN9, NODE3. */
const nodeAccessUpdate: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  const grant = findGrant(draft.state, node.id, payload.email as string);
  if (!mayShare(draft, node, payload.branch === true || grant?.branch === true)) return refuse('forbidden');
  if (grant === undefined) return refuse('not_found');
  if (node.inTrash) return refuse('conflict.in_trash');
  const stale = staleVersion(grant, payload);
  if (stale !== null) return stale;
  const fields = {
    level: (payload.level as number | undefined) ?? grant.level,
    due: payload.due === undefined ? grant.due : (payload.due as string | null),
    branch: (payload.branch as boolean | undefined) ?? grant.branch,
  };
  if (isSame(grant, fields)) return null;
  changeGrant(draft, Op.GRANT_UPDATE, grant, { ...fields, copyOf: null }, 'own');
  followOriginal(draft, node.id, grant.email);
  return null;
};

/**
 * Rules: ACL4 (revoking is allowed in the trash too), ACL10 (one's own grant needs no level while
 * it is in force), NODE3.
 */
const nodeAccessDelete: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  const grant = findGrant(draft.state, node.id, payload.email as string);
  const isOwn = payload.email === draft.actor.email;
  const mayLeave = isOwn && grant !== undefined && lasts(grant.due, draft.moment.now);
  if (!mayLeave && !mayShare(draft, node, grant?.branch === true)) {
    // A caller with other access learns that there is no such grant; a caller without access learns
    // nothing (GEN7).
    return refuse(isOwn && actorLevel(draft, node) !== null ? 'not_found' : 'forbidden');
  }
  if (grant === undefined) return refuse('not_found');
  const stale = staleVersion(grant, payload);
  if (stale !== null) return stale;
  removeGrant(draft, grant, 'own');
  followOriginal(draft, node.id, grant.email);
  return null;
};

/**
 * The grantee's own `showing`. Rules: ACL6, GEN7.
 *
 * ACL6: it "moves rooms, nothing more", so there is no operation and no version step: an empty
 * diff. A user with access but without a valid grant of their own on the node gets the 404 of a
 * missing grant. The node does not change, so it may be in the trash.
 */
const nodeShowing: Command = (draft, payload) => {
  const node = findNode(draft.state, payload.id as string);
  if (node === undefined) return refuse('not_found');
  if (actorLevel(draft, node) === null) return refuse('forbidden');
  const grant = grantsInForce(draft.state, draft.moment.now).find(
    (one) => one.nodeId === node.id && one.email === draft.actor.email,
  );
  if (grant === undefined) return refuse('not_found');
  grant.showing = payload.showing as boolean;
  return null;
};

/** By event. */
export const grantCommands: Readonly<Record<string, Command>> = {
  'node:access': nodeAccess,
  'node:access:update': nodeAccessUpdate,
  'node:access:delete': nodeAccessDelete,
  'node:showing': nodeShowing,
};
