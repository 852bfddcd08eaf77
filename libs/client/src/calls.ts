// The calls of the service: what each event takes and gives.
import type { Diff, PageLink, TrashLink, TrashNode, WireNode } from '@taskgraph/wire/entities';

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

/** The answer of every mutation. `feeds`: the numbers that its slices have in the caller's own feeds. */
export interface Changed {
  diff: Diff;
  feeds?: Record<string, number>;
  trace_id: string;
}

/** A page of the graph; all nodes come before all links. `next` is the `after` of the next page, null at the end. */
export interface GraphPage {
  hasMore: boolean;
  next: string | null;
  nodes: WireNode[];
  links: PageLink[];
  feeds?: Record<string, number>;
  position?: string;
  trace_id: string;
}

/** A page of the trash: nodes and links together, newest first. */
export interface TrashPage {
  hasMore: boolean;
  nodes: TrashNode[];
  links: TrashLink[];
  trace_id: string;
}

/** Every event with its payload and its answer. */
export interface Calls {
  'node:add': { payload: NodeFields & { target?: string }; answer: Changed };
  'node:update': { payload: NodeFields & Named; answer: Changed };
  'node:trash': { payload: Named; answer: Changed };
  'node:restore': { payload: Named; answer: Changed };
  'node:delete': { payload: Named; answer: Changed };
  'link:add': { payload: { source: string; target: string; type?: number; private?: boolean }; answer: Changed };
  'link:update': { payload: Named & { type?: number; private?: boolean }; answer: Changed };
  'link:swap': { payload: Named; answer: Changed };
  'link:trash': { payload: Named; answer: Changed };
  'link:restore': { payload: Named; answer: Changed };
  'link:delete': { payload: Named; answer: Changed };
  'graph:get': { payload: { limit?: number; offset?: number; after?: string }; answer: GraphPage };
  'trash:page': { payload: { limit?: number; offset?: number }; answer: TrashPage };
}
export type EventName = keyof Calls;

const READS: ReadonlySet<string> = new Set<EventName>(['graph:get', 'trash:page']);

/** Whether a call only reads: such a call takes no idempotency key. */
export function isRead(event: string): boolean {
  return READS.has(event);
}
