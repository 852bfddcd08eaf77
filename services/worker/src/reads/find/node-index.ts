// The nodes of one reader's graph in memory, for searches. The changes of the reader's feeds keep
// it up to date. Rules: FIND6, FIND7.
//
// 1. An index is brought up to date before each search: every node that changed since, and that the
//    index covers, is read again. It is a copy of no feed that the reader cannot see now.
// 2. It serves one state of the reader's grants. After any change to these it is read anew.
// 3. A hit is only a candidate: the answer reads and judges the node again.
import type { SearchableNode } from '@taskgraph/domain/find/search';
import { foldTexts } from '@taskgraph/domain/find/text-match';
import { viewNode } from '@taskgraph/domain/views/view';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listChanged } from '@taskgraph/graph-store/reads/changes';
import type { Scope } from '@taskgraph/graph-store/reads/graph-page';
import { type NodeWithFeeds, readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Level, Status } from '@taskgraph/wire/codes';
import type { WireNode } from '@taskgraph/wire/entities';
import { surveyPatiently } from '../changes/survey.ts';
import { type Heads, headsOf } from '../position.ts';
import { levelOn, projectionOf } from '../reader-view.ts';

/** Most nodes of an index, and most bytes. The next index of the reader has the others. */
export const MOST_INDEXED = 20_000;
const MOST_BYTES = 32 * 1024 * 1024;
/** An index may grow so far by changes until it is read anew. */
const GROWTH = 1.25;
/** Nodes of one statement. */
const NODES_AT_ONCE = 1_000;
/** Rough sizes of a node without its texts, bytes, and of a character: in the text, and folded. */
const NODE_BYTES = 700;
const CHARACTER_BYTES = 4;

/** What an update reads from. */
export interface IndexSource {
  readonly database: Database;
  readonly actor: ActingUser;
  readonly readerAccess: ReaderAccess;
  /** The nodes of the reader's graph. */
  readonly scope: Scope;
  readonly pageBytes: number;
}

export class NodeIndex {
  readonly nodes = new Map<string, SearchableNode>();
  bytes = 0;
  /** The index has the nodes past the id `#from`, up to this one, or to the last if it is null. */
  reached: string | null;
  readonly #from: string;
  #grants = '';
  #heads: Heads = {};

  constructor(from: string) {
    this.#from = from;
    this.reached = from;
  }

  /** Reads the changes since the last update. Starts anew if they are unknown. */
  async update(source: IndexSource): Promise<void> {
    const { levels, shown, guests } = source.readerAccess;
    const grants = JSON.stringify([[...levels].sort(), shown.map(({ feed }) => feed), guests]);
    const heads = headsOf(shown);
    const changed = grants === this.#grants ? await this.#changedIds(source, heads) : null;
    if (changed === null || this.#isTooLarge()) this.#clear();
    else await this.#readAgain(source, changed);
    this.#grants = grants;
    this.#heads = heads;
  }

  /** Whether it has all nodes up to an id, or up to the last for null. */
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
    for (const node of await searchableNodes(source, range.nodes)) this.#put(node);
    this.reached = range.hasMore ? range.last : null;
  }

  /** The ids of the changed nodes that the index covers; null if they are unknown. */
  async #changedIds({ database, readerAccess }: IndexSource, heads: Heads): Promise<string[] | null> {
    const missed = readerAccess.shown.map(({ feed }) => ({
      feed,
      since: this.#heads[feed] ?? 0,
      head: heads[feed] ?? 0,
    }));
    if (missed.every(({ since, head }) => since === head)) return [];
    const survey = await surveyPatiently(database, missed);
    // Of a feed that was lost and gained again, the entries do not name everything.
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
      for (const node of await searchableNodes(source, nodes)) this.#put(node);
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

/** Those of the nodes that are in the reader's graph now. */
async function searchableNodes(
  { database, actor, readerAccess }: Pick<IndexSource, 'database' | 'actor' | 'readerAccess'>,
  nodes: readonly NodeWithFeeds[],
): Promise<SearchableNode[]> {
  const shown = accessByShown(readerAccess);
  const visible = nodes.filter((one) => !one.node.inTrash && levelOn(shown, one) !== null);
  const projection = await projectionOf(database, actor, readerAccess, visible);
  return visible.map(({ node }) => searchable(viewNode(node, projection)));
}

/** A node as its reader sees it, with its texts in folded form. */
export function searchable(node: WireNode): SearchableNode {
  const { id, title, description, status, tags, assignee = [], priority, volume, dueDate } = node;
  const { createdTime, lastEditedTime, ownerUsername = '', access, publicToken } = node;
  return {
    id,
    title,
    texts: foldTexts({ title, tags, description }),
    status: status as Status,
    tags,
    assignee,
    priority,
    volume,
    dueDate,
    createdTime,
    lastEditedTime,
    completedTime: null,
    ownerUsername,
    access: access as Level,
    publicToken,
  };
}

function bytesOf({ title, texts, tags, assignee }: SearchableNode): number {
  const characters = [title, texts.title, texts.description, ...texts.tags, ...tags, ...assignee].reduce(
    (sum, text) => sum + text.length,
    0,
  );
  return NODE_BYTES + CHARACTER_BYTES * characters;
}
