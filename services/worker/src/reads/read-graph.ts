// Answers graph:get. Rules: EVT1 to EVT3, GEN11, ACL1, ACL6.

import { viewNode, viewPageLink } from '@taskgraph/domain/views/view';
import { type Cursor, ownersOf, type PagedGraph, readGraphPage } from '@taskgraph/graph-store/reads/graph-page';
import { memberScope } from '@taskgraph/graph-store/reads/member-scope';
import { ownScope } from '@taskgraph/graph-store/reads/own-scope';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { Membership } from '@taskgraph/graph-store/reads/visible-ids';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { anyId } from '@taskgraph/wire/ids';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { accessKey, cachedPage } from './cache/cached-page.ts';
import { headsOf, signPosition } from './position.ts';
import { asUser, type Body, type ReadEnvironment } from './read-handler.ts';
import { levelOn, projectionOf } from './reader-view.ts';
import { readPresentAccess, readRights, rightsOf } from './stable-access.ts';

/** A page of everything visible to the caller. */
export const readGraph = asUser(async (message, actor, environment) => {
  const payload = parsePayload(OPERATIONS['graph:get'], message.payload);
  if (isRefusal(payload)) return payload;
  const after = parseCursor(payload.after);
  if (isRefusal(after)) return after;
  const { database } = environment;
  // Heads first: a concurrent change is in the page, or in a later slice, or both.
  const readerAccess = await readPresentAccess(environment, actor);
  const { limit, offset } = payload;
  const { pageBytes } = environment.pages;
  const key = ['graph:get', actor.id, limit, offset, after, pageBytes];
  const asked = {
    key,
    access: accessKey(actor, readerAccess),
    reader: readerAccess,
    rights: rightsOf(readerAccess.rights, []),
    rightsNow: () => readRights(message, environment),
    fields: payload.fields,
  };
  return cachedPage(environment, asked, async () => {
    const request = { limit, offset, after };
    const page = await readGraphPage(
      shownScope(environment, readerAccess, asked.access),
      request,
      createByteBudget(pageBytes),
    );
    const shown = accessByShown(readerAccess);
    const nodes = page.nodes.filter((node) => levelOn(shown, node) !== null);
    const projection = await projectionOf(database, actor, readerAccess, nodes);
    const body = {
      ...cursorsOf(page),
      ...(readerAccess.shownTruncated ? { truncated: true } : {}),
      nodes: nodes.map(({ node }) => viewNode(node, projection)),
      links: page.links.map(viewPageLink),
      ...(after === null ? firstPage(environment, readerAccess) : {}),
    };
    return { body, owners: ownersOf(page) };
  });
});

export function shownScope(
  { database, linkIds }: ReadEnvironment,
  readerAccess: ReaderAccess,
  access: unknown,
): PagedGraph {
  const { readerId, guests } = readerAccess;
  const membership = shownMembership(readerAccess);
  if (membership.feeds.length === 0 && !guests) return ownScope(database, readerId);
  return memberScope(database, membership, {
    readerId,
    linkWalk: linkIds?.keeper({ membership, readerId, access }),
  });
}

/**
 * Everything visible to a reader: their own nodes, and the members of the feeds that they show,
 * which include their own feed if nodes of others belong to it.
 */
export function shownMembership({ readerId, shown, guests }: ReaderAccess): Membership {
  const [own, ...others] = shown.map(({ feed }) => feed);
  return { ownerId: readerId, feeds: guests && own !== undefined ? [own, ...others] : others };
}

/** The heads of a reader's first page, at which slices and changes continue. */
export function firstPage({ secret }: ReadEnvironment, { readerId, shown }: ReaderAccess): Body {
  const heads = headsOf(shown);
  return { feeds: heads, position: signPosition(secret, readerId, heads) };
}

/** The end of a page, and the beginning of the next. */
export function cursorsOf({ next }: { readonly next: Cursor | null }): Body {
  return { hasMore: next !== null, next: next === null ? null : `${next.kind}:${next.id}` };
}

/** The `after` of a payload, or null. */
export function parseCursor(text: string | undefined): Cursor | null | Refusal {
  if (text === undefined) return null;
  const [kind, id, ...more] = text.split(':');
  const known = (kind === 'node' || kind === 'link') && more.length === 0;
  if (known && anyId.safeParse(id).success) return { kind, id: (id as string).toLowerCase() };
  return refuse('bad_request.invalid_after', 'The field after must be the `next` of a page.', { path: 'after' });
}
