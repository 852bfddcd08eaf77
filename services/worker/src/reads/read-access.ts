// Answers node:access:list. Rules: ACL5, ACL9, GEN7, GEN11.

import { allows } from '@taskgraph/domain/access/reader-access';
import { viewGrant } from '@taskgraph/domain/views/view';
import { listGrants } from '@taskgraph/graph-store/reads/grant-list';
import { levelOf } from '@taskgraph/graph-store/reads/reader';
import { locateNodes } from '@taskgraph/graph-store/reads/visible';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { unseen } from './branch-members.ts';
import { asUser, nowOf } from './read-handler.ts';
import { readPresentAccess } from './stable-access.ts';

/** Admins see all grants on the node. Other readers see their own grant, if any. */
export const readAccessList = asUser(async (message, actor, environment) => {
  const payload = parsePayload(OPERATIONS['node:access:list'], message.payload);
  if (isRefusal(payload)) return payload;
  const { database } = environment;
  const now = nowOf(environment);
  const readerAccess = await readPresentAccess(environment, actor, [payload.id]);
  const node = (await locateNodes(database, [payload.id])).get(payload.id);
  if (node === undefined) return refuse('not_found', 'There is no such node.', { id: payload.id });
  const level = levelOf(readerAccess, node);
  if (level === null) return unseen(payload.id);
  const email = allows(level, Level.ADMIN) ? null : actor.email;
  const { grants, hasMore } = await listGrants(database, { node: payload.id, email, now, after: payload.after });
  return { hasMore, ...(hasMore ? { next: grants.at(-1)?.email } : {}), grants: grants.map(viewGrant) };
});
