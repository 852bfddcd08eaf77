// The limits of a running stack of two gateways, and of two gateways whose Redis fails. Rules:
// LIM1, LIM2, LIM3.
import { LIMITS, type LimitName, type Rates } from '@taskgraph/commands/rate-limits';
import { openRawSocket, type RawSocket, untilConnected } from '@taskgraph/testkit/stack/raw-socket';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import type { Refusal } from '@taskgraph/wire/errors';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ConnectionQuotas, createConnectionQuotas, type QuotaHolder } from '../socket/connection-quotas.ts';
import { type Body, socketCall } from '../test/support/calls.ts';
import { type BackOff, createBackOff } from './back-off.ts';
import { createLimits, type Limits } from './limits.ts';

let stack: TestStack;
const open: { close(): unknown }[] = [];
let dialled = 0;

beforeAll(async () => {
  const environment = { TASKGRAPH_LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1', LIMIT_CONNECT: '4/60' };
  stack = await startTestStack({ gateways: 2, workers: 1, environment });
});
afterAll(() => stack?.stop());
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const urlOf = (index: number) => stack.urls[index % 2] as string;

/**
 * A socket of a user on one of the gateways, from an address of its own, so that connecting is no
 * matter.
 */
async function dial(token: string, gateway: number, address = `198.51.100.${dialled++}`): Promise<RawSocket> {
  const headers = { 'X-Forwarded-For': address };
  const socket = openRawSocket(urlOf(gateway), { headers, auth: { api_token: token } });
  open.push(socket);
  await untilConnected(socket);
  return socket;
}

interface Got {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

async function get(path: string, gateway: number, headers: Record<string, string>): Promise<Got> {
  const response = await fetch(urlOf(gateway) + path, { headers });
  return { status: response.status, body: (await response.json()) as Body, headers: response.headers };
}

/** Sends this number of requests, a few at once, to both gateways in turn. */
async function getAll(path: string, count: number, headers: Record<string, string>): Promise<Got[]> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const got: Got[] = [];
  const lane = async () => {
    for (const index of numbers) got.push(await get(path, index, headers));
  };
  await Promise.all(Array.from({ length: 10 }, lane));
  return got;
}

describe('over REST', () => {
  test('[LIM1 LIM2 LIM3] both gateways together accept 300 calls a minute, by user and by call', async () => {
    const [ann, bob] = [await stack.token(emailOf('ann')), await stack.token(emailOf('bob'))];
    const headers = { Authorization: `Bearer ${ann}` };
    const got = await getAll('/api/node/access', 330, headers);
    const [passed, limited] = [got.filter(({ status }) => status === 400), got.filter(({ status }) => status === 429)];
    expect([passed.length, limited.length]).toEqual([300, 30]);
    const left = passed.map(({ headers: told }) => Number(told.get('ratelimit-remaining')));
    expect(new Set(left)).toEqual(new Set(Array.from({ length: 300 }, (_, index) => index)));
    for (const { body, headers: told } of limited) {
      expect(body).toMatchObject({ ok: false, error: 'rate_limited', details: { limit: 'rest:call' } });
      const waitMs = (body.details as { retryAfterMs: number }).retryAfterMs;
      expect(told.get('retry-after')).toBe(String(Math.ceil(waitMs / 1_000)));
      expect([told.get('ratelimit-limit'), told.get('ratelimit-remaining')]).toEqual(['300', '0']);
    }
    // Another call of hers, and the same of another user, from the same address.
    expect((await get('/api/trash', 0, headers)).headers.get('ratelimit-remaining')).toBe('299');
    const other = await get('/api/node/access', 1, { Authorization: `Bearer ${bob}` });
    expect([other.status, other.headers.get('ratelimit-remaining')]).toEqual([400, '299']);
  });

  test('[LIM1 LIM2] health is accepted 120 times a minute, by address', async () => {
    const got = await getAll('/api/health', 130, { 'X-Forwarded-For': '203.0.113.1' });
    const statuses = got.map(({ status }) => status);
    expect([200, 429].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([120, 10]);
    const other = await get('/api/health', 0, { 'X-Forwarded-For': '8.8.8.8, 203.0.113.2' });
    expect([other.status, other.headers.get('ratelimit-remaining')]).toEqual([200, '119']);
  });

  test('[LIM1] a caller without a valid token counts by address', async () => {
    const [here, there] = [{ 'X-Forwarded-For': '203.0.113.3' }, { 'X-Forwarded-For': '203.0.113.4' }];
    const left: (string | null)[] = [];
    for (const headers of [here, { ...here, Authorization: 'Bearer none' }, there]) {
      const { status, headers: told } = await get('/api/graph', 0, headers);
      expect(status).toBe(401);
      left.push(told.get('ratelimit-remaining'));
    }
    expect(left).toEqual(['299', '298', '299']);
  });
});

describe('over sockets', () => {
  test.each([
    ['graph:get', 5, {}, []],
    ['trash:page', 5, {}, ['rate_limited', 'rate_limited']],
    ['history:page', 5, { scopeType: 'USER' }, ['rate_limited', 'rate_limited']],
    ['link:swap', 30, {}, ['rate_limited', 'rate_limited']],
  ])(
    '[LIM1 LIM2 LIM3] both gateways together accept %s %i times in ten seconds',
    async (event, points, payload, told) => {
      const token = await stack.token(emailOf(event.replace(':', '_')));
      const sockets = [await dial(token, 0), await dial(token, 1)];
      const events: string[] = [];
      for (const socket of sockets) socket.onAny((name: string) => name === 'rate_limited' && events.push(name));
      const calls = Array.from({ length: points + 2 }, (_, index) =>
        socketCall(sockets[index % 2] as RawSocket)(event, payload),
      );
      const bodies = (await Promise.all(calls)).map(({ body }) => body);
      const limited = bodies.filter(({ error }) => error === 'rate_limited');
      expect(limited).toHaveLength(2);
      for (const { details, trace_id } of limited) {
        expect(details).toMatchObject({ limit: event, retryAfterMs: expect.any(Number) });
        expect(trace_id).toMatch(/^[0-9a-f]{32}$/);
      }
      // An answer that came later than the events is behind them.
      for (const socket of sockets) await socketCall(socket)('node:add', { nothing: 1 });
      expect(events).toEqual(told);
    },
  );

  test('[WALK1 LIM1 LIM3] both gateways together accept 80 pages with `after` in ten seconds, beside the first pages', async () => {
    const token = await stack.token(emailOf('walker'));
    const sockets = [await dial(token, 0), await dial(token, 1)];
    const ask = (index: number, payload: object) => socketCall(sockets[index % 2] as RawSocket)('graph:get', payload);
    // A worker refuses the cursor, so that it reads nothing; the call counts like any other.
    const pages = Array.from({ length: 82 }, (_, index) => ask(index, { after: 'none' }));
    const bodies = (await Promise.all(pages)).map(({ body }) => body);
    const limited = bodies.filter(({ error }) => error === 'rate_limited');
    expect(limited).toHaveLength(2);
    for (const { details } of limited) expect(details).toMatchObject({ limit: 'graph:walk' });
    expect(bodies.filter(({ error }) => error === 'bad_request.invalid_after')).toHaveLength(80);
    expect((await ask(0, { limit: 1 })).body.ok).toBe(true);
  });

  test('[WALK1 GEN11] a graph of more pages than first pages are allowed is read in one walk', async () => {
    const token = await stack.token(emailOf('first_load'));
    const payload = { title: 'a long task', description: 'x'.repeat(20_000) };
    const operations = Array.from({ length: 10 }, () => ({ event: 'node:add', payload }));
    const socket = await dial(token, 0);
    for (let batch = 0; batch < 20; batch++) {
      expect((await socketCall(socket)('batch:run', { operations })).body).toMatchObject({ ok: true });
    }
    let [pages, nodes] = [0, 0];
    for (let after: string | null = ''; after !== null; pages++) {
      const { body } = await socketCall(socket)('graph:get', after === '' ? { limit: 5_000 } : { limit: 5_000, after });
      expect(body).toMatchObject({ ok: true });
      nodes += (body.nodes as unknown[]).length;
      after = body.hasMore === true ? String(body.next) : null;
    }
    expect(nodes).toBe(200);
    expect(pages).toBeGreaterThan(5);
  });

  test('[LIM1 LIM2 LIM3] connecting is limited by address over both gateways, and refused as rate_limited', async () => {
    const token = await stack.token(emailOf('connecting'));
    for (const gateway of [0, 1, 0, 1]) await dial(token, gateway, '203.0.113.9');
    const data = { ok: false, error: 'rate_limited', details: { limit: 'connect' } };
    for (const gateway of [0, 1]) {
      await expect(dial(token, gateway, '203.0.113.9')).rejects.toMatchObject({ message: 'rate_limited', data });
    }
    const socket = await dial(token, 0, '203.0.113.10');
    expect((await socketCall(socket)('graph:get', {})).body.ok).toBe(true);
  });

  test('[LIM1] calls that are refused count too', async () => {
    const token = await stack.token(emailOf('refused'));
    const socket = await dial(token, 0);
    const call = socketCall(socket);
    const errors = [];
    for (let turn = 0; turn < 7; turn++) errors.push((await call('trash:page', { limit: 'x' })).body.error);
    expect(errors.slice(0, 5)).toEqual(Array(5).fill('bad_request.invalid_limit'));
    expect(errors.slice(5)).toEqual(['rate_limited', 'rate_limited']);
  });
});

describe('the back-off of two gateways', () => {
  /** A wait that no test outlives, and its double. */
  const growth = { failures: 3, firstWaitMs: 60_000, longestWaitMs: 200_000, rememberedMs: 600_000 };
  const log = { warn: () => undefined };

  function startBackOffs(quick = growth): [BackOff, BackOff] {
    const start = () => {
      const redis = new Redis(stack.environment.REDIS_URL as string, {
        commandTimeout: 1_000,
        maxRetriesPerRequest: 0,
      });
      redis.on('error', () => undefined);
      open.push({ close: () => redis.disconnect() });
      return createBackOff(redis, log, quick);
    };
    return [start(), start()];
  }

  const waitOf = (refusal: Refusal | null) => Number(refusal?.details?.retryAfterMs ?? 0);

  /** Fails this number of times, at both gateways in turn. */
  async function fail(all: readonly BackOff[], who: string, times: number): Promise<void> {
    for (let turn = 0; turn < times; turn++) {
      const backOff = all[turn % all.length] as BackOff;
      expect(await backOff.begin(who)).toBeNull();
      await backOff.end(who, 'wrong');
    }
  }

  test('[AUTH4 LIM3] begins after some failures, only for the counted account, and ends with a success', async () => {
    const [one, other] = startBackOffs();
    await fail([one, other], 'ann', 2);
    expect(await one.begin('ann')).toBeNull();
    await one.end('ann', 'right');
    await fail([one, other], 'ann', 3);
    for (const each of [one, other]) {
      const refusal = await each.begin('ann');
      expect(refusal).toMatchObject({ code: 'rate_limited', details: { limit: 'login:failures' } });
      expect(waitOf(refusal)).toBeGreaterThan(30_000);
      expect(waitOf(refusal)).toBeLessThanOrEqual(60_000);
      expect(await each.begin('ann on a device')).toBeNull();
      await each.end('ann on a device', 'not_tried');
    }
    expect([one.refused(), other.refused()]).toEqual([1, 1]);
  });

  test('[AUTH4] each wait is twice the previous one, up to the maximum', async () => {
    const waits: number[] = [];
    for (let failures = 3; failures <= 6; failures++) {
      // Tests do not wait: many failures come at once, and later ones meet a wait.
      const [patient] = startBackOffs({ ...growth, firstWaitMs: 0 });
      const [strict] = startBackOffs();
      await fail([patient], `carl ${failures}`, failures - 1);
      await fail([strict], `carl ${failures}`, 1);
      waits.push(waitOf(await strict.begin(`carl ${failures}`)));
    }
    for (const [index, most] of [60_000, 120_000, 200_000, 200_000].entries()) {
      expect(waits[index]).toBeGreaterThan(most - 10_000);
      expect(waits[index]).toBeLessThanOrEqual(most);
    }
  });

  test('[AUTH4] concurrent attempts allow no more than sequential ones; refused attempts are not counted', async () => {
    const [one, other] = startBackOffs();
    const begun = await Promise.all(Array.from({ length: 20 }, (_, turn) => [one, other][turn % 2]?.begin('bob')));
    expect(begun.filter((refusal) => refusal === null)).toHaveLength(3);
    for (let turn = 0; turn < 10; turn++) {
      expect(await one.begin('dan')).toBeNull();
      await one.end('dan', 'not_tried');
    }
  });

  test('[AUTH4 LIM3] while Redis is unavailable every attempt is refused', async () => {
    const [one] = startBackOffs();
    expect(await one.begin('eve')).toBeNull();
    const redis = stack.backends.pids().redis as number;
    process.kill(redis, 'SIGSTOP');
    try {
      expect(await one.begin('eve')).toMatchObject({ code: 'unavailable' });
    } finally {
      process.kill(redis, 'SIGCONT');
    }
  });
});

describe('the limits of two gateways', () => {
  const rates = Object.fromEntries(LIMITS.map(({ name, points, seconds }) => [name, { points, seconds }])) as Rates;

  async function startLimits(): Promise<{ limits: Limits; lines: string[] }> {
    const lines: string[] = [];
    const log = {
      info: (_: object, message: string) => void lines.push(message),
      warn: (_: object, message: string) => void lines.push(message),
    };
    const limits = createLimits({ redis: { url: stack.environment.REDIS_URL as string }, rates, gateways: 9, log });
    open.push(limits);
    await limits.started();
    return { limits, lines };
  }

  function startPlaces(limits: Limits, ofUser: number): ConnectionQuotas {
    const quotas = createConnectionQuotas({
      kind: 'sockets',
      bounds: { 'sockets:user': ofUser, 'sockets:ip': 1_000 },
      limits,
    });
    open.push({ close: quotas.stop });
    return quotas;
  }

  async function passedOf(all: readonly Limits[], names: LimitName[], count: number, caller: object) {
    const outcomes: (string | undefined)[] = [];
    for (let turn = 0; turn < count; turn++) {
      const limits = all[turn % all.length] as Limits;
      outcomes.push((await limits.take(names, { ip: 'here', ...caller })).refusal?.code);
    }
    return outcomes.filter((code) => code === undefined).length;
  }

  test('[AUTH1 LIM1 LIM3] login is accepted ten times a minute by address, and as often by account from any address', async () => {
    const all = [(await startLimits()).limits, (await startLimits()).limits];
    expect(await passedOf(all, ['login'], 12, { ip: 'a' })).toBe(10);
    const account = emailOf('ann');
    expect(await passedOf(all, ['login'], 6, { ip: 'b', account })).toBe(6);
    expect(await passedOf(all, ['login'], 6, { ip: 'c', account })).toBe(4);
    expect(await passedOf(all, ['login'], 1, { ip: 'c', account: emailOf('bob') })).toBe(1);
  });

  test('[LIM3 LIM4] a user’s sockets are counted over both gateways, and those of a gateway that died do not count', async () => {
    const all = [(await startLimits()).limits, (await startLimits()).limits];
    const [one, other] = all.map((limits) => startPlaces(limits, 3)) as [ConnectionQuotas, ConnectionQuotas];
    const [ann, bob] = ['ann', 'bob'].map((user) => ({ ip: 'x', user })) as [QuotaHolder, QuotaHolder];
    const taken = await Promise.all([one, other, one].map((quotas) => quotas.take(ann)));
    expect(taken).toEqual([null, null, null]);
    for (const quotas of [one, other]) {
      const refusal = { code: 'rate_limited', details: { limit: 'sockets:user' } };
      expect(await quotas.take(ann)).toMatchObject(refusal);
    }
    expect(await other.take(bob)).toBeNull();
    other.leave(ann);
    await vi.waitFor(async () => expect(await other.take(ann)).toBeNull(), 60_000);
    // The two of the first gateway go with it.
    await all[0]?.close();
    for (let turn = 0; turn < 2; turn++) expect(await other.take(ann)).toBeNull();
    expect(await other.take(ann)).toMatchObject({ code: 'rate_limited' });
  });

  test('[LIM3] while Redis is unavailable each applies its share, login and tokens are refused, and both are reported', async () => {
    const [one, other] = [await startLimits(), await startLimits()];
    const all = [one.limits, other.limits];
    expect(await passedOf(all, ['connect'], 12, { ip: 'd' })).toBe(10);
    const redis = stack.backends.pids().redis as number;
    // The two gateways of the stack live too, and those of the test before are gone.
    for (const limits of all) await vi.waitFor(() => expect(limits.gateways()).toBe(4), 60_000);
    process.kill(redis, 'SIGSTOP');
    try {
      expect(await passedOf(all, ['connect'], 12, { ip: 'e' })).toBe(4);
      for (const name of ['login', 'register', 'token:create'] as const) {
        const { refusal } = await one.limits.take([name], { ip: 'f', user: 'ann' });
        expect(refusal).toMatchObject({ code: 'unavailable' });
      }
      const quotas = startPlaces(one.limits, 8);
      const taken = [];
      for (let turn = 0; turn < 3; turn++) taken.push((await quotas.take({ ip: 'x', user: 'eve' }))?.code);
      expect(taken).toEqual([undefined, undefined, 'rate_limited']);
      const { status } = await get('/api/trash', 0, {
        Authorization: `Bearer ${await stack.token(emailOf('ann'))}`,
      });
      expect(status).toBe(200);
    } finally {
      process.kill(redis, 'SIGCONT');
    }
    await vi.waitFor(async () => expect(await passedOf([one.limits], ['login'], 1, { ip: 'g' })).toBe(1), 60_000);
    // Calls that were counted together before still count.
    expect(await passedOf([one.limits], ['connect'], 1, { ip: 'd' })).toBe(0);
    expect(one.lines).toEqual([
      'Redis is away: each gateway applies its share of the limits',
      'Redis is back: limits count across all gateways',
    ]);
    expect(one.limits.counters).toMatchObject({ outages: 1, closed: expect.any(Number), limited: expect.any(Number) });
    expect(one.limits.counters.closed).toBeGreaterThanOrEqual(3);
    expect(one.limits.counters.local).toBeGreaterThanOrEqual(9);
  });
});
