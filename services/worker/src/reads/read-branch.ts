// Answers branch:get: a branch by its public token for everyone, or by its root's id for users.
// Rules: PUB3, PUB4, GEN7, GEN11, ACL1, ACL2, ACL9.

import { seesLink } from '@taskgraph/domain/access/reader-access';
import { levelIfActive } from '@taskgraph/domain/access/trash-visibility';
import { stripLink, stripNode } from '@taskgraph/domain/views/public-view';
import { type Projection, viewNode, viewPageLink } from '@taskgraph/domain/views/view';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listScope } from '@taskgraph/graph-store/reads/branch-scope';
import { ownersOf, type PagedGraph, type PageRequest, readGraphPage } from '@taskgraph/graph-store/reads/graph-page';
import type { LinkWithOwners } from '@taskgraph/graph-store/reads/links-with-owners';
import { memberScope } from '@taskgraph/graph-store/reads/member-scope';
import type { NodeWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { type Publication, readPublications } from '@taskgraph/graph-store/reads/publications';
import type { ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes, observe } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { branchFeed } from '@taskgraph/wire/feeds';
import { anyId } from '@taskgraph/wire/ids';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { branchOf, noBranch } from './branch-members.ts';
import { accessKey, cachedPage } from './cache/cached-page.ts';
import type { CachedPage } from './cache/page-cache.ts';
import type { Selection } from './field-selection.ts';
import { headsOf } from './position.ts';
import { cursorsOf, firstPage, parseCursor } from './read-graph.ts';
import { type Body, nowOf, type ReadAttempt, type ReadEnvironment } from './read-handler.ts';
import { levelByToken, levelOn, projectionOf } from './reader-view.ts';
import { readPresentAccess, readRights, rightsOf } from './stable-access.ts';

/** A page of a branch; of a node that is shared or published alone, only that node. */
export const readBranch: ReadAttempt = async (message, environment) => {
  const { actor } = message;
  const payload = parsePayload(OPERATIONS['branch:get'], message.payload);
  if (isRefusal(payload)) return payload;
  const after = parseCursor(payload.after);
  if (isRefusal(after)) return after;
  const request = { limit: payload.limit, offset: payload.offset, after };
  const { fields } = payload;
  const asked = { request, fields, environment, rightsNow: () => readRights(message, environment) };
  const nodeId = anyId.safeParse(payload.root);
  if (nodeId.success) {
    return actor === null ? noBranch() : pageOfNode(actor, nodeId.data, asked);
  }
  const [publication] = await readPublications(environment.database, [payload.root], nowOf(environment));
  if (publication === undefined) return noBranch();
  return actor === null ? pageForAnybody(publication, asked) : pageOfToken(actor, publication, asked);
};

/** A request for a page, with a function that reads the present rights of its reader. */
interface BranchRequest {
  readonly request: PageRequest;
  readonly fields: Selection;
  readonly environment: ReadEnvironment;
  readonly rightsNow: () => Promise<string>;
}

/**
 * Anonymous readers get entities without personal fields, and the head of their one feed (PUB4).
 */
async function pageForAnybody(
  publication: Publication,
  { request, fields, environment, rightsNow }: BranchRequest,
): Promise<CachedPage | null> {
  const { pages } = environment;
  const { feed, nodeId } = publication;
  const projection: Projection = {
    ownerNames: () => ({ username: '', email: '' }),
    access: () => undefined,
    rootsOf: () => [nodeId],
    showsToken: ({ id }) => id === nodeId,
  };
  const question = {
    key: keyOf(null, publication.token, request, environment),
    access: publication,
    reader: publication.token,
    rights: rightsOf(null, [publication]),
    rightsNow,
    fields,
  };
  return cachedPage(environment, question, async () => {
    const page = await readGraphPage(
      publicScope(environment, publication, null, question.access),
      request,
      createByteBudget(pages.pageBytes),
    );
    const body = {
      ...cursorsOf(page),
      nodes: page.nodes.flatMap((placed) => {
        const access = levelByToken(feed, placed);
        return access === null ? [] : [{ ...stripNode(viewNode(placed.node, projection), feed), access }];
      }),
      links: page.links.map((link) => stripLink(viewPageLink(link), feed)),
      ...(request.after === null ? { feeds: headsOf([publication]) } : {}),
    };
    return { body, owners: ownersOf(page) };
  });
}

/** Anonymous readers share cached pages. */
function keyOf(
  actor: ActingUser | null,
  root: string,
  { limit, offset, after }: PageRequest,
  { pages }: ReadEnvironment,
): unknown[] {
  return ['branch:get', actor?.id ?? null, root, limit, offset, after, pages.pageBytes];
}

/** A user with a public token sees the branch as a viewer, and their own entities as usual. */
async function pageOfToken(
  actor: ActingUser,
  publication: Publication,
  { request, fields, environment, rightsNow }: BranchRequest,
): Promise<CachedPage | null> {
  const { database } = environment;
  const readerAccess = await readPresentAccess(environment, actor, [publication.nodeId]);
  const question = {
    key: keyOf(actor, publication.token, request, environment),
    access: [accessKey(actor, readerAccess), publication],
    reader: readerAccess,
    rights: rightsOf(readerAccess.rights, [publication]),
    rightsNow,
    fields,
  };
  return cachedPage(environment, question, async () => {
    const room = createByteBudget(environment.pages.pageBytes);
    const page = await readGraphPage(publicScope(environment, publication, actor.id, question.access), request, room);
    const nodes = page.nodes.filter((node) => levelByToken(publication.feed, node) !== null);
    const own = await projectionOf(database, actor, readerAccess, nodes);
    const projection: Projection = {
      ownerNames: own.ownerNames,
      access: (node) => own.access(node) ?? Level.VIEWER,
      rootsOf: (id) => [...new Set([...own.rootsOf(id), publication.nodeId])].sort(),
      showsToken: (node) => own.showsToken(node) || node.id === publication.nodeId,
    };
    const body = bodyOf({ ...page, nodes }, projection, request, environment, readerAccess);
    return { body, owners: ownersOf(page) };
  });
}

/** The members of a publication are those of its feed. */
function publicScope(
  { database, linkIds }: ReadEnvironment,
  { feed, nodeId }: Publication,
  readerId: string | null,
  access: unknown,
): PagedGraph {
  if (feed !== branchFeed(nodeId)) return listScope(database, [nodeId], readerId);
  const membership = { ownerId: null, feeds: [feed] };
  const linkWalk = linkIds?.keeper({ membership, readerId, access });
  return memberScope(database, membership, { readerId, linkWalk });
}

async function pageOfNode(
  actor: ActingUser,
  root: string,
  { request, fields, environment, rightsNow }: BranchRequest,
): Promise<CachedPage | Refusal | null> {
  const { database } = environment;
  const readerAccess = await readPresentAccess(environment, actor, [root]);
  const access = accessKey(actor, readerAccess);
  // Only a visible feed has a number that shows whether its members changed. Any other branch is
  // read each time.
  const isShown = readerAccess.shown.some(({ feed }) => feed === branchFeed(root));
  const { pageCache: _pageCache, linkIds: _linkIds, ...uncached } = environment;
  const readEnvironment = isShown ? environment : uncached;
  const scope = await scopeOfNode(readEnvironment, readerAccess, root, access);
  if (isRefusal(scope)) return scope;
  const make = async () => {
    const page = await readGraphPage(scope, request, createByteBudget(environment.pages.pageBytes));
    const nodes = page.nodes.filter((node) => levelOn(readerAccess, node) !== null);
    const [projection, links] = await Promise.all([
      projectionOf(database, actor, readerAccess, nodes),
      seenLinks(database, readerAccess, page.links),
    ]);
    const body = bodyOf({ ...page, nodes, links }, projection, request, environment, readerAccess);
    return { body, owners: ownersOf(page) };
  };
  const question = {
    key: keyOf(actor, root, request, environment),
    access,
    reader: readerAccess,
    rights: rightsOf(readerAccess.rights, []),
    rightsNow,
    fields,
  };
  return cachedPage(readEnvironment, question, make);
}

/**
 * Links with both ends visible now: the reader may have lost the branch since its scope was read.
 */
async function seenLinks(
  database: Database,
  readerAccess: ReaderAccess,
  links: readonly LinkWithOwners[],
): Promise<readonly LinkWithOwners[]> {
  const ends = await locateNodes(
    database,
    links.flatMap(({ source, target }) => [source, target]),
  );
  const observer = observe(readerAccess, ends);
  return links.filter((link) => seesLink(link, observer.reader, (end) => levelIfActive(observer, end)));
}

async function scopeOfNode(
  { database, linkIds }: ReadEnvironment,
  readerAccess: ReaderAccess,
  root: string,
  access: unknown,
): Promise<PagedGraph | Refusal> {
  const { readerId } = readerAccess;
  const branch = await branchOf(database, readerAccess, root);
  if (isRefusal(branch)) return branch;
  const { members } = branch;
  if (!('feeds' in members)) return listScope(database, members, readerId);
  return memberScope(database, members, {
    readerId,
    linkWalk: linkIds?.keeper({ membership: members, readerId, access }),
  });
}

function bodyOf(
  page: Awaited<ReturnType<typeof readGraphPage>> & { readonly nodes: readonly NodeWithFeeds[] },
  projection: Projection,
  { after }: PageRequest,
  environment: ReadEnvironment,
  readerAccess: ReaderAccess,
): Body {
  return {
    ...cursorsOf(page),
    nodes: page.nodes.map(({ node }) => viewNode(node, projection)),
    links: page.links.map(viewPageLink),
    ...(after === null ? firstPage(environment, readerAccess) : {}),
  };
}
