// The messages that `hooks listen` forwards, made from the slices of a socket. Rules: HOOK4, HOOK5.
import type { DiffEntry, Slice, WebhookMessage } from '@taskgraph/client';

export type ChangedMessage = Extract<WebhookMessage, { type: 'graph.changed' }>;
type HookEvent = ChangedMessage['data']['events'][number];
type EventType = HookEvent['type'];

/** Types of events by the codes of the service's operations. A status has its own. */
const TYPES: Readonly<Record<number, EventType>> = {
  0: 'node.added',
  1: 'node.changed',
  3: 'node.trashed',
  4: 'node.restored',
  5: 'node.deleted',
  6: 'node.changed',
  10: 'link.added',
  11: 'link.changed',
  12: 'link.trashed',
  13: 'link.restored',
  14: 'link.deleted',
  15: 'link.changed',
};
const STATUS_OPERATION = 2;
const [BLOCKED, COMPLETED] = [2, 3];

/** Batches whose entities are remembered, since a batch may arrive in several feeds. */
const MAXIMUM_BATCHES = 1_000;

/** Makes messages of slices. An entity of a batch is in one message, even if several feeds have it. */
export interface SliceMessages {
  /** The message for a slice; null if nothing in it is new and accepted. */
  of(slice: Slice): ChangedMessage | null;
}

/** `filters` are types such as `node.completed`, or kinds such as `link.*`; none accept all. */
export function createSliceMessages(hook: string, filters: readonly string[]): SliceMessages {
  const seen = new Map<string, Set<string>>();
  const accepts = (type: string) =>
    filters.length === 0 || filters.includes(type) || filters.includes(`${type.slice(0, type.indexOf('.'))}.*`);

  function isNew(batchId: string, { type, id }: HookEvent): boolean {
    const known = seen.get(batchId) ?? new Set();
    seen.set(batchId, known);
    const [oldest] = seen.keys();
    if (seen.size > MAXIMUM_BATCHES && oldest !== undefined) seen.delete(oldest);
    // A batch may change an entity more than once.
    const key = `${type} ${id}`;
    return !known.has(key) && known.add(key) !== undefined;
  }

  return {
    of(slice) {
      const { batchId, feed, seq, ts, actor } = slice;
      if (batchId === null) return null;
      const events = eventsOf(slice, batchId).filter((event) => accepts(event.type) && isNew(batchId, event));
      if (events.length === 0) return null;
      const batches = actor === undefined ? [] : [{ batchId, actor, ts }];
      const data = { hook, events, feeds: { [feed]: [seq - 1, seq] }, batches };
      return { type: 'graph.changed', timestamp: new Date().toISOString(), data };
    },
  };
}

function eventsOf({ nodes, links, joined, left }: Slice, batchId: string): HookEvent[] {
  const moved = (type: EventType, ids: readonly string[] = []) => ids.map((id) => ({ type, batchId, id }));
  return [
    ...[...nodes, ...links].map((entry) => eventOf(entry, batchId)),
    ...moved('node.joined', joined?.nodes),
    ...moved('link.joined', joined?.links),
    ...moved('node.left', left?.nodes),
    ...moved('link.left', left?.links),
  ];
}

function eventOf({ op, before, after }: DiffEntry, batchId: string): HookEvent {
  const type = op === STATUS_OPERATION ? statusType(before.status, after.status) : (TYPES[op] ?? 'node.changed');
  return { type, batchId, id: String(after.id ?? before.id), before, after };
}

function statusType(before: unknown, after: unknown): EventType {
  if (after === COMPLETED) return 'node.completed';
  if (before === COMPLETED) return 'node.reopened';
  if (after === BLOCKED) return 'node.blocked';
  return before === BLOCKED ? 'node.unblocked' : 'node.changed';
}
