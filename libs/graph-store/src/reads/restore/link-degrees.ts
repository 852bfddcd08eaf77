// Link degrees of the ends of restorable links, read only as far as a limit may be reached: most
// nodes have few links. Rules: LNK2, TRS2.
import { levelByGrant, levelThrough } from '@taskgraph/domain/access/reader-access';
import { type LinkDegree, MAXIMUM_LINKS_OF_VIEWER } from '@taskgraph/domain/decision/link-degree';
import type { GrantState } from '@taskgraph/domain/state/state';
import { pairKey } from '@taskgraph/domain/state/world';
import type { Level } from '@taskgraph/wire/codes';
import type { Database } from '../../driver/database.ts';
import { GRANTS_OVER } from '../../driver/statement-parts.ts';

/** A trashed node and the links that may be restored with it. */
export interface RestoreCandidate {
  readonly id: string;
  readonly ownerId: string;
  readonly links: readonly RestoreLink[];
}

interface RestoreLink {
  readonly source: string;
  readonly target: string;
  readonly ownerId: string;
  /** The active end. */
  readonly other: { readonly id: string; readonly ownerId: string; readonly degree: number };
}

/** A user with links on another user's node. */
interface LinkOwner {
  readonly node: string;
  readonly user: string;
}

/** The stored counts and levels of link owners, by pairKey. */
export interface LinkDegrees {
  readonly counts: ReadonlyMap<string, number>;
  readonly levels: ReadonlyMap<string, Level | null>;
}

/**
 * In: crowds (node, users: ids). Out: node, user, links (the user's active links on the node); no
 * row for none. Locks: none. Cost: the nodes' degrees.
 */
const COUNT_LINKS_OF = `
UNWIND $crowds AS crowd
MATCH (n:Node {id: crowd.node})
CALL (n, crowd) {
  MATCH (n)-[r:BLOCKS|RELATES]-()
  WITH crowd, r.ownerId AS user, count(*) AS links
  WHERE user IN crowd.users
  RETURN user, links
}
RETURN crowd.node AS node, user, links`;

/**
 * In: guests (node, user: ids). Out: node, user, ownerId, feeds (the node's), grants (the user's on
 * it and on its branches). Locks: none. Cost: one index look-up for each branch.
 */
const READ_LEVELS_OF = `
UNWIND $guests AS guest
MATCH (n:Node {id: guest.node})
CALL (n, guest) {
  MATCH (u:User {id: guest.user})
  WITH n, u.email AS email${GRANTS_OVER}
  WITH g WHERE g IS NOT NULL
  RETURN collect({nodeId: g.nodeId, branch: g.branch, due: g.due, level: g.level}) AS grants
}
RETURN n.id AS node, guest.user AS user, n.ownerId AS ownerId, [(n)-[m:IN]->() | m.feed] AS feeds, grants`;

interface LevelRow extends LinkOwner {
  readonly ownerId: string;
  readonly feeds: readonly string[];
  readonly grants: readonly Pick<GrantState, 'nodeId' | 'branch' | 'due' | 'level'>[];
}

/** Reads what the limits need if all these links are restored, at this moment (ISO 8601). */
export async function readLinkDegrees(
  database: Database,
  candidates: readonly RestoreCandidate[],
  now: string,
): Promise<LinkDegrees> {
  const nearLimit = ownersNearLimit(candidates);
  if (nearLimit.length === 0) return { counts: new Map(), levels: new Map() };
  const counts = await countLinks(database, nearLimit);
  const full = nearLimit.filter(
    (linkOwner) => (counts.get(keyOf(linkOwner)) ?? 0) + linkOwner.links > MAXIMUM_LINKS_OF_VIEWER,
  );
  return { counts, levels: await readLevels(database, full, now) };
}

interface RestoringOwner extends LinkOwner {
  /** How many of their links may be restored at once. */
  readonly links: number;
}

/** The link owners who could reach a viewer's limit if all active links on the node were theirs. */
function ownersNearLimit(candidates: readonly RestoreCandidate[]): RestoringOwner[] {
  const nearLimit = new Map<string, RestoringOwner>();
  for (const candidate of candidates) {
    for (const { degree, ...linkOwner } of linkOwnersOf(candidate)) {
      const known = nearLimit.get(keyOf(linkOwner))?.links ?? 0;
      if (degree + linkOwner.links > MAXIMUM_LINKS_OF_VIEWER && linkOwner.links > known)
        nearLimit.set(keyOf(linkOwner), linkOwner);
    }
  }
  return [...nearLimit.values()];
}

/** The owners of the links at each end that is not theirs. A trashed node has no active links. */
function linkOwnersOf({ id, ownerId, links }: RestoreCandidate): (RestoringOwner & { readonly degree: number })[] {
  const guests = new Map<string, RestoringOwner & { readonly degree: number }>();
  for (const link of links) {
    for (const end of [link.other, { id, ownerId, degree: 0 }]) {
      if (end.ownerId === link.ownerId) continue;
      const linkOwner = { node: end.id, user: link.ownerId, degree: end.degree };
      guests.set(keyOf(linkOwner), { ...linkOwner, links: (guests.get(keyOf(linkOwner))?.links ?? 0) + 1 });
    }
  }
  return [...guests.values()];
}

function keyOf({ node, user }: LinkOwner): string {
  return pairKey(node, user);
}

async function countLinks(database: Database, guests: readonly LinkOwner[]): Promise<ReadonlyMap<string, number>> {
  const users = new Map<string, string[]>();
  for (const { node, user } of guests) users.set(node, [...(users.get(node) ?? []), user]);
  const crowds = [...users].map(([node, those]) => ({ node, users: those }));
  const rows = await database.read(COUNT_LINKS_OF, { crowds });
  return new Map(rows.map((row) => [keyOf(row as unknown as LinkOwner), row.links as number]));
}

async function readLevels(
  database: Database,
  guests: readonly LinkOwner[],
  now: string,
): Promise<ReadonlyMap<string, Level | null>> {
  if (guests.length === 0) return new Map();
  const rows = await database.read(READ_LEVELS_OF, { guests: guests.map(({ node, user }) => ({ node, user })) });
  return new Map((rows as unknown as LevelRow[]).map((row) => [keyOf(row), levelFor(row, now)]));
}

function levelFor({ user, grants, ...node }: LevelRow, now: string): Level | null {
  const granted = (feed: string) =>
    grants.map((grant) => levelByGrant(grant, feed, now)).find((level) => level !== null) ?? null;
  return levelThrough(node, { id: user }, granted);
}

/** The link degrees at the ends of a node's links, and a function that counts a restored link. */
export function degreesAround(
  { id, ownerId, links }: RestoreCandidate,
  { counts, levels }: LinkDegrees,
): { readonly degree: LinkDegree; readonly add: (link: RestoreLink) => void } {
  const owners = new Map([[id, ownerId], ...links.map(({ other }) => [other.id, other.ownerId] as const)]);
  const degrees = new Map(links.map(({ other }) => [other.id, other.degree]));
  const back = new Map<string, number>();
  const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  return {
    degree: {
      ownerOf: (node) => owners.get(node) as string,
      degree: (node) => degrees.get(node) ?? 0,
      linksBy: (node, user) => (counts.get(pairKey(node, user)) ?? 0) + (back.get(pairKey(node, user)) ?? 0),
      level: (node, user) => levels.get(pairKey(node, user)) ?? null,
    },
    add({ source, target, ownerId: user }) {
      for (const end of [source, target]) {
        add(degrees, end);
        add(back, pairKey(end, user));
      }
    },
  };
}
