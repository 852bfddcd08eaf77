// The calls of the service: what each event takes and gives.
import type { Diff, DiffEntry, PageLink, TrashLink, TrashNode, WireLink, WireNode } from '@taskgraph/wire/entities';
import type { Ids } from '@taskgraph/wire/messages';

/** Fields of a node that its editors may write. Timestamps are ISO 8601; `null` clears. */
interface NodeFields {
  title?: string;
  description?: string;
  /** 0 Available, 1 InProgress, 3 Completed. */
  status?: number;
  dueDate?: string | null;
  tags?: string[];
  priority?: number;
  independent?: boolean;
  volume?: number;
  assignee?: string[];
  pinned?: boolean;
  collapsed?: boolean;
  x?: number;
  y?: number;
  z?: number;
}

/** Names one entity. With `version`, a stale one is refused as `version_conflict`. */
interface Named {
  id: string;
  version?: number;
}

/** Names a grant by its node and e-mail; `version` is the grant's. */
interface NamedGrant extends Named {
  email: string;
}

interface GrantFields {
  /** 1 Admin, 2 Editor, 3 Viewer. */
  level?: number;
  /** When it ends; null for never. */
  due?: string | null;
  /** Whether it takes in the whole branch. */
  branch?: boolean;
}

/** A grant on a node; `id` is the node's. */
export interface Grant {
  id: string;
  email: string;
  level: number;
  due: string | null;
  branch: boolean;
  version: number;
}

/** The answer of every mutation. `feeds`: the numbers that its slices have in the caller's own feeds. */
export interface Changed {
  diff: Diff;
  feeds?: Record<string, number>;
  trace_id: string;
}

/** The answer of an undo or redo: the entries of its diff bear the flat fields of `after` beside. */
interface Reverted {
  /** The new batch, which can be undone itself. */
  batchId: string;
  diff: Omit<Diff, 'access'> & { access?: DiffEntry[] };
  feeds?: Record<string, number>;
  trace_id: string;
}

/** A page of the graph; all nodes come before all links. `next` is the `after` of the next page, null at the end. */
export interface GraphPage {
  hasMore: boolean;
  next: string | null;
  nodes: WireNode[];
  links: PageLink[];
  /** On a first page: how far the reader's feeds are. */
  feeds?: Record<string, number>;
  position?: string;
  trace_id: string;
}

/** A page of the trash: nodes and links together, newest first. Where there are more, they come at the `offset` after all that came. */
export interface TrashPage {
  hasMore: boolean;
  nodes: TrashNode[];
  links: TrashLink[];
  trace_id: string;
}

/** A batch as history lists it. Names of fields in patches and guards are capitalised. */
export interface HistoryBatch {
  batchId: string;
  actor: { username: string; email: string };
  ts: string;
  undone: boolean;
  ops: {
    id: number;
    type: number;
    entityId: string;
    forwardPatch: Record<string, unknown>;
    inversePatch: Record<string, unknown>;
    guard: Record<string, unknown>;
    createdTime: string;
  }[];
  /** There are more operations than fit into a page. */
  truncated?: true;
}

/** A page of history, newest first. `truncated`: not all of the scope was looked at. */
export interface HistoryPage {
  hasMore: boolean;
  truncated?: true;
  batches: HistoryBatch[];
  trace_id: string;
}

/** The present state of what changed since a position: whole entities, and the ids of what went. */
export interface ChangesPage {
  resetRequired?: never;
  /** Where to ask from the next time, once the last page is here. */
  position: string;
  hasMore: boolean;
  /** The `cursor` of the next page, with the same `since`; null at the end. */
  next: string | null;
  nodes: WireNode[];
  links: WireLink[];
  gone: Ids;
  feeds: { gained: string[]; lost: string[] };
  /** On the first page: the numbers that the reader's feeds have reached, gained ones included. */
  heads?: Record<string, number>;
  trace_id: string;
}

/** `resetRequired`: the position is too old, and the whole graph has to be fetched. */
export type Changes = ChangesPage | { resetRequired: true; trace_id: string };

interface Paged {
  limit?: number;
  offset?: number;
}

/** Every event with its payload and its answer. */
export interface Calls {
  'node:add': { payload: NodeFields & { target?: string }; answer: Changed };
  'node:update': { payload: NodeFields & Named; answer: Changed };
  'node:trash': { payload: Named; answer: Changed };
  'node:restore': { payload: Named; answer: Changed };
  'node:delete': { payload: Named; answer: Changed };
  'node:access': { payload: NamedGrant & GrantFields; answer: Changed };
  'node:access:update': { payload: NamedGrant & GrantFields; answer: Changed };
  'node:access:delete': { payload: NamedGrant; answer: Changed };
  /** `next` is the `after` of the next page; it is there only where there is one. */
  'node:access:list': {
    payload: { id: string; after?: string };
    answer: { grants: Grant[]; hasMore?: boolean; next?: string; trace_id: string };
  };
  'node:showing': { payload: { id: string; showing: boolean }; answer: Changed };
  'node:publish': { payload: Named & Omit<GrantFields, 'level'>; answer: Changed };
  'node:publish:update': { payload: Named & Omit<GrantFields, 'level'>; answer: Changed };
  'node:unpublish': { payload: Named; answer: Changed };
  'link:add': { payload: { source: string; target: string; type?: number; private?: boolean }; answer: Changed };
  'link:update': { payload: Named & { type?: number; private?: boolean }; answer: Changed };
  'link:swap': { payload: Named; answer: Changed };
  'link:trash': { payload: Named; answer: Changed };
  'link:restore': { payload: Named; answer: Changed };
  'link:delete': { payload: Named; answer: Changed };
  'batch:undo': { payload: { batchId: string }; answer: Reverted & { undoOf: string } };
  'batch:redo': { payload: { batchId: string }; answer: Reverted & { redoOf: string } };
  'graph:get': { payload: Paged & { after?: string }; answer: GraphPage };
  /** `root`: a public token or a node's id; with a connection by public token, that token if not given. */
  'branch:get': { payload: Paged & { root?: string; after?: string }; answer: GraphPage };
  'trash:page': { payload: Paged; answer: TrashPage };
  /** `scopeType`: GRAPH, NODE, LINK or USER. */
  'history:page': { payload: Paged & { scopeType: string; scopeId: string }; answer: HistoryPage };
  /** `heard`: the numbers up to which the caller missed nothing of its feeds, so that no more is told than what it lacks. */
  'changes:get': { payload: { since: string; heard?: Record<string, number>; cursor?: string }; answer: Changes };
}
export type EventName = keyof Calls;

const READS: ReadonlySet<string> = new Set<EventName>([
  'node:access:list',
  'graph:get',
  'branch:get',
  'trash:page',
  'history:page',
  'changes:get',
]);

/** Whether a call only reads: such a call takes no idempotency key. */
export function isRead(event: string): boolean {
  return READS.has(event);
}
