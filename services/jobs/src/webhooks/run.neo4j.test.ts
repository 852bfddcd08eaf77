// The steps of a run on a real database, with chosen results of the hooks service.
import { randomUUID } from 'node:crypto';
import type { WebhookSendResult } from '@taskgraph/bus/requests/webhook-requests';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import { integer } from '@taskgraph/graph-store/driver/codec';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { listReadyWebhooks } from '@taskgraph/graph-store/webhooks/due-webhooks';
import { type RunStep, type StoredStep, storeRunSteps } from '@taskgraph/graph-store/webhooks/webhook-runs';
import { newWebhookSecret, sealWebhookSecret } from '@taskgraph/runtime/security/webhook-secret';
import { createAudit } from '@taskgraph/runtime/telemetry/audit';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import type { WebhookContent, WebhookDueContent } from '@taskgraph/wire/bus/gateway-reads';
import { WEBHOOK_BODY_AGE_MS, WEBHOOK_BODY_BYTES } from '@taskgraph/wire/bus/webhook-messages';
import { lastWindowEnd } from '@taskgraph/wire/webhooks/due-windows';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LAG_MS } from './due-search.ts';
import { messageId } from './message.ts';
import { runWebhook, type WebhookRunDependencies } from './run.ts';

const SECRET = 'a secret of at least thirty-two characters';
const log = createLog({ name: 'test', level: 'silent' });
let database: Database;
let id: string;
let ownerId: string;
let outcome: WebhookSendResult;
let sent: number;
/** The ids of the sent messages, and what happens while the receiver has one. */
let sentIds: string[];
/** Whether each message was marked as one for a slow receiver. */
let slowMarks: (boolean | undefined)[];
let onSend: (messageId: string) => Promise<void>;
/** When the sent bodies count as built. */
let builtTimes: number[];
let bodies: string[];
let onStore: (step: RunStep) => void;
let read: WebhookRunDependencies['read'];
let readDue: WebhookRunDependencies['readDue'];
let searchDue: WebhookRunDependencies['searchDue'];
let writes: number;
/** Of the clock of runs. */
let aheadMs: number;
/** The time by which a run may be slow; it stands still in some tests. */
let clockMs: () => number;
let lastDeliveryMs: number;

beforeAll(async () => {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  database = openDatabase({ url, user, password });
  await migrate(database, () => undefined);
});
beforeEach(async () => {
  const [userId, now] = [randomUUID(), new Date().toISOString()];
  await ensureUser(database, { id: userId, email: `${userId}@example.com`, username: 'ann', now });
  [id, sent, aheadMs, lastDeliveryMs] = [randomUUID(), 0, 0, Number.NEGATIVE_INFINITY];
  clockMs = Date.now;
  [bodies, onStore] = [[], () => undefined];
  [slowMarks, builtTimes] = [[], []];
  [sentIds, writes, onSend, read] = [[], 0, async () => undefined, async () => null];
  [readDue, searchDue] = [async () => null, async () => null];
  ownerId = userId;
  const secret = sealWebhookSecret(SECRET, id, newWebhookSecret());
  await database.write(
    `MATCH (u:User {id: $userId}) CREATE (u)-[:HAS_WEBHOOK]->(:Webhook {id: $id, userId: $userId, state: 'pending', version: $one,
      name: 'n', url: 'https://example.com', events: [], secret: $secret, position: 'p', created: $now})`,
    { userId, id, secret, one: integer(1), now },
  );
});
afterEach(async () => {
  await database.write('MATCH (d:WebhookDelivery {hookId: $id}) DETACH DELETE d', { id });
  await database.write('MATCH (w:Webhook {id: $id}) DETACH DELETE w', { id });
});
afterAll(() => database.close());

/** Whether there is more to deliver at once. */
const run = async () => (await runAll()).hasMore;
const runAll = () =>
  runWebhook(
    {
      database: {
        ...database,
        write(...statement) {
          writes++;
          return database.write(...statement);
        },
      },
      storeStep: async (step: RunStep) => {
        writes++;
        onStore(step);
        return (await storeRunSteps(database, [step]))[0] as StoredStep;
      },
      read,
      readDue: (user, request) => readDue(user, request),
      searchDue: (user, request) => searchDue(user, request),
      async send({ headers, body, isSlow, builtMs }) {
        sent++;
        builtTimes.push(builtMs);
        slowMarks.push(isSlow);
        bodies.push(body);
        sentIds.push(headers['webhook-id']);
        await onSend(headers['webhook-id']);
        return outcome;
      },
      secrets: SECRET,
      audit: createAudit(log),
      log,
      lastDeliveryMs: () => lastDeliveryMs,
      nowMs: () => clockMs() + aheadMs,
      random: () => 0.5,
      newRunner: randomUUID,
      stopping: new AbortController().signal,
    },
    id,
  );
async function properties(): Promise<Record<string, unknown>> {
  const [row] = await database.read('MATCH (w:Webhook {id: $id}) RETURN properties(w) AS fields', { id });
  return row?.fields as Record<string, unknown>;
}

test('[HOOK10] a run that finds no hooks service leaves its webhook as it was', async () => {
  outcome = { outcome: 'absent' };
  const before = await properties();
  await run();
  expect(sent).toBe(1);
  const { lock: _, ...after } = await properties();
  expect(after).toEqual(before);
});

/** Runs the webhook although it waits. */
async function runNow(): Promise<Record<string, unknown>> {
  await database.write('MATCH (w:Webhook {id: $id}) SET w.nextMs = null', { id });
  await run();
  return properties();
}
async function recorded(): Promise<unknown[]> {
  const rows = await database.read('MATCH (d:WebhookDelivery {hookId: $id}) RETURN d.status AS status', { id });
  return rows.map(({ status }) => status);
}

test('[HOOK8] a hooks service that gives no answer is no failure of the receiver', async () => {
  outcome = { outcome: 'silent' };
  expect(await runNow()).not.toHaveProperty('failingSinceMs');
  expect(await properties()).toMatchObject({ waits: 1, nextMs: expect.any(Number) });
  expect(await recorded()).toEqual([]);
  expect(sent).toBe(1);
});

test('[HOOK8] a fault of the installation is no attempt, unless it lasts an hour for one webhook alone', async () => {
  outcome = { outcome: 'busy', isFault: true, durationMs: 9_000 };
  const { faultSinceMs } = await runNow();
  // An hour later nothing else was delivered either.
  lastDeliveryMs = (faultSinceMs as number) - 1;
  aheadMs = 3_600_000;
  expect(await runNow()).not.toHaveProperty('failingSinceMs');
  // Others are delivered before the hour is over.
  [aheadMs, lastDeliveryMs] = [3_500_000, Date.now() + 3_000_000];
  expect(await runNow()).not.toHaveProperty('failingSinceMs');
  expect(await recorded()).toEqual([]);
  aheadMs = 3_600_000;
  expect(await runNow()).toMatchObject({ failingSinceMs: expect.any(Number), faultSinceMs });
  expect(await recorded()).toEqual(['unreachable']);
  // Then each further one is a failure, until the webhook is disabled.
  aheadMs += 3 * 86_400_000;
  expect(await runNow()).toMatchObject({ state: 'disabled', reason: 'failing' });
  expect(await recorded()).toEqual(['unreachable', 'unreachable']);
});

test('[HOOK8] a request that hooks services call invalid is a fault of the installation', async () => {
  outcome = { outcome: 'invalid', durationMs: 0 };
  const { faultSinceMs } = await runNow();
  expect(faultSinceMs).toEqual(expect.any(Number));
  expect(await properties()).toMatchObject({ waits: 1, nextMs: expect.any(Number) });
  expect(await recorded()).toEqual([]);
  [aheadMs, lastDeliveryMs] = [3_600_000, Date.now() + 3_000_000];
  expect(await runNow()).toMatchObject({ failingSinceMs: expect.any(Number) });
  expect(await recorded()).toEqual(['unreachable']);
});

test('[HOOK8] an attempt that reaches the receiver ends the time of a fault, and a busy service has none', async () => {
  outcome = { outcome: 'busy', durationMs: 0 };
  expect(await runNow()).not.toHaveProperty('faultSinceMs');
  outcome = { outcome: 'busy', isFault: true, durationMs: 0 };
  expect(await runNow()).toHaveProperty('faultSinceMs');
  outcome = { outcome: 'refused', status: 500, durationMs: 0 };
  expect(await runNow()).not.toHaveProperty('faultSinceMs');
});

test('[HOOK12] a test that could not be sent for a minute is dropped', async () => {
  const set = 'MATCH (w:Webhook {id: $id}) SET w.state = "disabled", w.testMs = $at';
  outcome = { outcome: 'busy', durationMs: 0 };
  await database.write(set, { id, at: integer(Date.now()) });
  await run();
  expect(sent).toBe(1);
  // Its next attempt waits.
  await run();
  expect(sent).toBe(1);
  expect(await properties()).toHaveProperty('testMs');
  await database.write('MATCH (w:Webhook {id: $id}) SET w.testMs = $at, w.nextMs = null', {
    id,
    at: integer(Date.now() - 61_000),
  });
  await run();
  expect(sent).toBe(1);
  expect(await properties()).not.toHaveProperty('testMs');
});

test.each([
  [{ outcome: 'delivered', status: 204, durationMs: 1_001 }, true],
  [{ outcome: 'delivered', status: 204, durationMs: 1_000 }, false],
  [{ outcome: 'unreachable', durationMs: 15_000 }, true],
] as const)('[HOOK13] after %j the webhook is slow: %s', async (result, isSlow) => {
  outcome = result;
  await run();
  expect(sent).toBe(1);
  expect(await properties()).toMatchObject({ isSlow });
});

/** Gives the webhook messages up to these positions. */
async function withMessages(positions: readonly string[], state: 'active' | 'pending' = 'active'): Promise<void> {
  outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
  const nowMs = Date.now();
  clockMs = () => nowMs;
  await database.write('MATCH (w:Webhook {id: $id}) SET w.state = $state', { id, state });
  read = async (_user, { from, to }) => {
    const next = positions[positions.indexOf(from) + 1] as string;
    expect(to ?? next).toBe(next);
    const content = { type: 'graph.changed', data: { hook: id } } as const;
    return { to: next, hasMore: next !== positions.at(-1), checkedMs: 0, content };
  };
}
const idsOf = (...positions: readonly string[]) =>
  positions.slice(1).map((to, index) => messageId(id, positions[index] as string, to));

test('[HOOK6] the range of each message is stored before its first attempt, in one transaction with the success before', async () => {
  await withMessages(['p', 'q', 'r', 's']);
  const atSend: unknown[] = [];
  onSend = async (sentId) => {
    const { position, message } = await properties();
    atSend.push([position, JSON.parse(message as string).id === sentId, (await recorded()).length]);
  };
  await run();
  expect(sentIds).toEqual(idsOf('p', 'q', 'r', 's'));
  expect(atSend).toEqual([
    ['p', true, 0],
    ['q', true, 1],
    ['r', true, 2],
  ]);
  expect(await properties()).toMatchObject({ position: 's', headsSum: expect.any(String), minuteCount: 3 });
  for (const gone of ['message', 'runner', 'lease']) expect(await properties()).not.toHaveProperty(gone);
  // The lease with the first range, one for each further message, and the last success.
  expect(writes).toBe(5);
});

test('[HOOK6] a service that ends between an answer and its record sends the same message again', async () => {
  await withMessages(['p', 'q', 'r']);
  const [first, second] = idsOf('p', 'q', 'r');
  let crashes = 1;
  onStore = ({ changes }) => {
    if (changes.position === 'q' && crashes-- > 0) throw new Error('the service ends');
  };
  await expect(run()).rejects.toThrow('the service ends');
  expect(await properties()).toMatchObject({ position: 'p', message: expect.stringContaining(first as string) });
  await run();
  expect(sentIds).toEqual([first, first, second]);
});

test.each([
  ['fails', () => Promise.reject(new Error('an unknown content'))],
  ['gets no answer', () => new Promise<never>(() => undefined)],
])('[HOOK6] if the read of the next message %s, the success of the last one is stored alone', async (_what, fault) => {
  await withMessages(['p', 'q', 'r']);
  const found = read;
  const positions: unknown[] = [];
  let limited = 0;
  read = async (user, request, withinMs) => {
    if (withinMs !== undefined && request.from === 'q') {
      limited++;
      return fault();
    }
    if (withinMs === undefined) positions.push((await properties()).position);
    return found(user, request);
  };
  await run();
  // The next step reads it again, with all the time that it needs.
  expect(sentIds).toEqual(idsOf('p', 'q', 'r'));
  expect([limited, positions]).toEqual([1, ['p', 'q']]);
  expect(await properties()).toMatchObject({ position: 'r' });
  expect(await recorded()).toEqual(['delivered', 'delivered']);
});

test('[HOOK6 HOOK8] a content that no hooks service accepts is a reset, so its range ends', async () => {
  await withMessages(['p', 'q']);
  const found = read;
  read = async (user, request) => {
    const content = { type: 'graph.changed', data: { hook: id, batches: 'ü'.repeat(WEBHOOK_BODY_BYTES / 2) } } as const;
    return { ...((await found(user, request)) as WebhookContent), content };
  };
  await run();
  expect(bodies.map((body) => JSON.parse(body))).toEqual([
    { type: 'graph.reset', timestamp: expect.any(String), data: { hook: id } },
  ]);
  expect(sentIds).toEqual(idsOf('p', 'q'));
  expect(await properties()).toMatchObject({ position: 'q' });
});

test('[HOOK7] a body of a user whose grant ends soon is too old when it ends', async () => {
  await withMessages(['p', 'q']);
  const nowMs = clockMs();
  const found = read;
  const accessEnd = timeAt(nowMs + 300);
  read = async (user, request) => ({ ...((await found(user, request)) as WebhookContent), accessEnd });
  await run();
  expect(builtTimes).toEqual([nowMs + 300 - WEBHOOK_BODY_AGE_MS]);
});

test('[HOOK2 HOOK7] a content that was read for the user as it was is not sent: it is read again', async () => {
  await withMessages(['p', 'q', 'r']);
  const names: string[] = [];
  const found = read;
  read = async (user, request) => {
    names.push(user.username);
    if (names.length === 2) await database.write("MATCH (u:User {id: $ownerId}) SET u.username = 'eve'", { ownerId });
    return found(user, request);
  };
  await run();
  expect(names).toEqual(['ann', 'ann', 'eve']);
  expect(sentIds).toEqual(idsOf('p', 'q', 'r'));
});

test.each([
  ['its user changes it', 'MATCH (w:Webhook {id: $id}) SET w.version = w.version + 1', 'p'],
  ['its user is disabled', 'MATCH (u:User {id: $ownerId}) SET u.disabled = true', 'q'],
  ['its token ends', "MATCH (w:Webhook {id: $id}) SET w.tokenId = 'of nobody'", 'q'],
])('[HOOK3 HOOK8] if %s while the next message is read, it is not sent', async (_what, change, position) => {
  await withMessages(['p', 'q', 'r']);
  const found = read;
  read = async (user, request) => {
    if (request.from === 'q') await database.write(change, { id, ownerId });
    return found(user, request);
  };
  await run();
  expect(sentIds).toEqual(idsOf('p', 'q'));
  expect(await properties()).toMatchObject({ position });
  expect(await properties()).not.toHaveProperty('lease');
  expect(await recorded()).toEqual(['delivered']);
});

test('[HOOK10] after a built message, the feeds count as looked at when it was read', async () => {
  await withMessages(['p', 'q', 'r']);
  const found = read;
  const head = (seq: number) =>
    database.write("MERGE (f:Feed {id: 'user:' + $ownerId}) SET f.seq = $seq", { ownerId, seq: integer(seq) });
  await head(1);
  read = async (user, request) => {
    const content = await found(user, request);
    // A change after the read of the last message.
    if (request.from === 'q') await head(2);
    return content;
  };
  await run();
  expect(await properties()).toMatchObject({ position: 'r', headsSum: '1:0:0' });
});

test('[HOOK6] a run without time for a further message says that there is more, but not for a slow receiver', async () => {
  await withMessages(['p', 'q', 'r', 's', 't']);
  onSend = async () => {
    aheadMs = 2_000;
  };
  expect(await run()).toBe(true);
  expect(await properties()).toMatchObject({ position: 'q' });
  expect(await properties()).not.toHaveProperty('lease');
  outcome = { outcome: 'delivered', status: 204, durationMs: 1_001 };
  onSend = async () => {
    aheadMs = 4_000;
  };
  expect(await run()).toBe(false);
  expect(await properties()).toMatchObject({ position: 'r' });
});

test('[HOOK13] messages are marked for a receiver that is new, was slow or failed', async () => {
  outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
  // The first is the ping of a pending webhook.
  await withMessages(['p', 'q', 'r', 's', 't'], 'pending');
  onSend = async (message) => {
    if (message === idsOf('q', 'r')[0]) outcome = { outcome: 'refused', status: 500, durationMs: 1 };
  };
  await run();
  onSend = async () => {
    outcome = { outcome: 'delivered', status: 204, durationMs: 1_001 };
  };
  aheadMs = 10_000;
  // A run ends after a slow attempt. The failed message again, and the two after it:
  await runNow();
  await runNow();
  await runNow();
  expect(slowMarks).toEqual([true, false, false, true, true, true]);
});

test('[HOOK13] the test of a disabled webhook is marked, since its receiver may be silent', async () => {
  outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
  await database.write("MATCH (w:Webhook {id: $id}) SET w.state = 'disabled', w.testMs = timestamp()", { id });
  await run();
  expect(slowMarks).toEqual([true]);
});

test.each([
  ['Neo.ClientError.Transaction.TransactionTimedOut', 1],
  ['Neo.TransientError.Transaction.DeadlockDetected', 3],
])('[HOOK13] steps of several webhooks that fail together with %s are tried %i times', async (code, tries) => {
  let tried = 0;
  const failing: Database = {
    ...database,
    async write() {
      tried++;
      throw Object.assign(new Error('a step fails'), { code });
    },
  };
  const step = { version: 1, changes: {}, after: 'hold', nowMs: Date.now() } as const;
  const steps = [id, randomUUID()].map((one) => ({ ...step, id: one, runner: one }));
  // Then each is stored alone.
  await expect(storeRunSteps(failing, steps)).rejects.toThrow('a step fails');
  expect(tried).toBe(tries);
});

const MINUTE_MS = 60_000;
const timeAt = (ms: number) => new Date(ms).toISOString();

interface DueNode {
  readonly id: string;
  readonly dueMs: number;
}

interface DueReads {
  /** A full minute, at which the clock stands still. */
  readonly startMs: number;
  /** The searches: where each read began, and the end of the search, if it was given. */
  readonly searches: unknown[];
  /** The numbers of nodes of which a content was requested. */
  readonly reads: number[];
}

interface DueBounds {
  /** Nodes of a message. */
  readonly most?: number;
  /** Nodes that a read of a search examines, of `hidden` too. */
  readonly examined?: number;
}

/**
 * Lets the webhook select due dates, from now on: `due` has the nodes that its user sees, and `hidden` the times of
 * others.
 */
async function withDueNodes(
  due: DueNode[],
  { most = 2, examined = 1_000 }: DueBounds = {},
  hidden: number[] = [],
): Promise<DueReads> {
  await withMessages(['p']);
  const startMs = Math.ceil(clockMs() / MINUTE_MS) * MINUTE_MS + 1;
  clockMs = () => startMs;
  const [searches, reads]: [unknown[], number[]] = [[], []];
  await database.write(
    "MATCH (w:Webhook {id: $id}) SET w.events = ['node.due'], w.duePosition = $position, w.dueSearchMs = $at",
    { id, position: JSON.stringify({ time: timeAt(startMs), id: '' }), at: integer(startMs) },
  );
  read = async (_user, { from }) => ({ to: from, hasMore: false, checkedMs: 0, content: null });
  searchDue = async (_user, { from, until: given, count }) => {
    searches.push([from, given]);
    const until = given ?? timeAt(lastWindowEnd(clockMs() + aheadMs - LAG_MS));
    const all = [...due, ...hidden.map((dueMs) => ({ id: '', dueMs }))]
      .map(({ id: node, dueMs }) => ({ time: timeAt(dueMs), id: node }))
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const after = all.filter((position) => keyOf(position) > keyOf(from));
    const inside = after.filter(({ time }) => time < until);
    const page = inside.slice(0, examined);
    const seen = page.filter((position) => position.id !== '');
    const nodes = seen.slice(0, most - count);
    const common = { until, nodes, bytes: 0, next: null, checkedMs: 0 };
    if (count + nodes.length === most) return { ...common, to: nodes.at(-1) ?? from, state: 'full' };
    if (page.length < inside.length) return { ...common, to: page.at(-1) ?? from, state: 'continued' };
    const next = after.slice(inside.length).find((position) => position.id !== '')?.time ?? null;
    return { ...common, to: { time: from.time < until ? until : from.time, id: '' }, state: 'ended', next };
  };
  readDue = async (_user, { hook, nodes }) => {
    reads.push(nodes.length);
    const events = nodes.filter((node) => due.some((one) => one.id === node.id)).map(({ id: node }) => node);
    const content = {
      type: 'graph.due',
      data: { hook, events: events.map((node) => ({ type: 'node.due', id: node })) },
    };
    return { checkedMs: 0, content: events.length === 0 ? null : (content as WebhookDueContent['content']) };
  };
  return { startMs, searches, reads };
}
const keyOf = ({ time, id: node }: { time: string; id: string }) => `${time} ${node}`;
const dueIn = (body: string | undefined) =>
  ((JSON.parse(body ?? '{}').data?.events ?? []) as { id: string }[]).map(({ id: node }) => node);
/** Lets the present be some time after the start, and runs the webhook. */
async function runIn(ms: number): Promise<Record<string, unknown>> {
  aheadMs = ms;
  return runNow();
}

test('[HOOK5 HOOK10] a due node is sent once, and the next search waits for the next due date', async () => {
  const due: DueNode[] = [];
  const { startMs, searches } = await withDueNodes(due);
  due.push({ id: 'a', dueMs: startMs + 1 }, { id: 'b', dueMs: startMs + 90 * MINUTE_MS });
  // Its window is over a minute after the start, and history is complete up to there some seconds later.
  expect(await runIn(0)).toMatchObject({ dueSearchMs: startMs + MINUTE_MS + LAG_MS });
  expect(sent).toBe(0);
  await runIn(MINUTE_MS);
  expect(searches).toHaveLength(1);
  await runIn(MINUTE_MS + LAG_MS);
  expect(bodies.map(dueIn)).toEqual([['a']]);
  expect(JSON.parse(bodies[0] as string)).toMatchObject({ type: 'graph.due', data: { hook: id } });
  const nextMs = startMs + 91 * MINUTE_MS + LAG_MS;
  expect(await runIn(10 * MINUTE_MS)).toMatchObject({ dueSearchMs: nextMs });
  const before = searches.length;
  await runIn(80 * MINUTE_MS);
  expect(searches).toHaveLength(before);
  await runIn(nextMs - startMs);
  expect(bodies.map(dueIn)).toEqual([['a'], ['b']]);
  for (const gone of ['dueMessage', 'dueSearch', 'dueSinceMs', 'lease'])
    expect(await properties()).not.toHaveProperty(gone);
});

test('[HOOK7] a body about due nodes of a user whose grant ends soon is too old when it ends', async () => {
  const due: DueNode[] = [];
  const { startMs } = await withDueNodes(due);
  due.push({ id: 'a', dueMs: startMs + 1 });
  await runIn(0);
  const endMs = startMs + MINUTE_MS + LAG_MS + 300;
  const found = readDue;
  readDue = async (user, request) => {
    const content = await found(user, request);
    return content && { ...content, accessEnd: timeAt(endMs) };
  };
  await runIn(MINUTE_MS + LAG_MS);
  expect(builtTimes).toEqual([endMs - WEBHOOK_BODY_AGE_MS]);
});

test('[HOOK5 HOOK10] after changes the next search comes within a minute, and not more often', async () => {
  const due: DueNode[] = [];
  const { startMs, searches } = await withDueNodes(due);
  expect(await runIn(20_000)).toMatchObject({ dueSearchMs: startMs + 1_441 * MINUTE_MS + LAG_MS });
  expect(searches).toHaveLength(1);
  due.push({ id: 'a', dueMs: startMs + 30_000 });
  const without = read;
  let position = 'p';
  read = async (_user, { from }) => ({ to: `${from}+`, hasMore: false, checkedMs: 0, content: null });
  const nextMs = MINUTE_MS + LAG_MS;
  for (const ms of [30_000, 40_000, nextMs - 1]) {
    position += '+';
    expect(await runIn(ms)).toMatchObject({ position, dueSearchMs: startMs + nextMs });
  }
  read = without;
  expect(searches).toHaveLength(1);
  await runIn(nextMs);
  expect(bodies.map(dueIn)).toEqual([['a']]);
});

test('[HOOK5 HOOK6] due nodes come after the changes before them, and changes without an end do not delay them', async () => {
  const due: DueNode[] = [];
  const { startMs } = await withDueNodes(due);
  due.push({ id: 'a', dueMs: startMs + 1 }, { id: 'b', dueMs: startMs + 10 * MINUTE_MS });
  const change =
    (hasMore: boolean): typeof read =>
    async (_user, { from }) => ({
      to: `${from}+`,
      hasMore,
      checkedMs: 0,
      content: { type: 'graph.changed', data: { hook: id } },
    });
  const typesOf = () => bodies.map((body) => JSON.parse(body).type);
  const nothing = read;
  let changes = 1;
  read = (...request) => (changes-- > 0 ? change(false) : nothing)(...request);
  // The first search finds when the next one is due.
  const changing = read;
  read = nothing;
  await runIn(0);
  read = changing;
  await runIn(MINUTE_MS + LAG_MS);
  expect(typesOf()).toEqual(['graph.changed', 'graph.due']);
  bodies = [];
  read = change(true);
  // The run ends by the number of its steps.
  await runIn(13 * MINUTE_MS);
  expect(typesOf().slice(0, 2)).toEqual(['graph.due', 'graph.changed']);
  expect(bodies.flatMap(dueIn)).toEqual(['b']);
});

test('[HOOK4 HOOK6 HOOK7] all attempts of a message have one id and its nodes, and a later one less after access is lost', async () => {
  const due: DueNode[] = [];
  const { startMs, searches, reads } = await withDueNodes(due);
  due.push({ id: 'a', dueMs: startMs + 1 }, { id: 'c', dueMs: startMs + 3 });
  outcome = { outcome: 'refused', status: 500, durationMs: 1 };
  const atSend: unknown[] = [];
  onSend = async (messageId) => {
    const { dueMessage, duePosition } = await properties();
    atSend.push([JSON.parse(dueMessage as string).id === messageId, JSON.parse(duePosition as string).time]);
  };
  const failed = await runIn(2 * MINUTE_MS);
  expect(failed).toMatchObject({ failingSinceMs: expect.any(Number), nextMs: expect.any(Number) });
  expect(JSON.parse(failed.dueMessage as string)).toMatchObject({ attempts: 1, nodes: [{ id: 'a' }, { id: 'c' }] });
  due.shift();
  // A node whose date the search has passed is not added to it.
  due.push({ id: 'b', dueMs: startMs + 2 }, { id: 'd', dueMs: startMs + 3 * MINUTE_MS });
  outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
  onSend = async () => undefined;
  const before = searches.length;
  await runIn(5 * MINUTE_MS);
  expect(bodies.map(dueIn)).toEqual([['a', 'c'], ['c'], ['d']]);
  expect(reads).toEqual([2, 2, 1]);
  expect(sentIds[0]).toBe(sentIds[1]);
  expect(sentIds[2]).not.toBe(sentIds[1]);
  expect(atSend).toEqual([[true, timeAt(startMs)]]);
  // The next search begins after the message.
  expect(searches[before]).toEqual([{ time: timeAt(startMs + 3), id: 'c' }, timeAt(startMs + MINUTE_MS)]);
  expect(await properties()).not.toHaveProperty('failingSinceMs');
});

test('[HOOK2 HOOK4 HOOK6] messages are the same, however many reads a search takes, also with changes and restarts between', async () => {
  const at = (startMs: number) =>
    [1, 5_000, 10_000, 15_000, 20_000].map((ms, index) => ({ id: `${index}`, dueMs: startMs + ms }));
  const due: DueNode[] = [];
  const hidden: number[] = [];
  const { startMs, searches } = await withDueNodes(due, { most: 3, examined: 10 }, hidden);
  due.push(...at(startMs));
  const restart = 'MATCH (w:Webhook {id: $id}) SET w.duePosition = $position, w.dueSearchMs = $at';
  const position = JSON.stringify({ time: timeAt(startMs), id: '' });
  await runIn(2 * MINUTE_MS);
  const without = { bodies, sentIds };
  expect(without.bodies.map(dueIn)).toEqual([
    ['0', '1', '2'],
    ['3', '4'],
  ]);
  const few = searches.length;
  [bodies, sentIds] = [[], []];
  await database.write(restart, { id, position, at: integer(startMs) });
  hidden.push(...Array.from({ length: 200 }, (_, index) => startMs + 100 * index));
  // A service that ends between two reads continues the search, and so does one that finds changes.
  let crashes = 2;
  onStore = ({ changes }) => {
    if ((changes.dueSearch?.nodes.length ?? 0) > 1 && crashes-- > 0) throw new Error('the service ends');
  };
  await expect(runIn(2 * MINUTE_MS)).rejects.toThrow('the service ends');
  // Later dates join none of its messages: the search ends where it began to.
  due.push({ id: 'later', dueMs: startMs + 2 * MINUTE_MS });
  await expect(runIn(5 * MINUTE_MS)).rejects.toThrow('the service ends');
  await runIn(5 * MINUTE_MS);
  expect(searches.length).toBeGreaterThan(few + 20);
  expect(bodies.map(dueIn)).toEqual([['0', '1', '2'], ['3', '4'], ['later']]);
  expect(sentIds.slice(0, 2)).toEqual(without.sentIds);
});

test('[HOOK6 HOOK7] a message of which nothing is left ends without an attempt, and no changes come before that', async () => {
  const due: DueNode[] = [];
  const { startMs } = await withDueNodes(due);
  due.push({ id: 'a', dueMs: startMs + 1 });
  outcome = { outcome: 'unreachable', durationMs: 1 };
  await runIn(2 * MINUTE_MS);
  const changes = read;
  read = async (...request) => {
    expect(await properties()).not.toHaveProperty('dueMessage');
    return changes(...request);
  };
  due.pop();
  outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
  await runIn(5 * MINUTE_MS);
  expect(sent).toBe(1);
  expect(await properties()).not.toHaveProperty('dueMessage');
});

test('[HOOK6] nodes with one due date are sent in several messages, also if the service ends between them', async () => {
  const due: DueNode[] = [];
  const { startMs } = await withDueNodes(due);
  due.push(...['a', 'b', 'c', 'd', 'e'].map((node) => ({ id: node, dueMs: startMs + 1 })));
  let crashes = 1;
  onStore = ({ changes }) => {
    if (changes.duePosition?.id === 'd' && crashes-- > 0) throw new Error('the service ends');
  };
  await expect(runIn(2 * MINUTE_MS)).rejects.toThrow('the service ends');
  await runIn(2 * MINUTE_MS + 1);
  expect(bodies.map(dueIn)).toEqual([['a', 'b'], ['c', 'd'], ['c', 'd'], ['e']]);
  expect(sentIds[1]).toBe(sentIds[2]);
  expect(new Set(sentIds).size).toBe(3);
});

test('[HOOK5] a webhook that did not select due dates before starts at its first look, and one without them never asks', async () => {
  const due: DueNode[] = [];
  const { startMs, searches } = await withDueNodes(due);
  due.push({ id: 'a', dueMs: startMs + 1 }, { id: 'b', dueMs: startMs + 3 * MINUTE_MS });
  await database.write('MATCH (w:Webhook {id: $id}) SET w.events = [], w.duePosition = null', { id });
  await runIn(MINUTE_MS);
  expect(searches).toEqual([]);
  await database.write("MATCH (w:Webhook {id: $id}) SET w.events = ['node.*'], w.dueSearchMs = null", { id });
  const { duePosition } = await runIn(2 * MINUTE_MS);
  expect(JSON.parse(duePosition as string)).toEqual({ time: timeAt(startMs + 2 * MINUTE_MS), id: '' });
  await runIn(5 * MINUTE_MS);
  expect(bodies.map(dueIn)).toEqual([['b']]);
});

test('[HOOK8 HOOK12] a test, and the ping of an enabled webhook, leave the message in progress and the position', async () => {
  const due: DueNode[] = [];
  const { startMs } = await withDueNodes(due);
  due.push({ id: 'a', dueMs: startMs + 1 });
  outcome = { outcome: 'unreachable', durationMs: 1 };
  const { dueMessage, nextMs } = await runIn(2 * MINUTE_MS);
  outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
  await database.write('MATCH (w:Webhook {id: $id}) SET w.testMs = $at', { id, at: integer(startMs + 2 * MINUTE_MS) });
  await runIn(2 * MINUTE_MS);
  expect(await properties()).toMatchObject({ dueMessage, nextMs: expect.any(Number) });
  expect(nextMs).toEqual(expect.any(Number));
  await database.write(
    "MATCH (w:Webhook {id: $id}) SET w.state = 'pending', w.message = null, w.dueMessage = null, w.dueSearchMs = null",
    { id },
  );
  await runIn(10 * MINUTE_MS);
  expect(bodies.map((body) => JSON.parse(body).type)).toEqual(['graph.due', 'hook.ping', 'hook.ping', 'graph.due']);
  // The same nodes have the same id, which confirms no guess of them.
  expect(sentIds[3]).toBe(sentIds[0]);
  expect(sentIds[3]).not.toBe(messageId(id, 'due', JSON.stringify([id, [[timeAt(startMs + 1), 'a']]])));
});

/** Whether a sweep begins a run of the webhook. */
async function isFoundDue(): Promise<boolean | undefined> {
  const page = { state: 'active', after: id.slice(0, -1), limit: 1, now: new Date().toISOString() } as const;
  const { ready } = await listReadyWebhooks(database, page);
  return ready.find((one) => one.id === id)?.isDue;
}

const FAILED_READS = [
  ['has no answer', () => Promise.resolve(null)],
  ['throws', () => Promise.reject(new Error('a fault'))],
] as const;

/** Lets this many changes follow each other. */
function withChanges(count: number): void {
  const nothing = read;
  let changes = count;
  read = async (user, request) =>
    changes-- > 0
      ? { to: `${request.from}+`, hasMore: true, checkedMs: 0, content: { type: 'graph.changed', data: { hook: id } } }
      : nothing(user, request);
}

test.each(FAILED_READS)(
  '[HOOK5 HOOK6] changes do not wait for a search that %s, which is tried again later and later',
  async (_what, fault) => {
    const due: DueNode[] = [];
    const { startMs } = await withDueNodes(due);
    due.push({ id: 'a', dueMs: startMs + 1 });
    const works = searchDue;
    let searches = 0;
    searchDue = () => {
      searches++;
      return fault();
    };
    withChanges(2);
    const lateMs = 2 * MINUTE_MS;
    expect(await runIn(lateMs)).toMatchObject({ dueSearchMs: startMs + lateMs + MINUTE_MS, dueFailures: 1 });
    expect([searches, sent]).toEqual([1, 2]);
    // New changes do not bring it forward.
    withChanges(1);
    await runIn(lateMs + 30_000);
    expect([searches, sent]).toEqual([1, 3]);
    expect(await runIn(lateMs + MINUTE_MS)).toMatchObject({ dueSearchMs: startMs + 5 * MINUTE_MS, dueFailures: 2 });
    searchDue = works;
    await runIn(5 * MINUTE_MS);
    expect(bodies.map(dueIn).at(-1)).toEqual(['a']);
    for (const gone of ['dueFailures', 'dueMessage']) expect(await properties()).not.toHaveProperty(gone);
  },
);

test.each(FAILED_READS)(
  '[HOOK6 HOOK8] changes wait for one attempt to read a message about due nodes that %s, and it comes later',
  async (_what, fault) => {
    const due: DueNode[] = [];
    const { startMs } = await withDueNodes(due);
    due.push({ id: 'a', dueMs: startMs + 1 });
    // The receiver fails once, and then the message cannot be read.
    outcome = { outcome: 'refused', status: 500, durationMs: 1 };
    await runIn(2 * MINUTE_MS);
    outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
    const works = readDue;
    let reads = 0;
    readDue = () => {
      reads++;
      return fault();
    };
    withChanges(2);
    const unread = await runIn(5 * MINUTE_MS);
    expect(unread).toMatchObject({ position: 'p++', dueSearchMs: startMs + 6 * MINUTE_MS, dueFailures: 1 });
    expect([reads, sent]).toEqual([1, 3]);
    // The sweep finds nothing to do until then.
    expect(await isFoundDue()).toBe(false);
    await database.write('MATCH (w:Webhook {id: $id}) SET w.dueSearchMs = $at', { id, at: integer(Date.now()) });
    expect(await isFoundDue()).toBe(true);
    const at = integer(unread.dueSearchMs as number);
    await database.write('MATCH (w:Webhook {id: $id}) SET w.dueSearchMs = $at', { id, at });
    withChanges(1);
    await runIn(5 * MINUTE_MS + 30_000);
    expect([reads, sent]).toEqual([1, 4]);
    // A message of changes that its receiver has not accepted goes first.
    withChanges(1);
    outcome = { outcome: 'refused', status: 500, durationMs: 1 };
    expect(await runIn(5 * MINUTE_MS + 40_000)).toMatchObject({ message: expect.stringContaining('"attempts":1') });
    readDue = works;
    withChanges(1);
    outcome = { outcome: 'delivered', status: 204, durationMs: 1 };
    await runIn(10 * MINUTE_MS);
    expect(bodies.map((body) => JSON.parse(body).type)).toEqual([
      'graph.due',
      ...Array.from({ length: 5 }, () => 'graph.changed'),
      'graph.due',
    ]);
    expect(sentIds.at(-1)).toBe(sentIds[0]);
    for (const gone of ['dueFailures', 'dueMessage', 'message']) expect(await properties()).not.toHaveProperty(gone);
  },
);
