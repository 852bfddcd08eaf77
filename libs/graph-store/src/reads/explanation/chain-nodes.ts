// Nodes of a chain of blockers, each with its memberships and the links that block it. Rules: WHY1,
// BLK1.
import type { BlockingLink, ChainNode } from '@taskgraph/domain/why/chain';
import { Status } from '@taskgraph/wire/codes';
import { integer } from '../../driver/codec.ts';
import type { Database } from '../../driver/database.ts';
import { LIVE_FEEDS } from '../../driver/statement-parts.ts';
import { createStepLookup, NODES_AHEAD, STEPS_AHEAD } from './step-lookup.ts';

/** A node of a chain, with the fields for access checks. */
export interface ChainNodeWithFeeds extends ChainNode {
  readonly ownerId: string;
  readonly feeds: readonly string[];
  /** Number of its open blockers, visible or not. */
  readonly openBlockers: number;
  /** The links that block it; null if not read with it. */
  readonly blocking: readonly BlockingLink[] | null;
}

/** Maximum links of a node that are read with it, ahead of the walk. */
const FEW_LINKS = 20;
/** Approximate links that one statement reads: those of one node stay together. */
const LINKS_AT_ONCE = 20_000;

const NODE = '[n.id, n.ownerId, n.inTrash, n.status, n.openBlockers] AS node';
const LINK = '[r.id, b.id, n.id, r.private, r.ownerId]';
/** Whether a link r from b blocks n: its type shows that it is primary and active. */
const BLOCKS = `n.independent = false AND b.status <> ${Status.COMPLETED}`;

/**
 * In: ids. Out: node (a list of values) and feeds; no row for a missing node. Locks: none. Cost:
 * one index look-up each, and their rows.
 *
 * Rows are read after the fields: if a node leaves a branch during the read, later writes to it
 * must not be shown.
 */
const CHAIN_NODES = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
WITH n, ${NODE}
RETURN node, null AS links, ${LIVE_FEEDS} AS feeds`;

/**
 * In: ids, bound, few. Out: like CHAIN_NODES, for these and the nodes upstream of them, and links
 * (lists of values), null if there are more than a few. Locks: none. Cost: the reachable part with
 * its links, cut at the bound.
 */
const CHAIN_AHEAD = `
UNWIND $ids AS id
MATCH (start:Node {id: id})<-[:BLOCKS*0..${STEPS_AHEAD}]-(n:Node) USING INDEX SEEK start:Node(id)
WITH DISTINCT n LIMIT $bound
WITH n, ${NODE}, CASE WHEN n.openBlockers <= $few THEN [(n)<-[r:BLOCKS]-(b:Node) WHERE ${BLOCKS} | ${LINK}] END AS links
RETURN node, links, ${LIVE_FEEDS} AS feeds`;

/**
 * In: ids. Out: link (a list of values), of the links that block these nodes. Locks: none. Cost:
 * the primary links into them.
 */
const BLOCKING_LINKS = `
UNWIND $ids AS id
MATCH (n:Node {id: id})<-[r:BLOCKS]-(b:Node) USING INDEX SEEK n:Node(id)
WHERE ${BLOCKS}
RETURN ${LINK} AS link`;

type NodeValues = [string, string, boolean, ChainNode['status'], number];
type LinkValues = [string, string, string, boolean, string];

/** Looks up nodes along a chain of blockers. */
export function createChainLookup(database: Database) {
  return createStepLookup<ChainNodeWithFeeds>({
    here: async (ids) => (await database.read(CHAIN_NODES, { ids: [...ids] })).map(chainNodeOf),
    ahead: async (ids) => {
      const bound = integer(NODES_AHEAD + ids.length);
      return (await database.read(CHAIN_AHEAD, { ids: [...ids], bound, few: integer(FEW_LINKS) })).map(chainNodeOf);
    },
  });
}

/** The links that block nodes, in chunks, so that a walk can stop in between. */
export async function* readBlockingLinks(
  database: Database,
  nodes: readonly Pick<ChainNodeWithFeeds, 'id' | 'openBlockers' | 'blocking'>[],
): AsyncGenerator<readonly BlockingLink[]> {
  yield nodes.flatMap(({ blocking }) => blocking ?? []);
  let ids: string[] = [];
  let links = 0;
  for (const { id, blocking, openBlockers } of nodes) {
    if (blocking !== null) continue;
    if (ids.length > 0 && links + openBlockers > LINKS_AT_ONCE) {
      yield await linksInto(database, ids);
      [ids, links] = [[], 0];
    }
    ids.push(id);
    links += openBlockers;
  }
  if (ids.length > 0) yield await linksInto(database, ids);
}

async function linksInto(database: Database, ids: readonly string[]): Promise<BlockingLink[]> {
  const rows = await database.read(BLOCKING_LINKS, { ids: [...ids] });
  return rows.map(({ link }) => linkOf(link as LinkValues)).filter(isWhole);
}

function chainNodeOf(row: Readonly<Record<string, unknown>>): ChainNodeWithFeeds {
  const [id, ownerId, inTrash, status, openBlockers] = row.node as NodeValues;
  const links = row.links as LinkValues[] | null;
  const blocking = links === null ? null : links.map(linkOf).filter(isWhole);
  return { id, ownerId, inTrash, status, openBlockers, blocking, feeds: row.feeds as string[] };
}

function linkOf([id, source, target, isPrivate, ownerId]: LinkValues): BlockingLink {
  return { id, source, target, private: isPrivate, ownerId };
}

/** A link that disappears during the read has no properties. */
function isWhole({ id }: BlockingLink): boolean {
  return id !== null;
}
