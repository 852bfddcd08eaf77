// Waiting calls at a stack of two gateways with limits. Rules: LONG1, LONG2.
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { askAdmin } from '@taskgraph/testkit/stack/probes';
import { connectRawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../test/support/account-calls.ts';
import { type Body, queryOf, restCall, socketCall } from '../test/support/calls.ts';

const WAIT = { timeout: 120_000, interval: 25 };
const PASSWORD = 'correct horse battery staple';
/** Less than the wait of most calls: an answer within this time does not come from the time limit. */
const HANG_MS = 50_000;

interface Poll {
  readonly answer: Promise<{ status: number; body: Body; headers: Headers; text: string }>;
  abort(): void;
}

let stack: TestStack;
const tokens: Record<string, string> = {};
const open: Poll[] = [];

beforeAll(async () => {
  const environment = { TASKGRAPH_LIMITS: 'on', COMMAND_DEADLINE_MS: '60000' };
  stack = await startTestStack({ gateways: 2, environment });
  for (const name of ['ann', 'bob', 'carol']) tokens[name] = await stack.token(emailOf(name));
});
afterAll(() => stack?.stop());
afterEach(() => {
  for (const { abort } of open.splice(0)) abort();
});

const urlOf = (gateway: number) => stack.urls[gateway] as string;

/** Makes a call of another kind, which must succeed. */
async function must(name: string, event: string, payload: object): Promise<Body> {
  const { body, text } = await restCall(urlOf(0), tokens[name])(event, payload);
  expect(body.ok, text).toBe(true);
  return body;
}
async function addNode(name: string, fields: object = {}): Promise<string> {
  const { diff } = (await must(name, 'node:add', fields)) as unknown as { diff: { nodes: { after: Body }[] } };
  return String(diff.nodes[0]?.after.id);
}
const positionOf = async (name: string) => String((await must(name, 'graph:get', {})).position);

/** Starts a call that waits. */
function poll(token: string | undefined, fields: object, { gateway = 0, method = 'GET' } = {}): Poll {
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(HANG_MS)]);
  const query = queryOf(fields);
  const path = method === 'GET' ? `/api/changes?${query}` : '/api/changes';
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const request = { method, headers, signal, ...(method === 'GET' ? {} : { body: JSON.stringify(fields) }) };
  const answer = fetch(urlOf(gateway) + path, request).then(async (response) => {
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as Body, headers: response.headers, text };
  });
  // A test that ends early aborts its calls.
  answer.catch(() => undefined);
  const started = { answer, abort: () => leaving.abort() };
  open.push(started);
  return started;
}

async function waitingAt(gateway: number): Promise<number> {
  const { text } = await askAdmin(stack, `gateway-${gateway + 1}`, '/metrics');
  return Number(/^taskgraph_waiting_calls (\d+)$/m.exec(text)?.[1]);
}
const untilWaiting = (counts: readonly number[]) =>
  expect.poll(() => Promise.all(counts.map((_, gateway) => waitingAt(gateway))), WAIT).toEqual(counts);

const NOTHING = {
  ok: true,
  hasMore: false,
  next: null,
  nodes: [],
  links: [],
  gone: { nodes: [], links: [] },
  feeds: { gained: [], lost: [] },
};
const idsOf = (body: Body) => (body.nodes as Body[]).map(({ id }) => id);

describe('[LONG1] a call with wait', () => {
  test.each(['GET', 'POST'])('is answered at once by %s if something has changed', async (method) => {
    const since = await positionOf('ann');
    const id = await addNode('ann');
    const { status, body } = await poll(tokens.ann, { since, wait: 55 }, { method }).answer;
    expect([status, idsOf(body)]).toEqual([200, [id]]);
    await untilWaiting([0, 0]);
  });

  test('gets an empty answer at the end of its time, from which the next call continues', async () => {
    const since = await positionOf('ann');
    const { status, body, headers } = await poll(tokens.ann, { since, wait: 1 }).answer;
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...NOTHING, position: since });
    expect(headers.get('cache-control')).toBe('no-store');
    const id = await addNode('ann');
    expect(idsOf((await poll(tokens.ann, { since: body.position, wait: 55 }).answer).body)).toEqual([id]);
  });

  test('[NGET3] wakes with the selected fields of nodes', async () => {
    const since = await positionOf('ann');
    const waiting = ['GET', 'POST'].map((method) =>
      poll(tokens.ann, { since, wait: 55, fields: ['title'] }, { method }),
    );
    await untilWaiting([2, 0]);
    const id = await addNode('ann', { title: 'selected' });
    for (const { answer } of waiting) {
      expect((await answer).body.nodes).toEqual([{ id, title: 'selected', version: 1 }]);
    }
  });

  test('wakes when the own graph changes, at any gateway, again and again', async () => {
    let since = await positionOf('ann');
    for (const title of ['first', 'second']) {
      const waiting = [0, 1].map((gateway) => poll(tokens.ann, { since, wait: 55 }, { gateway }));
      await untilWaiting([1, 1]);
      const id = await addNode('ann', { title });
      for (const { answer } of waiting) {
        const { body } = await answer;
        expect(body.nodes).toMatchObject([{ id, title }]);
        since = String(body.position);
      }
    }
    await untilWaiting([0, 0]);
  });

  test('wakes at a grant with the content of the branch, and at its end without any', async () => {
    const root = await addNode('ann', { title: 'root' });
    const gained = poll(tokens.bob, { since: await positionOf('bob'), wait: 55 }, { gateway: 1 });
    await untilWaiting([0, 1]);
    await must('ann', 'node:access', { id: root, email: emailOf('bob') });
    const { body } = await gained.answer;
    expect(body).toMatchObject({ nodes: [{ id: root, title: 'root' }], feeds: { gained: [`root:${root}`], lost: [] } });

    const lost = poll(tokens.bob, { since: body.position, wait: 55 }, { gateway: 1 });
    await untilWaiting([0, 1]);
    await must('ann', 'node:access:delete', { id: root, email: emailOf('bob') });
    await must('ann', 'node:update', { id: root, title: 'secret' });
    const after = await lost.answer;
    expect(after.body).toMatchObject({ nodes: [], links: [], feeds: { gained: [], lost: [`root:${root}`] } });
    expect(after.text).not.toContain('secret');
    const next = await poll(tokens.bob, { since: after.body.position, wait: 1 }, { gateway: 1 }).answer;
    expect(next.body).toMatchObject(NOTHING);
  });

  test('does not wake at changes of others', async () => {
    const quiet = poll(tokens.carol, { since: await positionOf('carol'), wait: 55 });
    await untilWaiting([1, 0]);
    await addNode('ann');
    const id = await addNode('carol');
    expect(idsOf((await quiet.answer).body)).toEqual([id]);
  });

  test.each([
    [0, 'bad_request.out_of_range'],
    [56, 'bad_request.out_of_range'],
    [1.5, 'bad_request.invalid_wait'],
    ['soon', 'bad_request.invalid_wait'],
  ])('is refused with the wait %s', async (wait, code) => {
    const { status, body } = await poll(tokens.ann, { since: await positionOf('ann'), wait }).answer;
    expect([status, body.error]).toEqual([400, code]);
  });

  test('exists only over REST', async () => {
    const socket = await connectRawSocket(urlOf(0), { auth: { api_token: tokens.ann } });
    const { body } = await socketCall(socket)('changes:get', { since: await positionOf('ann'), wait: 1 });
    socket.close();
    expect(body).toMatchObject({ error: 'bad_request.unknown_field', details: { path: 'wait' } });
  });
});

describe('[LONG2] a waiting call', () => {
  test('is one of at most 20 of a user over all gateways; a client that disconnects frees its place', async () => {
    const since = await positionOf('carol');
    const waiting = Array.from({ length: 20 }, (_, index) =>
      poll(tokens.carol, { since, wait: 55 }, { gateway: index % 2 }),
    );
    await untilWaiting([10, 10]);
    const { status, body, headers } = await poll(tokens.carol, { since, wait: 55 }).answer;
    expect([status, body.error, body.details]).toEqual([
      429,
      'rate_limited',
      { limit: 'waiting:user', retryAfterMs: expect.any(Number) },
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    // Calls that need not wait have no bound, and other users have bounds of their own.
    expect((await poll(tokens.carol, { since }).answer).status).toBe(200);
    const other = poll(tokens.bob, { since: await positionOf('bob'), wait: 55 });
    await untilWaiting([11, 10]);
    other.abort();
    waiting[0]?.abort();
    await untilWaiting([9, 10]);
    const late = poll(tokens.carol, { since, wait: 55 });
    await untilWaiting([10, 10]);
    const id = await addNode('carol');
    const answers = await Promise.all([...waiting.slice(1), late].map(({ answer }) => answer));
    expect(answers.map((each) => idsOf(each.body))).toEqual(answers.map(() => [id]));
  });

  test('ends at once with its token, its session or its user', async () => {
    const name = ['--email', emailOf('dan'), '--password', PASSWORD];
    expect(await runAdmin(stack, 'token', name)).toMatchObject({ code: 0 });
    const [session, other] = [
      await signIn(urlOf(0), emailOf('dan'), PASSWORD),
      await signIn(urlOf(0), emailOf('dan'), PASSWORD),
    ];
    const { token, plaintext } = (await call(session, 'POST', '/api/token', { name: 'script' })).body as unknown as {
      token: { id: string };
      plaintext: string;
    };
    const { body } = await restCall(urlOf(0), session)('graph:get', {});
    const [script, here, there] = [plaintext, session, other].map((by, index) =>
      poll(by, { since: body.position, wait: 55 }, { gateway: index % 2 }),
    );
    await untilWaiting([2, 1]);
    const isRefused = async (ended: Poll | undefined) => {
      const refused = await ended?.answer;
      expect([refused?.status, refused?.body.error]).toEqual([401, 'unauthorized']);
    };
    await call(session, 'DELETE', '/api/token', { id: token.id });
    await isRefused(script);
    await untilWaiting([1, 1]);
    await call(session, 'POST', '/api/logout', {});
    await isRefused(here);
    await untilWaiting([1, 0]);
    expect(await runAdmin(stack, 'user', ['--email', emailOf('dan'), '--disable'])).toMatchObject({ code: 0 });
    await isRefused(there);
    await untilWaiting([0, 0]);
  });

  test('is answered by a gateway that stops, and continues elsewhere', async () => {
    const since = await positionOf('ann');
    const waiting = [0, 1].map((gateway) => poll(tokens.ann, { since, wait: 55 }, { gateway }));
    await untilWaiting([1, 1]);
    const stopped = stack.service('gateway-2').stop();
    const { status, body } = (await waiting[1]?.answer) ?? {};
    expect([status, body]).toMatchObject([200, { ...NOTHING, position: since }]);
    await stopped;
    const id = await addNode('ann');
    expect(idsOf((await poll(tokens.ann, { since: body?.position, wait: 55 }).answer).body)).toEqual([id]);
    expect((await waiting[0]?.answer)?.status).toBe(200);
  });
});

async function call(token: string, method: string, path: string, fields: object) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(urlOf(0) + path, { method, headers, body: JSON.stringify(fields) });
  const body = (await response.json()) as Body;
  expect(body.ok, JSON.stringify(body)).toBe(true);
  return { body };
}
