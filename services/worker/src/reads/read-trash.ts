// Answers trash:page. Rules: TRS2, EVT3, GEN11, NGET3.
import { viewTrashLink, viewTrashNode } from '@taskgraph/domain/views/view';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { readTrashPage } from '@taskgraph/graph-store/reads/trash/trash-page';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { selectFields } from './field-selection.ts';
import { asUser } from './read-handler.ts';
import { namesOfOwners } from './reader-view.ts';
import { readPresentAccess } from './stable-access.ts';

/** A page of the entities that the caller may restore. */
export const readTrash = asUser(async (message, actor, environment) => {
  const payload = parsePayload(OPERATIONS['trash:page'], message.payload);
  if (isRefusal(payload)) return payload;
  const { database } = environment;
  const readerAccess = await readPresentAccess(environment, actor);
  const page = await readTrashPage(database, readerAccess, payload, createByteBudget(environment.pages.pageBytes));
  if (page === null) return refuse('bad_request.out_of_range', 'The offset is too large.', { path: 'offset' });
  const nodes = page.entries.map(({ node }) => node).filter((node) => node !== null);
  const links = page.entries.map(({ link }) => link).filter((link) => link !== null);
  const ownerNames = await namesOfOwners(
    database,
    actor,
    nodes.map(({ ownerId }) => ownerId),
  );
  const body = {
    hasMore: page.hasMore,
    ...(readerAccess.truncated || page.isUnchecked ? { truncated: true } : {}),
    nodes: nodes.map((node) => viewTrashNode(node, ownerNames(node.ownerId))),
    links: links.map(viewTrashLink),
  };
  return selectFields(body, payload.fields);
});
