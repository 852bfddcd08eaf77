// The nodes that a round of a search considers. Rules: FIND1, FIND7.
import type { SearchableNode } from '@taskgraph/domain/find/search';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { type Membership, readVisibleIds } from '@taskgraph/graph-store/reads/visible-ids';
import { bytesOf, type IndexSource, MOST_BYTES, MOST_INDEXED, type NodeIndex, searchableNodes } from './node-index.ts';

/** The nodes of a round. */
export interface Candidates {
  readonly nodes: Iterable<SearchableNode>;
  /** The last id of the round; null if the round includes the last node. */
  readonly to: string | null;
}

/**
 * The range of a round: ids after `from`, up to `to`. `to` is undefined until the first page
 * decides it.
 */
export interface Round {
  readonly from: string;
  readonly to: string | null | undefined;
}

const NODES_AT_ONCE = 1_000;

/**
 * The nodes of the graph. The first page of a round decides where the round ends: where the index
 * ends when the time is up. Later pages use the same end.
 */
export async function graphCandidates(
  index: NodeIndex,
  source: IndexSource,
  { from, to }: Round,
  isLate: () => boolean,
): Promise<Candidates> {
  await index.update(source);
  const isEnough = () => to === undefined && index.covers(from) && index.reached !== from && isLate();
  while (!index.covers(to ?? null) && !index.isFull() && !isEnough()) await index.extend(source);
  const end = to !== undefined && to !== null && index.covers(to) ? to : index.reached;
  return { nodes: between(index.nodes.values(), from, end), to: end };
}

function* between(nodes: Iterable<SearchableNode>, from: string, to: string | null): Iterable<SearchableNode> {
  for (const node of nodes) if (node.id > from && (to === null || node.id <= to)) yield node;
}

/**
 * The nodes of a branch. Reads those that the index lacks; if they are many, extends the index
 * first.
 */
export async function branchCandidates(
  index: NodeIndex,
  source: IndexSource,
  { members, from, to }: Round & { readonly members: Membership | readonly string[] },
  isLate: () => boolean,
): Promise<Candidates> {
  await index.update(source);
  const ids = await memberIds(source, members, from);
  const truncated = ids.length > MOST_INDEXED;
  const range = ids.slice(0, MOST_INDEXED).filter((id) => to === undefined || to === null || id <= to);
  const unindexed = () => range.filter((id) => !index.nodes.has(id));
  while (unindexed().length > NODES_AT_ONCE && index.reached !== null && !index.isFull() && !isLate()) {
    await index.extend(source);
  }
  const missing = unindexed();
  const nodes = range.flatMap((id) => index.nodes.get(id) ?? []);
  let bytes = 0;
  for (let at = 0; at < missing.length; ) {
    if (at > 0 && (bytes > MOST_BYTES || (to === undefined && isLate()))) {
      const reached = missing[at - 1] as string;
      return { nodes: between(nodes, from, reached), to: reached };
    }
    const some = missing.slice(at, at + NODES_AT_ONCE);
    const page = await readNodesWithFeeds(source.database, some, createByteBudget(source.pageBytes));
    const read = await searchableNodes(source, page.nodes, source.readerAccess);
    nodes.push(...read);
    bytes = read.reduce((sum, node) => sum + bytesOf(node), bytes);
    at += page.consumed;
  }
  const last = truncated ? (ids[MOST_INDEXED - 1] as string) : null;
  // Nodes may have joined since the first page: then the range ends before `to`.
  if (to === undefined || to === null) return { nodes, to: last };
  return { nodes, to: last !== null && last < to ? last : to };
}

/** The ids after `from`, in order: at most one more than a round considers. */
async function memberIds(
  { database }: IndexSource,
  members: Membership | readonly string[],
  from: string,
): Promise<readonly string[]> {
  if ('feeds' in members) return readVisibleIds(database, members, { after: from, count: MOST_INDEXED + 1 });
  return members.filter((id) => id > from).slice(0, MOST_INDEXED + 1);
}
