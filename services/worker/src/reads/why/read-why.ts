// Answers node:why: the blockers of a node, and the ways in which it is visible. Rules: WHY1 to
// WHY3, ACL1, ACL9, GEN7, LNK9.

import {
  type AccessPath,
  type AccessRoot,
  accessPathsTo,
  mayListAllPaths,
  type PathsCaller,
} from '@taskgraph/domain/why/access-paths';
import { ascend, shortenPath, visiblePath } from '@taskgraph/domain/why/ascent';
import { type Chain, walkChain } from '@taskgraph/domain/why/chain';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type AscentNodeWithFeeds, createAscentLookup } from '@taskgraph/graph-store/reads/explanation/ascent-nodes';
import {
  type ChainNodeWithFeeds,
  createChainLookup,
  readBlockingLinks,
} from '@taskgraph/graph-store/reads/explanation/chain-nodes';
import { readRoots } from '@taskgraph/graph-store/reads/explanation/roots';
import { readOwnerNames } from '@taskgraph/graph-store/reads/owners';
import { levelOf, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes, type NodeLocation } from '@taskgraph/graph-store/reads/visible';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { unseen } from '../branch-members.ts';
import { asUser, type Body } from '../read-handler.ts';
import { readPresentAccess } from '../stable-access.ts';

/**
 * Most entries of each list, and most ids of all paths together, so that every answer fits a page
 * (GEN11).
 */
const MOST_BLOCKERS = 500;
const MOST_WORKABLE = 100;
const MOST_WAYS = 200;
const MOST_ON_PATHS = 8_000;

export const readWhy = asUser(async (message, actor, environment) => {
  const payload = parsePayload(OPERATIONS['node:why'], message.payload);
  if (isRefusal(payload)) return payload;
  const { id, all } = payload;
  const { database } = environment;
  const readerAccess = await readPresentAccess(environment, actor, [id]);
  const node = (await locateNodes(database, [id])).get(id);
  if (node === undefined) return refuse('not_found', 'There is no such node.', { id });
  const level = levelOf(readerAccess, node);
  if (level === null) return unseen(id);
  // A node in the trash has no blockers and no memberships (TRS2).
  if (node.inTrash) return refuse('not_found', 'The node is in the trash.', { id });
  if (all && !mayListAllPaths(level)) {
    return refuse('forbidden', 'Your access level does not allow this.', { id, needed: Level.ADMIN, level });
  }
  const chain = await chainOf(database, readerAccess, id);
  if (chain === null) return refuse('not_found', 'There is no such node.', { id });
  return whyOf(chain, await waysOf(database, readerAccess, node, all), readerAccess);
});

interface Ways {
  readonly ways: readonly (AccessPath & { readonly path: readonly (string | null)[] })[];
  readonly truncated: boolean;
  readonly all: boolean;
}

function whyOf(
  { blockedBy, workable, hidden, ...chain }: Chain,
  { ways, all, ...found }: Ways,
  access: ReaderAccess,
): Body {
  const truncated =
    access.truncated ||
    chain.truncated ||
    found.truncated ||
    blockedBy.length > MOST_BLOCKERS ||
    workable.length > MOST_WORKABLE;
  return {
    blockedBy: blockedBy.slice(0, MOST_BLOCKERS),
    workable: workable.slice(0, MOST_WORKABLE),
    access: ways.map(({ level, by, root, due, path, email }) => ({
      level,
      by,
      root,
      due,
      path,
      ...(all ? { email } : {}),
    })),
    ...(hidden ? { hidden: true } : {}),
    ...(truncated ? { truncated: true } : {}),
  };
}

/** The blockers of the node; null if it is deleted. */
async function chainOf(database: Database, readerAccess: ReaderAccess, id: string): Promise<Chain | null> {
  const look = createChainLookup(database);
  const places = new Map<string, ChainNodeWithFeeds>(await look([id]));
  const start = places.get(id);
  if (start === undefined || levelOf(readerAccess, start) === null) return null;
  const walk = walkChain(start, { id: readerAccess.readerId }, (node) => {
    const place = places.get(node.id);
    return place !== undefined && levelOf(readerAccess, place) !== null;
  });
  for (let first = true, step = walk.next(); step.length > 0; step = walk.next(), first = false) {
    if (!first) {
      places.clear();
      for (const [each, place] of await look(step)) places.set(each, place);
    }
    const going = walk.takeNodes(places).flatMap((each) => places.get(each) ?? []);
    for await (const links of readBlockingLinks(database, going)) {
      walk.takeLinks(links);
    }
  }
  return walk.result();
}

/** The ways in which the node is visible, each with the path to its root. */
async function waysOf(database: Database, readerAccess: ReaderAccess, node: NodeLocation, all: boolean): Promise<Ways> {
  const [owners, roots] = await Promise.all([
    readOwnerNames(database, [node.ownerId]),
    rootsOf(database, readerAccess, node, all),
  ]);
  const asker: PathsCaller = {
    reader: { id: readerAccess.readerId, email: readerAccess.email },
    now: readerAccess.now,
    granted: (feed) => readerAccess.levels.get(feed) ?? null,
    all,
  };
  const found = accessPathsTo({ ...node, ownerEmail: owners.get(node.ownerId)?.email ?? '' }, roots, asker);
  const ways = found.slice(0, MOST_WAYS);
  const sought = [...new Set(ways.flatMap(({ root }) => root ?? []))];
  const owner = ways.some(({ by }) => by === 'tree') ? readerAccess.readerId : null;
  const places = new Map<string, AscentNodeWithFeeds>();
  const ascent = ascend(node.id, { roots: sought, owner }, ({ id }) => {
    const place = places.get(id);
    return place !== undefined && levelOf(readerAccess, place) !== null;
  });
  const look = createAscentLookup(database);
  for (let step = ascent.next(); step.length > 0; step = ascent.next()) {
    places.clear();
    for (const [id, place] of await look(step)) places.set(id, place);
    ascent.take(places);
  }
  const most = Math.floor(MOST_ON_PATHS / Math.max(1, ways.length));
  let truncated = false;
  const told = ways.flatMap((way) => {
    const root = way.root ?? ascent.nearestOwn;
    // The node has left this tree meanwhile.
    if (root === null) return [];
    const path = visiblePath(node.id, root, ascent.pathTo(root));
    truncated ||= path.length > most;
    return [{ ...way, root, path: shortenPath(path, most) }];
  });
  return { ways: told, all, truncated: truncated || ascent.truncated || found.length > MOST_WAYS };
}

/**
 * The node and the roots of its branches, with the grants on them that the reader may see (ACL9).
 */
async function rootsOf(
  database: Database,
  readerAccess: ReaderAccess,
  node: NodeLocation,
  all: boolean,
): Promise<AccessRoot[]> {
  const ids = new Set([node.id]);
  for (const feed of node.feeds) if (!feed.startsWith('user:')) ids.add(subjectOfFeed(feed));
  const places = await locateNodes(database, ids);
  const levels = new Map([...places].map(([id, place]) => [id, levelOf(readerAccess, place)]));
  const roots = await readRoots(database, {
    roots: [...ids].map((id) => ({ id, listed: all && mayListAllPaths(levels.get(id) ?? null) })),
    node: node.id,
    email: readerAccess.email,
    now: readerAccess.now,
    limit: MOST_WAYS + 1,
  });
  return roots.map((root) => ({ ...root, level: levels.get(root.id) ?? null }));
}
