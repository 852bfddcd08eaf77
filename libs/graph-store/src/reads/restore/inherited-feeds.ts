// The feeds that trashed nodes would inherit if restored now, from the links restored with them.
// Rules: TRS2, TRS3, LNK2, LNK4, LNK5.
import { inheritedFeeds } from '@taskgraph/domain/access/reader-access';
import { parentsAfterRestore, restorableLinks } from '@taskgraph/domain/decision/restore';
import { LinkType } from '@taskgraph/wire/codes';
import type { Database } from '../../driver/database.ts';
import { degreesAround, type LinkDegrees, type RestoreCandidate, readLinkDegrees } from './link-degrees.ts';

/** A link trashed with a node, whose other end is active. */
export interface TrashedLink {
  readonly id: string;
  readonly type: LinkType;
  readonly private: boolean;
  readonly ownerId: string;
  readonly conveys: boolean;
  /** Whether the trashed node is the link's source. */
  readonly outward: boolean;
  /** The active end. */
  readonly other: { readonly id: string; readonly ownerId: string; readonly degree: number };
  /** The rows of the active end, if the node would inherit by the link. */
  readonly rows: readonly string[];
}

/** A trashed node with those links. */
interface NodeWithTrashedLinks {
  readonly id: string;
  readonly ownerId: string;
  readonly hung: readonly TrashedLink[];
}

/** Maximum pairs of nodes, for one trashed node, between which a path is searched. */
const MAXIMUM_PAIRS = 1_000;

interface Pair {
  readonly from: string;
  readonly to: string;
}

/**
 * In: pairs (from, to: ids of two different nodes). Out: from, to of those connected by active
 * primary links. Locks: none. Cost: for each pair breadth first from both ends, so proportional to
 * the smaller side.
 */
const FIND_PATHS = `
UNWIND $pairs AS pair
MATCH (a:Node {id: pair.from}), (b:Node {id: pair.to})
MATCH way = shortestPath((a)-[:BLOCKS*1..]->(b))
RETURN pair.from AS from, pair.to AS to`;

/**
 * The feeds that each node would inherit at this moment (ISO 8601); nodes that would inherit
 * nothing may be omitted.
 */
export async function inheritedOnRestore(
  database: Database,
  nodes: readonly NodeWithTrashedLinks[],
  now: string,
): Promise<Map<string, string[]>> {
  const candidates = nodes.map(withEnds).filter(({ id, links }) => parentsAfterRestore(id, links).length > 0);
  const [paths, degrees] = await Promise.all([
    findPaths(database, candidates.flatMap(pairsOf)),
    readLinkDegrees(database, candidates, now),
  ]);
  return new Map(candidates.map((candidate) => [candidate.id, inheritedFeedsOf(candidate, paths, degrees)]));
}

/** Whether a node has too many restorable links to check; then none counts as restored. */
export function isUnchecked(node: NodeWithTrashedLinks): boolean {
  const { id, links } = withEnds(node);
  return !isOf(links, MAXIMUM_PAIRS) && parentsAfterRestore(id, links).length > 0;
}

async function findPaths(database: Database, pairs: readonly Pair[]): Promise<ReadonlySet<string>> {
  const unique = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()];
  if (unique.length === 0) return new Set();
  const rows = await database.read(FIND_PATHS, { pairs: unique.map((pair) => ({ ...pair })) });
  return new Set(rows.map((row) => keyOf(row as unknown as Pair)));
}

function keyOf({ from, to }: Pair): string {
  return `${from}|${to}`;
}

/** A trashed node with its links in the order of their restoration. */
interface OrderedCandidate extends RestoreCandidate {
  readonly links: readonly LinkWithEnds[];
}

interface LinkWithEnds extends TrashedLink {
  readonly source: string;
  readonly target: string;
}

function withEnds({ id, ownerId, hung }: NodeWithTrashedLinks): OrderedCandidate {
  const links = hung.map((link) => {
    const [source, target] = link.outward ? [id, link.other.id] : [link.other.id, id];
    return { ...link, source, target };
  });
  return { id, ownerId, links: links.sort((one, other) => (one.id < other.id ? -1 : 1)) };
}

/** The paths that would close a cycle through the node: from its targets back to its sources. */
function pairsOf({ links }: OrderedCandidate): Pair[] {
  if (!isOf(links, MAXIMUM_PAIRS)) return [];
  const [out, into] = sidesOf(links);
  return out.flatMap((to) => into.filter((from) => from !== to).map((from) => ({ from: to, to: from })));
}

function isOf(links: readonly TrashedLink[], most: number): boolean {
  const [out, into] = sidesOf(links);
  return out.length * into.length <= most;
}

function sidesOf(links: readonly TrashedLink[]): [string[], string[]] {
  const ends = (outward: boolean) =>
    links.filter((link) => link.type === LinkType.PRIMARY && link.outward === outward).map(({ other }) => other.id);
  return [[...new Set(ends(true))], [...new Set(ends(false))]];
}

/** The feeds that a node inherits by the links restored with it. */
function inheritedFeedsOf(candidate: OrderedCandidate, paths: ReadonlySet<string>, degrees: LinkDegrees): string[] {
  // Above the limit no link counts as restored: a reader without the preview may still restore the
  // node by id.
  const known = isOf(candidate.links, MAXIMUM_PAIRS);
  const restored: LinkWithEnds[] = [];
  const { degree, add } = degreesAround(candidate, degrees);
  const decisions = restorableLinks(candidate.id, candidate.links, [], {
    degree,
    closesCycle: (link) => link.type === LinkType.PRIMARY && (!known || closesCycle(link, restored, paths)),
  });
  for (const { link, isRestored } of decisions) {
    if (!isRestored) continue;
    restored.push(link);
    add(link);
  }
  const feeds = parentsAfterRestore(candidate.id, restored).flatMap(({ other, rows }) =>
    inheritedFeeds({ ownerId: other.ownerId, feeds: rows }),
  );
  return [...new Set(feeds)];
}

function closesCycle(link: TrashedLink, restored: readonly TrashedLink[], paths: ReadonlySet<string>): boolean {
  return restored.some((other) => {
    if (other.type !== LinkType.PRIMARY || other.outward === link.outward) return false;
    const [out, into] = link.outward ? [link.other.id, other.other.id] : [other.other.id, link.other.id];
    return out === into || paths.has(keyOf({ from: out, to: into }));
  });
}
