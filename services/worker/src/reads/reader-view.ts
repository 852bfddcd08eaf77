// One reader's view of nodes. Rules: ACL1, ACL2, ACL8, ACL9.
import { levelThrough, rootsShownTo, seesToken } from '@taskgraph/domain/access/reader-access';
import type { OwnerNames } from '@taskgraph/domain/state/state';
import type { Projection, ShownNode } from '@taskgraph/domain/views/view';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type NodeWithFeeds, shareRootsOf } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { readOwnerNames } from '@taskgraph/graph-store/reads/owners';
import { levelOf, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed } from '@taskgraph/wire/feeds';

/** A deleted owner, who is visible only while a user is being removed. */
const NOBODY: OwnerNames = { username: '', email: '' };

/** The part of a node that decides access. */
type NodePlacement = Pick<NodeWithFeeds, 'feeds'> & { readonly node: Pick<ShownNode, 'id' | 'ownerId'> };

/** The reader's level on a node, or null for no access. */
export function levelOn(readerAccess: ReaderAccess, { node, feeds }: NodePlacement): Level | null {
  return levelOf(readerAccess, { ownerId: node.ownerId, feeds });
}

/**
 * The level of a public token's holder on a node, by the published feed: viewer or null (ACL1,
 * PUB3).
 */
export function levelByToken(published: string, { node, feeds }: NodePlacement): Level | null {
  const granted = (feed: string) => (feed === published ? Level.VIEWER : null);
  return levelThrough({ ownerId: node.ownerId, feeds }, { id: '' }, granted);
}

/** The names of the nodes' owners. The reader's own needs no query. */
export async function namesOfOwners(
  database: Database,
  actor: ActingUser,
  ownerIds: readonly string[],
): Promise<(ownerId: string) => OwnerNames> {
  const names = await readOwnerNames(
    database,
    ownerIds.filter((id) => id !== actor.id),
  );
  return (id) => (id === actor.id ? { username: actor.username, email: actor.email } : (names.get(id) ?? NOBODY));
}

/** The user's view of these nodes: names of owners, levels, share roots and public tokens. */
export async function projectionOf(
  database: Database,
  actor: ActingUser,
  readerAccess: ReaderAccess,
  nodes: readonly NodePlacement[],
): Promise<Projection> {
  const placed = new Map(nodes.map((one) => [one.node.id, one]));
  const [ownerNames, seesRoot] = await Promise.all([
    namesOfOwners(
      database,
      actor,
      nodes.map(({ node }) => node.ownerId),
    ),
    rootSight(database, readerAccess, nodes),
  ]);
  const level = ({ id }: Pick<ShownNode, 'id'>) => {
    const found = placed.get(id);
    return found === undefined ? null : levelOn(readerAccess, found);
  };
  return {
    ownerNames,
    access: (node) => level(node) ?? undefined,
    rootsOf(id) {
      const found = placed.get(id);
      if (found === undefined) return [];
      return rootsShownTo(actor, found.node, shareRootsOf(found), seesRoot);
    },
    showsToken: (node) => seesToken(level(node)),
  };
}

/**
 * The visible share roots of the nodes (ACL2). A root with a grant for the reader needs no query.
 */
async function rootSight(
  database: Database,
  readerAccess: ReaderAccess,
  nodes: readonly NodePlacement[],
): Promise<(root: string) => boolean> {
  const roots = nodes.filter(({ node }) => node.ownerId !== readerAccess.readerId).flatMap(shareRootsOf);
  const granted = (root: string) =>
    readerAccess.levels.has(branchFeed(root)) || readerAccess.levels.has(nodeFeed(root));
  const unknown = await locateNodes(
    database,
    roots.filter((root) => !granted(root)),
  );
  return (root) => {
    const found = unknown.get(root);
    return granted(root) || (found !== undefined && levelOf(readerAccess, found) !== null);
  };
}
