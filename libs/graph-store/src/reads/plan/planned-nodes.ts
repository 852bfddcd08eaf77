// The fields of nodes for a plan, each with the nodes it blocks. Rules: PLAN1, PLAN6, LNK9.
import type { PlanNode } from '@taskgraph/domain/plan/plan';
import { integer } from '../../driver/codec.ts';
import type { Database, Row } from '../../driver/database.ts';
import { type Membership, readVisibleIds } from '../visible-ids.ts';

/** Maximum nodes of a plan (PLAN6). */
export const MAXIMUM_PLANNED = 20_000;

/** Maximum primary links from them: each is a line to read and a step to plan (PLAN6). */
const MAXIMUM_PLANNED_LINKS = 200_000;

/**
 * Maximum nodes that one statement reads: the server collects a line for each link before it
 * answers.
 */
const NODES_AT_ONCE = 5_000;
const TOO_MANY_NODES = { most: MAXIMUM_PLANNED, of: 'nodes' } as const;
/**
 * From this many members on, two halves are read in parallel: that saves more than finding the
 * middle costs.
 */
const HALF = MAXIMUM_PLANNED / 2;
/** Sorts after every id. */
const LAST = '~';

/** A node with the nodes it blocks. */
export interface PlannedNode extends PlanNode {
  /** The targets of its active primary links, without other users' private links. */
  readonly blocks: readonly string[];
}

/**
 * In: n, id; reader (id), lines (their maximum). Out: lines, last (the greatest id), count (of
 * nodes). A line holds the node's values, separated by spaces, which no value contains; the last is
 * the target of an active primary link, or empty. There is one line for each link, or one without.
 * Locks: none. Cost: the primary links that leave the node. With a row for each, the driver's
 * decoding took three times as long, more than the server's own time.
 */
const LINES = `
OPTIONAL MATCH (n)-[r:BLOCKS]->(b) WHERE r.private = false OR r.ownerId = $reader
WITH n, id, b LIMIT $lines
RETURN max(id) AS last, count(DISTINCT id) AS count, collect(id + ' ' + n.status + ' ' + n.volume + ' ' + n.independent + ' ' + n.priority
  + ' ' + coalesce(n.dueDate, '') + ' ' + coalesce(b.id, '')) AS lines`;

/**
 * In: feed, after, to (ids), most, reader (id), lines. Out: see LINES, of the first active members
 * between the two. Locks: none. Cost: their number, by the index's order, and the links that leave
 * them.
 */
const MEMBERS = `
MATCH (n:Node)-[row:IN]->(:Feed)
USING INDEX SEEK row:IN(feed, id)
WHERE row.feed = $feed AND row.id > $after AND row.id <= $to AND n.inTrash = false
WITH n, row, row.id AS id ORDER BY row.feed, row.id LIMIT $most${LINES}`;

/**
 * In: feed, before (a number). Out: id, of the member after this many. Locks: none. Cost: their
 * entries of the index.
 */
const MIDDLE_MEMBER = `
MATCH (:Node)-[row:IN]->(:Feed)
USING INDEX SEEK row:IN(feed, id)
WHERE row.feed = $feed AND row.id > ''
WITH row ORDER BY row.feed, row.id SKIP $before LIMIT 1
RETURN row.id AS id`;

/**
 * In: owner, after, to (ids), most, reader (id), lines. Out: see LINES, of the owner's first active
 * nodes. Locks: none. Cost: as MEMBERS.
 */
const OWN = `
MATCH (n:Node)
USING INDEX SEEK n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > $after AND n.id <= $to
WITH n, n.id AS id ORDER BY n.ownerId, n.inTrash, n.id LIMIT $most${LINES}`;

/**
 * In: owner, before (a number). Out: id, of the owner's active node after this many. Locks: none.
 * Cost: their entries of the index.
 */
const MIDDLE_OWN = `
MATCH (n:Node)
USING INDEX SEEK n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > ''
WITH n ORDER BY n.ownerId, n.inTrash, n.id SKIP $before LIMIT 1
RETURN n.id AS id`;

/**
 * In: ids, listed (whether to return all that exist), owner (id or ''), feeds, reader (id), lines.
 * Out: see LINES; without trashed nodes, and unless `listed` without nodes that are neither the
 * owner's nor a member of one of the feeds. Locks: none. Cost: one index look-up each, their rows,
 * and the links that leave them.
 */
const LISTED = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
WHERE n.inTrash = false
  AND ($listed OR n.ownerId = $owner OR EXISTS { (n)-[row:IN]->() WHERE row.feed IN $feeds })${LINES}`;

/**
 * The active nodes of a membership or a list of ids, as visible to the reader; or the limit of a
 * plan that they exceed.
 */
export async function readPlannedNodes(
  database: Database,
  scope: Membership | readonly string[],
  readerId: string,
  mostLinks = MAXIMUM_PLANNED_LINKS,
): Promise<PlannedNode[] | { readonly most: number; readonly of: 'nodes' | 'links' }> {
  const { ownerId, feeds } = isList(scope) ? { ownerId: null, feeds: [] } : scope;
  const [feed, ...others] = feeds;
  const nodes = new PlanNodes(mostLinks);
  const before = integer(HALF);
  // Enough to detect too many links in any case.
  const lines = integer(mostLinks + NODES_AT_ONCE + 1);
  if (ownerId !== null && feed === undefined) {
    const owned = { owner: ownerId, reader: readerId, lines };
    await addSource(nodes, {
      middle: () => database.read(MIDDLE_OWN, { ...owned, before }),
      between: (bounds) => database.read(OWN, { ...owned, ...bounds }),
    });
  } else if (ownerId === null && feed !== undefined && others.length === 0) {
    const member = { feed, reader: readerId, lines };
    await addSource(nodes, {
      middle: () => database.read(MIDDLE_MEMBER, { ...member, before }),
      between: (bounds) => database.read(MEMBERS, { ...member, ...bounds }),
    });
  } else {
    // Several sources overlap, so merge them by id before reading nodes.
    const listed = isList(scope);
    const ids = listed ? scope : await readVisibleIds(database, scope, { after: '', count: MAXIMUM_PLANNED + 1 });
    if (ids.length > MAXIMUM_PLANNED) return TOO_MANY_NODES;
    for (let start = 0; start < ids.length && !nodes.isFull; start += NODES_AT_ONCE) {
      const some = ids.slice(start, start + NODES_AT_ONCE);
      const parameters = { ids: some, listed, owner: ownerId ?? '', feeds: [...feeds], reader: readerId, lines };
      nodes.add(await database.read(LISTED, parameters));
    }
  }
  if (nodes.links > mostLinks) return { most: mostLinks, of: 'links' };
  return nodes.byId.size > MAXIMUM_PLANNED ? TOO_MANY_NODES : [...nodes.byId.values()];
}

interface PlanSource {
  /** The node after the first half of the largest plan, if there is one. */
  middle(): Promise<Row[]>;
  between(bounds: { readonly after: string; readonly to: string; readonly most: unknown }): Promise<Row[]>;
}

/** Adds the nodes of one source, or returns the exceeded limit. */
async function addSource(nodes: PlanNodes, source: PlanSource): Promise<void> {
  const [found] = await source.middle();
  const bounds = found === undefined ? ['', LAST] : ['', found.id as string, LAST];
  await Promise.all(bounds.slice(1).map((to, index) => addBetween(nodes, source, [bounds[index] as string, to])));
}

async function addBetween(nodes: PlanNodes, source: PlanSource, [from, to]: readonly [string, string]): Promise<void> {
  const most = integer(NODES_AT_ONCE);
  for (let after: string | null = from; after !== null && !nodes.isFull; ) {
    after = nodes.add(await source.between({ after, to, most }));
  }
}

interface LinesRow {
  readonly last: string | null;
  readonly count: number;
  readonly lines: readonly string[];
}

/** The nodes read so far. */
class PlanNodes {
  readonly byId = new Map<string, PlanRow>();
  links = 0;
  readonly #mostLinks: number;

  constructor(mostLinks: number) {
    this.#mostLinks = mostLinks;
  }

  get isFull(): boolean {
    return this.byId.size > MAXIMUM_PLANNED || this.links > this.#mostLinks;
  }

  /**
   * Adds the nodes of one answer. Returns the id after which more can follow, or null at the end.
   */
  add([row]: readonly Row[]): string | null {
    const { last, count, lines } = row as unknown as LinesRow;
    for (const line of lines) {
      const values = line.split(' ') as Values;
      if (values[6] !== '') this.links++;
      addTo(this.byId, values);
    }
    return count < NODES_AT_ONCE ? null : last;
  }
}

function isList(scope: Membership | readonly string[]): scope is readonly string[] {
  return Array.isArray(scope);
}

type Values = [string, string, string, string, string, string, string];
type PlanRow = PlannedNode & { readonly blocks: string[] };

function addTo(nodes: Map<string, PlanRow>, values: Values): void {
  const [id, status, volume, independent, priority, dueDate, target] = values;
  let node = nodes.get(id);
  if (node === undefined) {
    node = {
      id,
      status: Number(status) as PlanNode['status'],
      volume: Number(volume),
      independent: independent === 'true',
      priority: Number(priority),
      dueDate: dueDate === '' ? null : dueDate,
      blocks: [],
    };
    nodes.set(id, node);
  }
  if (target !== '') node.blocks.push(target);
}

/** In: ids. Out: ids, counts, of one length. Locks: none. Cost: one index look-up each. */
const OPEN_BLOCKERS = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
RETURN collect(id) AS ids, collect(n.openBlockers) AS counts`;

/** The number of open blockers of each node, visible or not. */
export async function readOpenBlockers(database: Database, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const [row] = await database.read(OPEN_BLOCKERS, { ids: [...ids] });
  const { ids: found, counts } = row as unknown as { readonly ids: string[]; readonly counts: number[] };
  return new Map(found.map((id, index) => [id, counts[index] as number]));
}
