// The search index: the nodes of one reader's graph in memory, updated by the changes of the
// reader's feeds. Rules: FIND6, FIND7.
//
// 1. Each search first updates the index: it reads again every node that the index covers and that
//    has changed since. The index contains no feed that the reader cannot see now.
// 2. The index is valid for one state of the reader's grants. After any change to the grants, it is
//    cleared and read again.
// 3. A hit is only a candidate: the answer reads and judges the node again.
import type { SearchableNode } from '@taskgraph/domain/find/search';
import { type FoldedTexts, foldTexts } from '@taskgraph/domain/find/text-match';
import { viewNode } from '@taskgraph/domain/views/view';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listChanged } from '@taskgraph/graph-store/reads/changes';
import type { PagedGraph } from '@taskgraph/graph-store/reads/graph-page';
import { type NodeWithFeeds, readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Level, Status } from '@taskgraph/wire/codes';
import type { WireNode } from '@taskgraph/wire/entities';
import { surveyWithRetries } from '../changes/survey.ts';
import { type Heads, headsOf } from '../position.ts';
import { levelOn, projectionOf } from '../reader-view.ts';

/** Most nodes and bytes of an index. Another index of the reader has the further nodes. */
export const MOST_INDEXED = 20_000;
export const MOST_BYTES = 32 * 1024 * 1024;
/** Changes may enlarge an index by this factor; past it, the index is cleared and read again. */
const GROWTH = 1.25;
/** Most nodes that one statement reads. */
const NODES_AT_ONCE = 1_000;
/**
 * Rough bytes of a node without its texts, and of a character, which is stored plain and folded.
 */
const NODE_BYTES = 700;
const CHARACTER_BYTES = 4;

/** The sources of an update. */
export interface IndexSource {
  readonly database: Database;
  readonly actor: ActingUser;
  readonly readerAccess: ReaderAccess;
  /** The nodes of the reader's graph. */
  readonly scope: PagedGraph;
  readonly pageBytes: number;
}

export class NodeIndex {
  readonly nodes = new Map<string, SearchableNode>();
  bytes = 0;
  /**
   * The index has the nodes after the id `#from`, up to this id, or up to the last node if it is
   * null.
   */
  reached: string | null;
  readonly #from: string;
  #grants = '';
  #heads: Heads = {};

  constructor(from: string) {
    this.#from = from;
    this.reached = from;
  }

  /** Applies the changes since the last update. Clears the index if they are unknown. */
  async update(source: IndexSource): Promise<void> {
    const { levels, shown, hidden, guests } = source.readerAccess;
    const grants = JSON.stringify([[...levels].sort(), shown.map(({ feed }) => feed), guests]);
    // Hidden grants decide the reader's level too.
    const heads = headsOf([...shown, ...hidden]);
    // The levels of hidden grants without a head may have changed.
    const areKnown = levels.size <= shown.length + hidden.length;
    const changed = areKnown && grants === this.#grants ? await this.#changedIds(source, heads) : null;
    if (changed === null || this.#isTooLarge()) this.#clear();
    else await this.#readAgain(source, changed);
    if (this.#isTooLarge()) this.#clear();
    this.#grants = grants;
    this.#heads = heads;
  }

  /** Whether the index has all nodes up to an id; null means up to the last node. */
  covers(to: string | null): boolean {
    return this.reached === null || (to !== null && to <= this.reached);
  }

  isFull(): boolean {
    return this.nodes.size >= MOST_INDEXED || this.bytes >= MOST_BYTES;
  }

  /** Reads some more nodes. */
  async extend(source: IndexSource): Promise<void> {
    if (this.reached === null) return;
    const window = { after: this.reached, skip: 0, limit: NODES_AT_ONCE };
    const range = await source.scope.nodes(window, createByteBudget(source.pageBytes));
    for (const node of await searchableNodes(source, range.nodes, accessByShown(source.readerAccess))) this.#put(node);
    this.reached = range.hasMore ? range.last : null;
  }

  /** The ids of the changed nodes that the index covers; null if they are unknown. */
  async #changedIds({ database }: IndexSource, heads: Heads): Promise<string[] | null> {
    const missed = Object.entries(heads).map(([feed, head]) => ({ feed, since: this.#heads[feed] ?? 0, head }));
    if (missed.every(({ since, head }) => since === head)) return [];
    const survey = await surveyWithRetries(database, missed);
    // The entries of a feed that the reader lost and gained again do not name all of its nodes.
    if (!survey.complete || survey.granted.size > 0) return null;
    const ids: string[] = [];
    for (let after = this.#from; ; ) {
      const some = await listChanged(database, 'nodes', missed, { after, limit: NODES_AT_ONCE });
      ids.push(...some.filter((id) => this.covers(id)));
      if (some.length < NODES_AT_ONCE) return ids;
      after = some.at(-1) as string;
    }
  }

  async #readAgain(source: IndexSource, ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; ) {
      const some = ids.slice(at, at + NODES_AT_ONCE);
      const budget = createByteBudget(source.pageBytes);
      const { nodes, consumed } = await readNodesWithFeeds(source.database, some, budget);
      for (const id of some.slice(0, consumed)) this.#remove(id);
      for (const node of await searchableNodes(source, nodes, accessByShown(source.readerAccess))) this.#put(node);
      // The rest would not fit: the update clears the index.
      if (this.#isTooLarge()) return;
      at += consumed;
    }
  }

  #put(node: SearchableNode): void {
    this.#remove(node.id);
    this.nodes.set(node.id, node);
    this.bytes += bytesOf(node);
  }

  #remove(id: string): void {
    const node = this.nodes.get(id);
    if (node === undefined) return;
    this.nodes.delete(id);
    this.bytes -= bytesOf(node);
  }

  #isTooLarge(): boolean {
    return this.nodes.size > GROWTH * MOST_INDEXED || this.bytes > GROWTH * MOST_BYTES;
  }

  #clear(): void {
    this.nodes.clear();
    this.bytes = 0;
    this.reached = this.#from;
  }
}

/** The active nodes that are visible by this access, with the reader's level by all grants. */
export async function searchableNodes(
  { database, actor, readerAccess }: Pick<IndexSource, 'database' | 'actor' | 'readerAccess'>,
  nodes: readonly NodeWithFeeds[],
  access: ReaderAccess,
): Promise<SearchableNode[]> {
  const visible = nodes.filter((one) => !one.node.inTrash && levelOn(access, one) !== null);
  const projection = await projectionOf(database, actor, readerAccess, visible);
  return searchableInTurns(visible.map(({ node }) => viewNode(node, projection)));
}

/** Characters that are folded without a pause, so that long texts do not delay other work. */
const FOLDED_AT_ONCE = 100_000;

/** The nodes as their reader sees them, with their texts in folded form. */
export async function searchableInTurns(nodes: readonly WireNode[]): Promise<SearchableNode[]> {
  const found: SearchableNode[] = [];
  let characters = 0;
  for (const node of nodes) {
    found.push(searchable(node, foldTexts(node)));
    characters += node.title.length + node.description.length;
    if (characters < FOLDED_AT_ONCE) continue;
    characters = 0;
    await new Promise(setImmediate);
  }
  return found;
}

/** A node as its reader sees it, with these texts. */
export function searchable(node: WireNode, texts: FoldedTexts): SearchableNode {
  const { id, title, status, tags, assignee = [], priority, volume, dueDate } = node;
  const { createdTime, lastEditedTime, completedTime, ownerUsername = '', access, publicToken } = node;
  return {
    id,
    title,
    texts,
    status: status as Status,
    tags,
    assignee,
    priority,
    volume,
    dueDate,
    createdTime,
    lastEditedTime,
    completedTime,
    ownerUsername,
    access: access as Level,
    publicToken,
  };
}

export function bytesOf({ title, texts, tags, assignee }: SearchableNode): number {
  const characters = [title, texts.title, texts.description, ...texts.tags, ...tags, ...assignee].reduce(
    (sum, text) => sum + text.length,
    0,
  );
  return NODE_BYTES + CHARACTER_BYTES * characters;
}
