// Reads the rows of a source, and the present state of their nodes and links. Rule: IO12.
import type { ImportBatch, ImportLink, ImportTask, Node } from '@taskgraph/wire/public-types';
import { TaskgraphError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import { FIELD_NAMES, type FieldValues } from '../import/field-hashes.ts';
import type { SourceCalls } from '../import/row-recorder.ts';

/** The rows of a source. */
export interface SourceRows {
  /** By the ids of tasks. */
  readonly tasks: Map<string, ImportTask>;
  /** By `pairOf`. */
  readonly links: Map<string, ImportLink>;
  /** The batches of the last import or update, the earliest first. */
  readonly batches: readonly string[];
}

/** A node as the caller sees it now. */
export type NodeView =
  | { readonly state: 'active'; version: number; values: FieldValues }
  | { readonly state: 'trash'; readonly title: string }
  /** It was deleted, or the caller no longer sees it. */
  | { readonly state: 'unreachable' };

export interface LinkView {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly type: number;
  readonly private: boolean;
}

/** The state of the nodes of a source. */
export interface GraphView {
  readonly nodes: Map<string, NodeView>;
  /** The links between these nodes, by `pairOf` of the ids of nodes. */
  readonly links: Map<string, LinkView>;
  /** The links of these nodes with others. */
  readonly outside: LinkView[];
  /** The nodes that are claimed, published or shared, as far as it was read. */
  readonly shared: Set<string>;
}

/** The key of an ordered pair. */
export function pairOf(source: string, target: string): string {
  return JSON.stringify([source, target]);
}

export async function readRows(calls: Pick<SourceCalls, 'rows'>, source: string): Promise<SourceRows> {
  const [tasks, links] = [new Map<string, ImportTask>(), new Map<string, ImportLink>()];
  const batches: ImportBatch[] = [];
  for (let after: string | undefined; ; ) {
    const page = await calls.rows(source, after);
    for (const task of page.tasks) tasks.set(task.id, task);
    for (const link of page.links) links.set(pairOf(link.source, link.target), link);
    batches.push(...page.batches);
    if (!page.hasMore || page.next === null) return { tasks, links, batches: inOrder(batches) };
    after = page.next;
  }
}

/** The ids of batches, by their numbers. Ids have the clocks of several workers. */
function inOrder(batches: readonly ImportBatch[]): string[] {
  return batches.toSorted((one, other) => one.number - other.number).map(({ id }) => id);
}

/** Nodes of one page, and of one read by id. */
const PAGE = 5_000;
const MOST_IDS = 100;
/** The nodes of a small source are read by their ids, those of a larger one with all of the graph. */
const SMALL_SOURCE = 1_000;

/** Reads the nodes of the rows with their links. */
export async function readGraph(caller: Caller, rows: Pick<SourceRows, 'tasks'>): Promise<GraphView> {
  const wanted = new Set([...rows.tasks.values()].map(({ node }) => node));
  let view = emptyView();
  if (wanted.size === 0 || (wanted.size <= SMALL_SOURCE && (await readByIds(caller, wanted, view)))) return view;
  view = emptyView();
  const fields = [...FIELD_NAMES, ...SHARING_FIELDS];
  let after: string | null = null;
  do {
    const page = (await caller.call('graph:get', {
      limit: PAGE,
      fields,
      ...(after === null ? {} : { after }),
    } as never)) as unknown as {
      readonly nodes: readonly Node[];
      readonly links: readonly LinkView[];
      readonly hasMore: boolean;
      readonly next: string | null;
    };
    for (const node of page.nodes) if (wanted.has(node.id)) addNode(view, node);
    for (const link of page.links) addLink(view, wanted, link);
    after = page.hasMore ? page.next : null;
  } while (after !== null);
  // Pages do not show nodes in the trash, those of too many grants, and unreachable ones.
  await readByIds(caller, wanted, view);
  return view;
}

function emptyView(): GraphView {
  return { nodes: new Map(), links: new Map(), outside: [], shared: new Set() };
}

/** Reads the nodes that the view lacks. False if an answer lacks links. */
async function readByIds(caller: Caller, wanted: ReadonlySet<string>, view: GraphView): Promise<boolean> {
  let isWhole = true;
  let open = [...wanted].filter((id) => !view.nodes.has(id));
  while (open.length > 0) {
    const ids = open.slice(0, MOST_IDS);
    const answer = (await caller.call('node:get', { ids, links: true } as never)) as unknown as {
      readonly nodes: readonly (Node | { readonly id: string; readonly title: string; readonly inTrash: true })[];
      readonly links?: readonly LinkView[];
      readonly unread?: readonly string[];
      readonly truncated?: true;
    };
    isWhole &&= answer.truncated !== true;
    for (const node of answer.nodes) {
      const isTrashed = 'inTrash' in node && node.inTrash === true;
      if (isTrashed) view.nodes.set(node.id, { state: 'trash', title: node.title });
      else addNode(view, node as Node);
    }
    for (const link of answer.links ?? []) addLink(view, wanted, link);
    const unread = new Set(answer.unread ?? []);
    for (const id of ids) if (!view.nodes.has(id) && !unread.has(id)) view.nodes.set(id, { state: 'unreachable' });
    // A node that does not fit the answer alone is shown alone, so this ends.
    open = open.filter((id) => !view.nodes.has(id));
  }
  return isWhole;
}

/** Fields that show that others use a node. */
const SHARING_FIELDS = ['claimedBy', 'publicToken'] as const;

function addNode({ nodes, shared }: GraphView, node: Node): void {
  const values = Object.fromEntries(FIELD_NAMES.map((name) => [name, node[name]]));
  nodes.set(node.id, { state: 'active', version: node.version, values });
  if (SHARING_FIELDS.some((name) => typeof node[name] === 'string')) shared.add(node.id);
}

function addLink({ links, outside }: GraphView, wanted: ReadonlySet<string>, link: LinkView): void {
  const { id, source, target, type } = link;
  const shown = { id, source, target, type, private: link.private === true };
  if (wanted.has(source) && wanted.has(target)) links.set(pairOf(source, target), shown);
  else outside.push(shown);
}

/** Notes which of these nodes have grants. A node whose grants the caller may not list counts as shared. */
export async function readGrants(caller: Caller, nodes: Iterable<string>, { shared }: GraphView): Promise<void> {
  for (const id of nodes) {
    if (shared.has(id)) continue;
    const answer = await caller.call('node:access:list', { id }).catch((error: unknown) => {
      if (error instanceof TaskgraphError && /^(not_found|forbidden)/.test(error.code)) return null;
      throw error;
    });
    if (answer === null || answer.grants.length > 0) shared.add(id);
  }
}
