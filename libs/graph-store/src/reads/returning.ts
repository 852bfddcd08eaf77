// The feeds that nodes in the trash would inherit if they were restored now: from the links that would come back with them. Rules: TRS2, TRS3, LNK4, LNK5.
import { judgeReturning, parentsOnReturn } from '@taskgraph/domain/decision/returning';
import { LinkType } from '@taskgraph/wire/codes';
import type { Database } from '../driver/database.ts';

/** A link that was trashed with a node, and whose other end is active. */
export interface HungLink {
  readonly id: string;
  readonly type: LinkType;
  readonly private: boolean;
  readonly ownerId: string;
  readonly conveys: boolean;
  /** Whether the node in the trash is the link's source. */
  readonly outward: boolean;
  /** The active end. */
  readonly other: string;
  /** Of an outward link, what its target hands on. */
  readonly feeds: readonly string[];
}

/** Most pairs of nodes, of one in the trash, between which a path is looked for. */
const MAXIMUM_PAIRS = 1_000;

interface Pair {
  readonly from: string;
  readonly to: string;
}

/**
 * In: pairs (from, to: ids of two different nodes). Out: from, to of those between which active primary links lead. Locks: none.
 * Cost: for each pair breadth first from both ends, so in proportion to the smaller side.
 */
const FIND_WAYS = `
UNWIND $pairs AS pair
MATCH (a:Node {id: pair.from}), (b:Node {id: pair.to})
MATCH way = shortestPath((a)-[:BLOCKS*1..]->(b))
RETURN pair.from AS from, pair.to AS to`;

/** The feeds that each of the nodes would inherit; `hung` are its links, by id. */
export async function inheritedOnRestore(
  database: Database,
  hung: ReadonlyMap<string, readonly HungLink[]>,
): Promise<Map<string, string[]>> {
  const pairs = [...hung.values()].flatMap(pairsOf);
  const unique = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()];
  const rows =
    unique.length === 0 ? [] : await database.read(FIND_WAYS, { pairs: unique.map((pair) => ({ ...pair })) });
  const ways = new Set(rows.map((row) => keyOf(row as unknown as Pair)));
  return new Map([...hung].map(([id, links]) => [id, inherited(id, links, ways)]));
}

function keyOf({ from, to }: Pair): string {
  return `${from}|${to}`;
}

/** The ways that would close a cycle through the node: from where it leads to back to what leads to it. */
function pairsOf(links: readonly HungLink[]): Pair[] {
  if (!isOf(links, MAXIMUM_PAIRS)) return [];
  const [out, into] = sidesOf(links);
  return out.flatMap((to) => into.filter((from) => from !== to).map((from) => ({ from: to, to: from })));
}

function isOf(links: readonly HungLink[], most: number): boolean {
  const [out, into] = sidesOf(links);
  return out.length * into.length <= most;
}

function sidesOf(links: readonly HungLink[]): [string[], string[]] {
  const ends = (outward: boolean) =>
    links.filter((link) => link.type === LinkType.PRIMARY && link.outward === outward).map(({ other }) => other);
  return [[...new Set(ends(true))], [...new Set(ends(false))]];
}

/** The feeds that a node inherits by those of its links that come back with it. */
function inherited(id: string, hung: readonly HungLink[], ways: ReadonlySet<string>): string[] {
  // Where there is too much to look at nothing counts as coming back: who is denied sight may still restore it by its id.
  const known = isOf(hung, MAXIMUM_PAIRS);
  const links = [...hung].sort((one, other) => (one.id < other.id ? -1 : 1)).map((link) => withEnds(id, link));
  const back: typeof links = [];
  const judged = judgeReturning(id, links, [], {
    // How many links its other end has is not looked at.
    isTooMany: () => false,
    closesCycle: (link) => link.type === LinkType.PRIMARY && (!known || closesCycle(link, back, ways)),
  });
  for (const { link, returns } of judged) if (returns) back.push(link);
  return [...new Set(parentsOnReturn(id, back).flatMap(({ feeds }) => feeds))];
}

function withEnds(id: string, link: HungLink) {
  return { ...link, source: link.outward ? id : link.other, target: link.outward ? link.other : id };
}

function closesCycle(link: HungLink, back: readonly HungLink[], ways: ReadonlySet<string>): boolean {
  return back.some((other) => {
    if (other.type !== LinkType.PRIMARY || other.outward === link.outward) return false;
    const [out, into] = link.outward ? [link.other, other.other] : [other.other, link.other];
    return out === into || ways.has(keyOf({ from: out, to: into }));
  });
}
