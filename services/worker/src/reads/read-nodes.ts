// Answers node:get. Rules: NGET1 to NGET3, GEN7, GEN11, TRS2, ACL1, ACL9, ACL11, LNK9.

import { seesLink } from '@taskgraph/domain/access/reader-access';
import { levelIfActive } from '@taskgraph/domain/access/trash-visibility';
import { viewNode, viewPageLink, viewTrashNode } from '@taskgraph/domain/views/view';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { LINK_BYTES, ownersOf } from '@taskgraph/graph-store/reads/graph-page';
import { readLinksOfNodes } from '@taskgraph/graph-store/reads/links-of-nodes';
import type { LinkWithOwners } from '@taskgraph/graph-store/reads/links-with-owners';
import { type NodeWithFeeds, readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { type ByteBudget, createByteBudget, textBytes } from '@taskgraph/graph-store/reads/page-byte-limit';
import { levelOf, type ReaderAccess, withGrantsOn } from '@taskgraph/graph-store/reads/reader';
import type { TrashedNode } from '@taskgraph/graph-store/reads/trash/trash-candidates';
import { ENTRY_BYTES, readRestorableNodes } from '@taskgraph/graph-store/reads/trash/trash-page';
import { locateNodes, observe, withAccessOn } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { WireNode } from '@taskgraph/wire/entities';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { MOST_LINKS_OF_NODES } from '@taskgraph/wire/operations/node-read-operations';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { unseen } from './branch-members.ts';
import { accessKey, cachedPage } from './cache/cached-page.ts';
import { firstPage } from './read-graph.ts';
import { asUser, type Body, type ReadEnvironment } from './read-handler.ts';
import { levelOn, namesOfOwners, projectionOf } from './reader-view.ts';
import { readPresentAccess, readRights, rightsOf } from './stable-access.ts';

/** Some nodes by id, each with the reader's level on it, and their links. */
export const readNodes = asUser(async (message, actor, environment) => {
  const payload = parsePayload(OPERATIONS['node:get'], message.payload);
  if (isRefusal(payload)) return payload;
  const ids = [...new Set(payload.ids ?? [payload.id as string])];
  const { database, pages, readAccess } = environment;
  const readerAccess =
    readAccess === undefined
      ? await readPresentAccess(environment, actor, ids)
      : await withAccessOn(database, await readAccess(actor), ids);
  const request = {
    key: ['node:get', actor.id, ids, payload.links, pages.pageBytes],
    access: accessKey(actor, readerAccess),
    reader: readerAccess,
    rights: rightsOf(readerAccess.rights, []),
    rightsNow: () => readRights(message, environment),
    fields: payload.fields,
  };
  const context = { actor, readerAccess, environment };
  return cachedPage(environment, request, async () => {
    const found = await findNodes(context, ids);
    if (found === null) return null;
    const [refusal] = found.refusals.values();
    if (payload.ids === undefined && refusal !== undefined) return refusal;
    return bodyOf(context, ids, found, payload.links);
  });
});

interface ReadContext {
  readonly actor: ActingUser;
  readonly readerAccess: ReaderAccess;
  readonly environment: ReadEnvironment;
}

interface FoundNodes {
  readonly active: readonly NodeWithFeeds[];
  readonly trashed: readonly TrashedNode[];
  /** By the ids of the nodes that the reader does not see. */
  readonly refusals: ReadonlyMap<string, Refusal>;
  /** The ids that did not fit the budget. */
  readonly unread: readonly string[];
  readonly budget: ByteBudget;
}

/** Null if a node was restored, or became visible, between two statements. */
async function findNodes(
  { readerAccess, environment }: ReadContext,
  ids: readonly string[],
): Promise<FoundNodes | null> {
  const { database, pages } = environment;
  const budget = createByteBudget(pages.pageBytes);
  const { nodes, consumed } = await readNodesWithFeeds(database, ids, budget);
  // The index may list a node that is in the trash when read a moment later.
  const active = nodes.filter((one) => !one.node.inTrash && levelOn(readerAccess, one) !== null);
  const visible = new Set(active.map(({ node }) => node.id));
  const others = ids.slice(0, consumed).filter((id) => !visible.has(id));
  const places = await locateNodes(database, others);
  if ([...places.values()].some((place) => !place.inTrash && levelOf(readerAccess, place) !== null)) return null;
  const inTrash = [...places.values()].filter((place) => place.inTrash).map(({ id }) => id);
  const restored = inTrash.length === 0 ? [] : await readRestorableNodes(database, readerAccess, inTrash);
  if (restored === null) return null;
  const trashed = restored.filter(({ title }) => budget.take(ENTRY_BYTES + textBytes(title)));
  const restorable = new Set(restored.map(({ id }) => id));
  const read = new Set([...visible, ...trashed.map(({ id }) => id)]);
  const refusals = others
    .filter((id) => !restorable.has(id))
    .map((id) => {
      const place = places.get(id);
      const isUnseen = place !== undefined && levelOf(readerAccess, place) === null;
      return [id, isUnseen ? unseen(id) : refuse('not_found', 'There is no such node.', { id })] as const;
    });
  const unread = [
    ...ids.slice(0, consumed).filter((id) => restorable.has(id) && !read.has(id)),
    ...ids.slice(consumed),
  ];
  return { active, trashed, refusals: new Map(refusals), unread, budget };
}

async function bodyOf(
  { actor, readerAccess, environment }: ReadContext,
  ids: readonly string[],
  { active, trashed, refusals, unread, budget }: FoundNodes,
  withLinks: boolean,
): Promise<{ body: Body; owners: ReadonlySet<string> | null }> {
  const { database } = environment;
  const [projection, ownerNames, { links, ...read }] = await Promise.all([
    projectionOf(database, actor, readerAccess, active),
    namesOfOwners(
      database,
      actor,
      trashed.map(({ ownerId }) => ownerId),
    ),
    withLinks ? visibleLinks(database, readerAccess, active) : { links: [], isWhole: true },
  ]);
  const shown = new Map<string, WireNode | ReturnType<typeof viewTrashNode>>([
    ...active.map(({ node }) => [node.id, viewNode(node, projection)] as const),
    ...trashed.map((node) => [node.id, viewTrashNode(node, ownerNames(node.ownerId))] as const),
  ]);
  const most = Math.min(MOST_LINKS_OF_NODES, Math.floor(budget.leftBytes() / LINK_BYTES));
  const body = {
    nodes: ids.flatMap((id) => shown.get(id) ?? []),
    ...(withLinks ? { links: links.slice(0, most).map(viewPageLink) } : {}),
    ...(links.length > most ? { truncated: true } : {}),
    missing: [...refusals].map(([id, { code }]) => ({ id, error: code })),
    ...(unread.length > 0 ? { unread } : {}),
    ...firstPage(environment, readerAccess),
  };
  // No revision of these owners changes if another node, or the other end of a link, becomes
  // visible. The access of a reader with too many grants lacks those on the other ends.
  const isWhole = active.length === ids.length && read.isWhole && !(withLinks && readerAccess.truncated);
  return { body, owners: isWhole ? ownersOf({ nodes: active, links }) : null };
}

/** The links on these nodes whose other ends the reader sees as well, and whether these are all links. */
async function visibleLinks(
  database: Database,
  readerAccess: ReaderAccess,
  active: readonly NodeWithFeeds[],
): Promise<{ links: LinkWithOwners[]; isWhole: boolean }> {
  const links = await readLinksOfNodes(
    database,
    active.map(({ node }) => node.id),
    readerAccess.readerId,
  );
  const ends = await locateNodes(
    database,
    links.flatMap(({ source, target }) => [source, target]),
  );
  const feeds = [...ends.values()].flatMap((end) => end.feeds);
  const observer = observe(await withGrantsOn(database, readerAccess, feeds), ends);
  const seen = links.filter((link) => seesLink(link, observer.reader, (end) => levelIfActive(observer, end)));
  return { links: seen, isWhole: seen.length === links.length };
}
