// The nodes that a round of a search considers. Rules: FIND1, FIND7.
import type { SearchableNode } from '@taskgraph/domain/find/search';
import { viewNode } from '@taskgraph/domain/views/view';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { type Membership, readVisibleIds } from '@taskgraph/graph-store/reads/visible-ids';
import { levelOn, projectionOf } from '../reader-view.ts';
import { type IndexSource, MOST_INDEXED, type NodeIndex, searchable } from './node-index.ts';

/** The nodes of a round. */
export interface Candidates {
  readonly nodes: Iterable<SearchableNode>;
  /** The last id of the round; null if it reaches to the last node. */
  readonly to: string | null;
}

/** The range of a round. `to` is undefined on its first page. */
export interface Round {
  readonly from: string;
  readonly to: string | null | undefined;
}

const NODES_AT_ONCE = 1_000;

/**
 * The nodes of the graph past an id. The first page of a round decides how far it reaches: as far as
 * the index does when time is up. Later pages reach as far as the first.
 */
export async function graphCandidates(
  index: NodeIndex,
  source: IndexSource,
  { to }: Round,
  isLate: () => boolean,
): Promise<Candidates> {
  await index.update(source);
  const isDone = () => index.covers(to ?? null) || index.isFull() || (to === undefined && isLate());
  do await index.extend(source);
  while (!isDone());
  const { reached } = index;
  if (to === undefined || to === null) return { nodes: index.nodes.values(), to: reached };
  return { nodes: upTo(index.nodes.values(), to), to: index.covers(to) ? to : reached };
}

function* upTo(nodes: Iterable<SearchableNode>, to: string): Iterable<SearchableNode> {
  for (const node of nodes) if (node.id <= to) yield node;
}

/** The nodes of a branch past an id. Nodes outside the index are read. */
export async function branchCandidates(
  index: NodeIndex,
  source: IndexSource,
  { members, from, to }: Round & { readonly members: Membership | readonly string[] },
  isLate: () => boolean,
): Promise<Candidates> {
  await graphCandidates(index, source, { from: '', to: undefined }, isLate);
  const ids = await memberIds(source, members, from);
  const isCut = ids.length > MOST_INDEXED;
  const range = ids.slice(0, MOST_INDEXED).filter((id) => to === undefined || to === null || id <= to);
  const nodes: SearchableNode[] = [];
  const missing: string[] = [];
  for (const id of range) {
    const known = index.nodes.get(id);
    if (known === undefined) missing.push(id);
    else nodes.push(known);
  }
  for (let at = 0; at < missing.length; ) {
    if (at > 0 && to === undefined && isLate()) {
      const reached = missing[at - 1] as string;
      return { nodes: nodes.filter(({ id }) => id <= reached), to: reached };
    }
    const some = missing.slice(at, at + NODES_AT_ONCE);
    const { nodes: read, consumed } = await readNodesWithFeeds(
      source.database,
      some,
      createByteBudget(source.pageBytes),
    );
    const visible = read.filter((one) => !one.node.inTrash && levelOn(source.readerAccess, one) !== null);
    const projection = await projectionOf(source.database, source.actor, source.readerAccess, visible);
    nodes.push(...visible.map(({ node }) => searchable(viewNode(node, projection))));
    at += consumed;
  }
  return { nodes, to: to ?? (isCut ? (range.at(-1) ?? null) : null) };
}

/** The ids past `from`, in order, and one more than a round considers. */
async function memberIds(
  { database }: IndexSource,
  members: Membership | readonly string[],
  from: string,
): Promise<readonly string[]> {
  if ('feeds' in members) return readVisibleIds(database, members, { after: from, count: MOST_INDEXED + 1 });
  return members.filter((id) => id > from).slice(0, MOST_INDEXED + 1);
}
