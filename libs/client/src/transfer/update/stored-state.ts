// Reads the rows of a source, and the present state of their nodes and links. Rule: IO12.
import type { ImportLink, ImportTask, Node } from '@taskgraph/wire/public-types';
import type { Caller } from '../caller.ts';
import { FIELD_NAMES, type FieldValues } from '../import/field-hashes.ts';
import type { SourceCalls } from '../import/row-recorder.ts';

/** The rows of a source. */
export interface StoredRows {
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
}

/** The key of an ordered pair. */
export function pairOf(source: string, target: string): string {
  return JSON.stringify([source, target]);
}

export async function readRows(calls: Pick<SourceCalls, 'rows'>, source: string): Promise<StoredRows> {
  const [tasks, links] = [new Map<string, ImportTask>(), new Map<string, ImportLink>()];
  const batches: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await calls.rows(source, after);
    for (const task of page.tasks) tasks.set(task.id, task);
    for (const link of page.links) links.set(pairOf(link.source, link.target), link);
    batches.push(...page.batches);
    if (!page.hasMore || page.next === null) return { tasks, links, batches };
    after = page.next;
  }
}

/** Nodes of one page, and of one read by id. */
const PAGE = 5_000;
const MOST_IDS = 100;

/** Reads the nodes of the rows with their links. */
export async function readGraph(caller: Caller, rows: Pick<StoredRows, 'tasks'>): Promise<GraphView> {
  const wanted = new Set([...rows.tasks.values()].map(({ node }) => node));
  const view: GraphView = { nodes: new Map(), links: new Map() };
  if (wanted.size === 0) return view;
  const fields = [...FIELD_NAMES];
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
    for (const node of page.nodes) if (wanted.has(node.id)) view.nodes.set(node.id, activeView(node));
    for (const link of page.links) addLink(view, wanted, link);
    after = page.hasMore ? page.next : null;
  } while (after !== null);
  await readOthers(caller, wanted, view);
  return view;
}

/** Nodes that pages do not show: those in the trash, those of too many grants, and unreachable ones. */
async function readOthers(caller: Caller, wanted: ReadonlySet<string>, view: GraphView): Promise<void> {
  let open = [...wanted].filter((id) => !view.nodes.has(id));
  while (open.length > 0) {
    const ids = open.slice(0, MOST_IDS);
    const answer = (await caller.call('node:get', { ids, links: true } as never)) as unknown as {
      readonly nodes: readonly (Node | { readonly id: string; readonly title: string; readonly inTrash: true })[];
      readonly links?: readonly LinkView[];
      readonly unread?: readonly string[];
    };
    for (const node of answer.nodes) {
      const isTrashed = 'inTrash' in node && node.inTrash === true;
      view.nodes.set(node.id, isTrashed ? { state: 'trash', title: node.title } : activeView(node as Node));
    }
    for (const link of answer.links ?? []) addLink(view, wanted, link);
    const unread = new Set(answer.unread ?? []);
    for (const id of ids) if (!view.nodes.has(id) && !unread.has(id)) view.nodes.set(id, { state: 'unreachable' });
    // A node that does not fit the answer alone is shown alone, so this ends.
    open = open.filter((id) => !view.nodes.has(id));
  }
}

function activeView(node: Node): NodeView {
  const values = Object.fromEntries(FIELD_NAMES.map((name) => [name, node[name]]));
  return { state: 'active', version: node.version, values };
}

function addLink({ links }: GraphView, wanted: ReadonlySet<string>, link: LinkView): void {
  const { id, source, target, type } = link;
  if (!wanted.has(source) || !wanted.has(target)) return;
  links.set(pairOf(source, target), { id, source, target, type, private: link.private === true });
}
