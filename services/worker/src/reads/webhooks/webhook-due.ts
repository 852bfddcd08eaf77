// Answers webhook:due: the content of a webhook's next message about due dates, as its user sees the nodes now.
// Rules: HOOK2, HOOK5, HOOK6, HOOK7.
import { createWhereTest } from '@taskgraph/domain/find/conditions';
import { foldTexts } from '@taskgraph/domain/find/text-match';
import { viewNode } from '@taskgraph/domain/views/view';
import { type DueEvent, dueContent, dueEvent, fittingEvents } from '@taskgraph/domain/webhooks/due-events';
import type { Branch } from '@taskgraph/domain/webhooks/event-filter';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown, readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { listDueNodes } from '@taskgraph/graph-store/webhooks/due-nodes';
import { checkMessage } from '@taskgraph/graph-store/webhooks/message-reads';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import { type DuePlace, GATEWAY_READS, type WebhookDueContent } from '@taskgraph/wire/bus/gateway-reads';
import { Status } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { WireNode } from '@taskgraph/wire/entities';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { DAY_MS } from '@taskgraph/wire/timestamps';
import { MOST_DUE_OF_MESSAGE } from '@taskgraph/wire/webhooks/webhook-fields';
import { searchable } from '../find/node-index.ts';
import { historyHorizon } from '../history/history-horizon.ts';
import { turnOf } from '../long-turn.ts';
import { asUser, nowOf, type ReadEnvironment, type ReadHandler } from '../read-handler.ts';
import { levelOn, projectionOf } from '../reader-view.ts';
import { hasEnded, retryWhileAccessChanges } from '../stable-access.ts';
import { createDueHistory, type DueHistory } from './due-history.ts';
import { branchOf, contextOf, type FilterSource, whereOf } from './event-filter.ts';
import { createRecentBatches } from './recent-batches.ts';

/** Due nodes of all users that one read of a range examines, and for `next`. The range ends there. */
const EXAMINED = { range: 2_000, next: 1_000 } as const;
/** After so many milliseconds a read ends its range. */
const MOST_READ_MS = 2_000;
/** How far ahead `next` looks: a search comes at least once a day, some seconds after the end of the last one. */
const NEXT_MS = DAY_MS + 3_600_000;

/** As `readWebhookMessage`. */
export const readWebhookDue: ReadHandler = async (message, environment) => {
  const { receivedAt: startedAt = performance.now() } = environment;
  const attempt = asUser((message, actor, environment) => readDue(message, { actor, environment, startedAt }));
  return retryWhileAccessChanges(attempt)(message, environment);
};

interface DueReader {
  readonly actor: ActingUser;
  readonly environment: ReadEnvironment;
  /** By performance.now(). */
  readonly startedAt: number;
}

/** Null if the reader's access changed meanwhile. */
async function readDue(
  message: ReadMessage,
  { actor, environment, startedAt }: DueReader,
): Promise<WebhookDueContent | Refusal | null> {
  const parsed = GATEWAY_READS['webhook:due'].safeParse(message.payload);
  if (!parsed.success) return refuse('bad_request', 'A webhook with a place in the order of due dates is needed.');
  const webhook = parsed.data;
  const { database, horizon = historyHorizon, recentBatches: recent = createRecentBatches() } = environment;
  // Before anything else is read: a change until then is stored, and a later one is after its due dates.
  const until = await horizon(environment);
  const readerAccess = await readReaderAccess(database, actor, nowOf(environment));
  const turn = turnOf(environment.pages);
  try {
    const { pageBytes } = environment.pages;
    const source = { database, actor, readerAccess, pageBytes, recent, takeTurn: turn.take };
    const found = await findDue(source, webhook, until);
    const checkedMs = Math.floor(performance.now() - startedAt);
    const { rights } = await checkMessage(database, { id: webhook.hook, email: actor.email, missed: [] });
    if (rights !== readerAccess.rights || hasEnded(readerAccess, environment)) return null;
    return { ...found, checkedMs, ...definedFields({ until: readerAccess.end.time }) };
  } finally {
    turn.putBack();
  }
}

/** The filter of a webhook, and its place. */
interface DueRequest {
  readonly hook: string;
  readonly root: string | null;
  readonly where: string | null;
  readonly from: DuePlace;
  readonly to: DuePlace | null;
}

/**
 * The next range of a webhook, or the fixed one, with the nodes in it. `until` is the end of the search. A range ends
 * where the nodes were examined, so a fixed one may be shorter now: more nodes may be in it than before.
 *
 * The dates of nodes that the user does not see determine `to`, which no message contains.
 */
async function findDue(
  source: FilterSource,
  webhook: DueRequest,
  until: string,
): Promise<Omit<WebhookDueContent, 'checkedMs' | 'until'>> {
  const { hook, from, to: fixed } = webhook;
  const end = fixed ?? { time: until > from.time ? until : from.time, id: '' };
  const { found, last } = await list(source, { after: from, to: end, limit: EXAMINED.range });
  const { events, read } = await eventsOf(source, webhook, found);
  const most = Math.min(MOST_DUE_OF_MESSAGE, fixed === null ? fittingEvents(events) : events.length);
  const sent = events.slice(0, most);
  const data = { hook, ...dueContent(sent) };
  const content = sent.length === 0 ? null : ({ type: 'graph.due', data } as const);
  const cut = sent.length < events.length ? read.find(({ id }) => id === sent.at(-1)?.id) : endOf(found, read, last);
  if (cut !== undefined) return { to: cut, hasMore: true, next: null, content };
  if (fixed !== null) return { to: fixed, hasMore: true, next: null, content };
  const to = later(from, end);
  return { to, hasMore: false, next: await nextAfter(source, to), content };
}

/** The end of a range of which not all nodes were read; undefined if all were. */
function endOf(found: readonly DuePlace[], read: readonly DuePlace[], last: DuePlace | null): DuePlace | undefined {
  return read.length < found.length ? read.at(-1) : (last ?? undefined);
}

/** The later of two places, of which the first one may have an id at the time of the second one. */
function later(from: DuePlace, end: DuePlace): DuePlace {
  return end.time > from.time ? end : from;
}

/** The events of the first of these places, until they are enough for a message, and the places that were read. */
async function eventsOf(
  source: FilterSource,
  request: DueRequest,
  found: readonly DuePlace[],
): Promise<{ readonly events: readonly DueEvent[]; readonly read: readonly DuePlace[] }> {
  const endMs = performance.now() + MOST_READ_MS;
  const history = createDueHistory(source);
  const branch = request.root === null || found.length === 0 ? null : await branchOf(source, request.root);
  const events: DueEvent[] = [];
  let count = 0;
  while (count < found.length && events.length < MOST_DUE_OF_MESSAGE && (count === 0 || performance.now() < endMs)) {
    const places = found.slice(count, count + MOST_DUE_OF_MESSAGE);
    events.push(...(await eventsAt(source, { where: request.where, branch, history }, places)));
    count += places.length;
  }
  return { events, read: found.slice(0, count) };
}

function list(
  { database, readerAccess }: FilterSource,
  range: { readonly after: DuePlace; readonly to: DuePlace; readonly limit: number },
) {
  const { readerId, shown } = readerAccess;
  return listDueNodes(database, { ...range, readerId, feeds: shown.map(({ feed }) => feed) });
}

/**
 * The next due date of an open node that the user sees, whatever the filter is, within a day; null if there is none.
 * If more nodes of others are due before than are examined, it is this place's time, so that the next search comes
 * soon: a date of theirs would show in when the webhook has something due.
 */
async function nextAfter(source: FilterSource, after: DuePlace): Promise<string | null> {
  const to = { time: new Date(Date.parse(after.time) + NEXT_MS).toISOString(), id: '' };
  const { found, last } = await list(source, { after, to, limit: EXAMINED.next });
  return found[0]?.time ?? (last === null ? null : after.time);
}

interface DueFilter {
  readonly where: string | null;
  readonly branch: Branch | null;
  readonly history: DueHistory;
}

/** The events of the nodes at these places that are for the webhook, in order. */
async function eventsAt(
  source: FilterSource,
  { where, branch, history }: DueFilter,
  places: readonly DuePlace[],
): Promise<DueEvent[]> {
  const ids = places.map(({ id }) => id).filter((id) => branch === null || branch.ids.has(id));
  if (ids.length === 0) return [];
  const nodes = await seenNodes(source, ids);
  const meets = where === null ? null : await testOf(source, where, ids);
  const times = new Map(places.map(({ id, time }) => [id, time]));
  const open = ids.flatMap((id) => {
    const node = nodes.get(id);
    // It may have changed since the search.
    if (node === undefined || node.status === Status.COMPLETED || node.dueDate !== times.get(id)) return [];
    return meets === null || meets(node) ? [node] : [];
  });
  return (await history(open)).map((node) => dueEvent(node.id, fieldsOf(node)));
}

async function testOf(
  source: FilterSource,
  json: string,
  ids: readonly string[],
): Promise<(node: WireNode) => boolean> {
  const where = whereOf(json);
  const meets = createWhereTest(where);
  const context = await contextOf(source, where, ids);
  return (node) => meets(searchable(node, foldTexts(node)), context);
}

/** The active nodes that the user sees, by id, with empty descriptions. */
async function seenNodes(source: FilterSource, ids: readonly string[]): Promise<Map<string, WireNode>> {
  const { database, actor, readerAccess, pageBytes } = source;
  // Hidden grants open no feed (ACL6).
  const access = accessByShown(readerAccess);
  const views: WireNode[] = [];
  for (let at = 0; at < ids.length; ) {
    const budget = createByteBudget(pageBytes);
    const page = await readNodesWithFeeds(database, ids.slice(at), budget, { hasDescriptions: false });
    const visible = page.nodes.filter((one) => !one.node.inTrash && levelOn(access, one) !== null);
    const projection = await projectionOf(database, actor, readerAccess, visible);
    views.push(...visible.map(({ node }) => viewNode(node, projection)));
    at += Math.max(1, page.consumed);
  }
  return new Map(views.map((node) => [node.id, node]));
}

/** All fields but the description, which may be longer than a message. */
function fieldsOf({ description: _, ...fields }: WireNode): Readonly<Record<string, unknown>> {
  return fields;
}
