// Answers webhook:due: the content of a webhook's next message about due dates, as its user sees the nodes now.
// Rules: HOOK2, HOOK5, HOOK6, HOOK7.
import { createWhereTest } from '@taskgraph/domain/find/conditions';
import { foldTexts } from '@taskgraph/domain/find/text-match';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { viewNode } from '@taskgraph/domain/views/view';
import { type DueEvent, dueContent, dueEvent, fittingEvents, wasDue } from '@taskgraph/domain/webhooks/due-events';
import { loadBatches } from '@taskgraph/graph-store/reads/history/history-batches';
import { walkTouches } from '@taskgraph/graph-store/reads/history/history-index';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown, readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { listDueNodes } from '@taskgraph/graph-store/webhooks/due-nodes';
import { checkMessage } from '@taskgraph/graph-store/webhooks/message-reads';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import { type DuePlace, GATEWAY_READS, type WebhookDueContent } from '@taskgraph/wire/bus/gateway-reads';
import { Status } from '@taskgraph/wire/codes';
import type { WireNode } from '@taskgraph/wire/entities';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { MOST_DUE_OF_MESSAGE } from '@taskgraph/wire/webhooks/webhook-fields';
import { searchable } from '../find/node-index.ts';
import { historyHorizon } from '../history/history-horizon.ts';
import { turnOf } from '../long-turn.ts';
import { asUser, nowOf, type ReadEnvironment, type ReadHandler } from '../read-handler.ts';
import { levelOn, projectionOf } from '../reader-view.ts';
import { retryWhileAccessChanges } from '../stable-access.ts';
import { branchOf, contextOf, type FilterSource, whereOf } from './event-filter.ts';
import { createRecentBatches } from './recent-batches.ts';

/** Due nodes of all users that the search for a range examines, for one attempt of a fixed range, and for `next`. */
const EXAMINED = { search: 2_000, fixed: 10_000, next: 1_000 } as const;
/** Later changes of one node, and of all nodes of a message, that are read. A node with more counts as due. */
const MOST_CHANGES = { node: 50, message: 500 } as const;
/** Behind all due dates. */
const END_OF_TIME: DuePlace = { time: '~', id: '' };

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
    return rights === readerAccess.rights ? { ...found, checkedMs } : null;
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

/** The next range of a webhook, or the fixed one, with the nodes in it. `until` is the end of the search. */
async function findDue(
  source: FilterSource,
  webhook: DueRequest,
  until: string,
): Promise<Omit<WebhookDueContent, 'checkedMs'>> {
  const { hook, from, to: fixed } = webhook;
  const end = fixed ?? { time: until > from.time ? until : from.time, id: '' };
  const { found, last } = await list(source, {
    after: from,
    to: end,
    limit: fixed === null ? EXAMINED.search : EXAMINED.fixed,
  });
  if (fixed !== null) {
    // It may have more nodes than at the first attempt.
    const events: DueEvent[] = [];
    for (let at = 0; at < found.length && events.length <= MOST_DUE_OF_MESSAGE; at += MOST_DUE_OF_MESSAGE)
      events.push(...(await eventsAt(source, webhook, found.slice(at, at + MOST_DUE_OF_MESSAGE))));
    const content = messageOf(hook, [from, fixed], dueContent(events, last !== null));
    return { to: fixed, hasMore: true, next: null, content };
  }
  const places = found.slice(0, MOST_DUE_OF_MESSAGE);
  const events = await eventsAt(source, webhook, places);
  const count = fittingEvents(events);
  const isWhole = last === null && places.length === found.length && count === events.length;
  const reached = count < events.length ? events[count - 1]?.id : undefined;
  const to = isWhole ? later(from, end) : endOf({ places, last, found: found.length, reached });
  const content = messageOf(hook, [from, to], dueContent(events.slice(0, count), false));
  return { to, hasMore: !isWhole, next: isWhole ? await nextAfter(source, to) : null, content };
}

/** The later of two places, of which the first one may have an id at the time of the second one. */
function later(from: DuePlace, end: DuePlace): DuePlace {
  return end.time > from.time ? end : from;
}

interface CutRange {
  readonly places: readonly DuePlace[];
  /** How many nodes were found: the places are the first ones. */
  readonly found: number;
  /** The last examined place; null if all nodes were examined. */
  readonly last: DuePlace | null;
  /** The node of the last event that fits into the message, if further ones do not; undefined otherwise. */
  readonly reached: string | undefined;
}

/** The end of a range that does not reach the present: at its last event, or at the last examined place. */
function endOf({ places, found, last, reached }: CutRange): DuePlace {
  const end = places.find(({ id }) => id === reached);
  if (end !== undefined) return end;
  return (places.length < found ? places.at(-1) : last) as DuePlace;
}

function messageOf(
  hook: string,
  [from, to]: readonly [DuePlace, DuePlace],
  content: ReturnType<typeof dueContent>,
): WebhookDueContent['content'] {
  if (content.events.length === 0) return null;
  return { type: 'graph.due', data: { hook, due: { from: from.time, to: to.time }, ...content } };
}

function list(
  { database, readerAccess }: FilterSource,
  range: { readonly after: DuePlace; readonly to: DuePlace; readonly limit: number },
) {
  const { readerId, shown } = readerAccess;
  return listDueNodes(database, { ...range, readerId, feeds: shown.map(({ feed }) => feed) });
}

/** A time before which nothing more is due, whatever the filter is; null if nothing is due after this place. */
async function nextAfter(source: FilterSource, after: DuePlace): Promise<string | null> {
  const { found, last } = await list(source, { after, to: END_OF_TIME, limit: EXAMINED.next });
  return found[0]?.time ?? last?.time ?? null;
}

/** The events of the nodes at these places that are for the webhook, in order. */
async function eventsAt(
  source: FilterSource,
  { root, where }: DueRequest,
  places: readonly DuePlace[],
): Promise<DueEvent[]> {
  if (places.length === 0) return [];
  const branch = root === null ? null : await branchOf(source, root);
  const ids = places.map(({ id }) => id).filter((id) => branch === null || branch.ids.has(id));
  const nodes = await seenNodes(source, ids);
  const meets = where === null ? null : await testOf(source, where, ids);
  const times = new Map(places.map(({ id, time }) => [id, time]));
  const wasDueThen = dueTest(source);
  const events: DueEvent[] = [];
  for (const id of ids) {
    const node = nodes.get(id);
    // It may have changed since the search.
    if (node === undefined || node.status === Status.COMPLETED || node.dueDate !== times.get(id)) continue;
    if (meets !== null && !meets(node)) continue;
    if (await wasDueThen(node)) events.push(dueEvent(id, fieldsOf(node)));
  }
  return events;
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

/** Whether a node was due at its date. The later changes of all nodes together are bounded. */
function dueTest({ database, takeTurn }: FilterSource): (node: WireNode) => Promise<boolean> {
  let left: number = MOST_CHANGES.message;
  return async ({ id, dueDate, lastEditedTime }) => {
    if (dueDate === null || lastEditedTime <= dueDate || left <= 0) return true;
    // Changes in the same millisecond were before.
    const walk = walkTouches(database, id, { order: 'oldest', after: { ts: dueDate, batch: '~' } });
    const batches = (await walk.next(Math.min(MOST_CHANGES.node, left))).map(({ batch }) => batch);
    left -= batches.length;
    const later: StoredChange[] = [];
    for await (const portion of loadBatches(database, batches, takeTurn)) {
      for (const found of portion)
        for (const changes of found.changes()) later.push(...changes.filter((change) => change.id === id));
    }
    return wasDue({ id, dueDate }, later);
  };
}
