// The bounds of connections: their number, the time to authenticate, and counted calls. Rules:
// LIM1, LIM4.
import { setTimeout as sleep } from 'node:timers/promises';
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { expect, test, vi } from 'vitest';
import { createAuthenticator } from '../auth/authentication.ts';
import { hashOf } from '../auth/token.ts';
import { createWrongTokens } from '../auth/wrong-tokens.ts';
import { type RawGateway, type RawGatewayOptions, rawGateways } from '../test/support/raw-gateway.ts';
import type { RawClient } from '../test/support/raw-socket.ts';
import { answeredBy } from '../test/support/worker-answers.ts';
import { CALLS } from './call-limiter.ts';

let gateway: RawGateway;

const startGateway = rawGateways();

async function start(options: RawGatewayOptions): Promise<void> {
  gateway = await startGateway({ ann: 'user:ann', bob: 'user:bob' }, options);
}

/** Authenticates, and returns `connected` or the code of the refusal. */
async function ask(client: RawClient, name: string): Promise<string> {
  client.send(`40{"api_token":"${name}"}`);
  const answer = await client.receive('42["connected"', '44{');
  return answer.startsWith('42') ? 'connected' : (JSON.parse(answer.slice(2)) as { message: string }).message;
}

async function connect(name: string, address: string): Promise<RawClient> {
  const client = await gateway.dial(address);
  expect(await ask(client, name)).toBe('connected');
  return client;
}

/** The answer to a refused upgrade. */
async function refusedUpgrade(address: string) {
  const outcome = await gateway.dial(address).catch((error: unknown) => error);
  const { status, body, headers } = outcome as { status?: number; body?: string; headers?: Record<string, string> };
  const retryAfter = headers?.['retry-after'];
  return { status, retryAfter, ...(JSON.parse(body ?? '{}') as { error?: string; details?: { limit?: string } }) };
}

const closingOf = ({ packets }: RawClient) => packets.find((text) => text.startsWith('42["closing"')) ?? '';

test('[AUTH3] a connected socket stores nothing of its handshake, especially not its token', async () => {
  await start({});
  await connect('ann', '192.0.2.1');
  const [socket] = [...gateway.io.sockets.sockets.values()];
  expect(socket).toMatchObject({ request: null, handshake: { auth: {}, headers: {}, query: {}, url: '' } });
  expect(socket?.data).not.toHaveProperty('position');
});

test('[LIM4] beyond the sockets of a user or an address, a CONNECT is refused as rate_limited', async () => {
  await start({ quotas: { 'sockets:user': 2, 'sockets:ip': 3 } });
  const [first] = [await connect('ann', '192.0.2.1'), await connect('ann', '192.0.2.2')];
  const third = await gateway.dial('192.0.2.3');
  expect(await ask(third, 'ann')).toBe('rate_limited');
  expect(third.packets.at(-1)).toContain('"details":{"limit":"sockets:user"');
  // After closing one, a user can open another.
  first?.destroy();
  await vi.waitFor(() => expect(gateway.connections.all()).toBe(2), 60_000);
  third.destroy();
  await connect('ann', '192.0.2.3');
  await Promise.all([connect('bob', '192.0.2.3'), connect('bob', '192.0.2.3')]);
  const crowd = await gateway.dial('192.0.2.3');
  expect(await ask(crowd, 'bob')).toBe('rate_limited');
  expect(crowd.packets.at(-1)).toContain('"details":{"limit":"sockets:ip"');
  expect(gateway.quotas.refused).toEqual({ 'sockets:user': 1, 'sockets:ip': 1 });
});

test('[LIM4] a connection that does not authenticate in time is notified and closed', async () => {
  await start({ bounds: { authenticationMs: 300 } });
  const [silent, refused, honest] = [await gateway.dial(), await gateway.dial(), await connect('ann', '192.0.2.1')];
  expect(await ask(refused, 'wrong')).toBe('unauthorized');
  await Promise.all([silent.end(), refused.end()]);
  for (const client of [silent, refused]) {
    expect(client.packets.at(-1)).toContain('44{"message":"unauthorized.late"');
    expect(client.closed).toEqual({ code: 1008, reason: 'unauthorized.late' });
  }
  expect([honest.ended, gateway.connections.waiting()]).toEqual([false, 0]);
});

test('[AUTH3 LIM4] a connection whose authentication gets no answer in time learns nothing about its token', async () => {
  await start({ bounds: { authenticationMs: 300 }, authenticate: () => new Promise(() => undefined) });
  const waiting = await gateway.dial();
  expect(await ask(waiting, 'ann')).toBe('unavailable');
  await waiting.end();
  expect(waiting.closed).toEqual({ code: 1013, reason: 'unavailable' });
  expect(gateway.connections.ended).toMatchObject({ late: 0, unanswered: 1 });
});

test('[GEN3 LIM4] beyond the limit of unauthenticated connections, an upgrade is refused', async () => {
  await start({ bounds: { unauthenticatedOfAddress: 3, unauthenticated: 5 } });
  const waiting = await Promise.all(Array.from({ length: 3 }, () => gateway.dial('192.0.2.1')));
  expect(await refusedUpgrade('192.0.2.1')).toMatchObject({
    status: 429,
    retryAfter: '60',
    error: 'rate_limited',
    details: { limit: 'unauthenticated:ip' },
  });
  await Promise.all(Array.from({ length: 2 }, () => gateway.dial('192.0.2.2')));
  expect(await refusedUpgrade('192.0.2.3')).toMatchObject({ status: 503, retryAfter: '1', error: 'unavailable' });
  // A client that authenticates or disconnects no longer counts.
  expect(await ask(waiting[0]!, 'ann')).toBe('connected');
  waiting[1]?.destroy();
  await vi.waitFor(() => expect(gateway.connections.waiting()).toBe(3), 60_000);
  await Promise.all([gateway.dial('192.0.2.1'), gateway.dial('192.0.2.3')]);
  expect(gateway.connections.refused).toEqual({ 'unauthenticated:ip': 1, unauthenticated: 1 });
});

test('[LIM1 LIM4] each upgrade counts by address, with any result, and beyond the limit the answer is 429', async () => {
  await start({ rates: { upgrade: { points: 3, seconds: 60 } } });
  for (const packet of ['garbage', '42["node:add"', '1']) {
    const client = await gateway.dial('192.0.2.1');
    client.send(packet);
    await client.end();
  }
  expect(await refusedUpgrade('192.0.2.1')).toMatchObject({ status: 429, details: { limit: 'upgrade' } });
  await connect('ann', '192.0.2.2');
});

test('[LIM4] counts calls without an ack, calls beyond the concurrency limit, unreadable packets, and each CONNECT', async () => {
  await start({});
  const client = await connect('ann', '192.0.2.1');
  const counted = async (act: () => void, count = 1) => {
    await sleep(20);
    const before = gateway.limits.taken.length;
    act();
    await vi.waitFor(() => expect(gateway.limits.taken.length).toBeGreaterThanOrEqual(before + count), 60_000);
    await sleep(20);
    return gateway.limits.taken.slice(before);
  };
  expect(await counted(() => client.send('42["graph:get",{}]'))).toEqual(['socket', 'graph:get']);
  expect(await counted(() => client.send('42["no such",{}]'))).toEqual(['socket']);
  const go = gateway.holdAnswers();
  const calls = Array.from({ length: 260 }, (_, index) => `42${index}["node:add",{}]`);
  expect(await counted(() => calls.forEach(client.send), calls.length)).toEqual(calls.map(() => 'socket'));
  go();
  await sleep(20);
  expect(gateway.calls).toHaveLength(256);
  expect(await counted(() => client.send('40/elsewhere,'))).toEqual(['connect']);
  expect(await counted(() => client.send('43[]'))).toEqual(['socket']);
  const [second, third] = [await connect('ann', '192.0.2.1'), await connect('ann', '192.0.2.1')];
  expect(await counted(() => second?.send('42["node:add",'))).toEqual(['socket']);
  expect(await counted(() => third?.send('40{"api_token":"ann"}'))).toEqual(['socket']);
  const stranger = await gateway.dial('192.0.2.1');
  expect(await counted(() => stranger.send('42["node:add",{}]'))).toEqual(['connect']);
});

test('[WIRE1 LIM4] under overload each socket has some calls under way, and is not closed for refused ones', async () => {
  await start({ bounds: { refusalsAMinute: 5 }, quotas: { 'sockets:user': 100, 'sockets:ip': 100 } });
  const clients: RawClient[] = [];
  for (let socket = 0; socket < 20; socket++) clients.push(await connect('ann', `192.0.2.${socket}`));
  const go = gateway.holdAnswers();
  for (let call = 0; call < 200; call++) for (const client of clients) client.send(`42${call}["node:add",{}]`);
  const answersOf = ({ packets }: RawClient) => packets.filter((text) => text.startsWith('43'));
  const refused = () => clients.flatMap(answersOf);
  await vi.waitFor(() => expect(refused().length + gateway.calls.length).toBe(clients.length * 200), 60_000);
  // The first sockets have more calls in progress than those that called when little was left.
  const underWay = clients.map((client) => 200 - answersOf(client).length);
  expect(Math.min(...underWay)).toBeGreaterThanOrEqual(CALLS.always);
  expect(gateway.calls.length).toBeLessThanOrEqual(CALLS.ofAll + clients.length * CALLS.always);
  const newcomer = await connect('ann', '192.0.2.1');
  newcomer.send('421["graph:get",{}]');
  await vi.waitFor(() => expect(gateway.calls.at(-1)).toBe('graph:get'), 60_000);
  expect(
    refused().every((text) => text.includes('"error":"unavailable"') && text.includes('"outcome":"not_done"')),
  ).toBe(true);
  const client = clients.find((each) => answersOf(each).length > 0) as RawClient;
  client.send('42999["graph:get",{}]');
  expect(await client.receive('43999[')).toContain('"error":"unavailable"');
  expect(await client.receive('43999[')).not.toContain('outcome');
  go();
  await vi.waitFor(() => expect(clients.every((each) => answersOf(each).length >= 200)).toBe(true), 60_000);
  // Answered calls and calls of closed sockets no longer count.
  const goAgain = gateway.holdAnswers();
  for (const each of clients.slice(0, 8))
    for (let call = 0; call < 250; call++) each.send(`42${5_000 + call}["node:add",{}]`);
  await sleep(200);
  for (const each of clients.splice(0, 8)) each.destroy();
  goAgain();
  const [last] = clients as [RawClient];
  const before = answersOf(last).length;
  const goAtLast = gateway.holdAnswers();
  for (let call = 0; call < 250; call++) last.send(`42${9_000 + call}["node:add",{}]`);
  await sleep(200);
  goAtLast();
  await vi.waitFor(() => expect(answersOf(last)).toHaveLength(before + 250), 60_000);
  expect(
    answersOf(last)
      .slice(before)
      .every((text) => text.includes('"ok":true')),
  ).toBe(true);
  expect(clients.filter(({ ended }) => ended)).toEqual([]);
});

test('[LIM4] a socket that continues beyond a limit is closed even under overload', async () => {
  await start({
    bounds: { refusalsAMinute: 5 },
    rates: { socket: { points: 3_000, seconds: 60 } },
    quotas: { 'sockets:user': 100, 'sockets:ip': 100 },
  });
  const clients: RawClient[] = [];
  for (let socket = 0; socket < 12; socket++) clients.push(await connect('ann', '192.0.2.1'));
  gateway.holdAnswers();
  for (const client of clients) for (let call = 0; call < 250; call++) client.send(`42${call}["node:add",{}]`);
  const client = clients.at(-1) as RawClient;
  for (let call = 0; call < 60 && !client.ended; call++) {
    client.send(`42${1_000 + call}["node:add",{}]`);
    await sleep(2);
  }
  await client.end();
  expect(closingOf(client)).toContain('"error":"rate_limited"');
});

test('[LIM4] a socket that continues with calls rejected before parsing is notified and closed', async () => {
  await start({ bounds: { refusalsAMinute: 5 }, rates: { socket: { points: 20, seconds: 60 } } });
  const goOn: Record<string, (client: RawClient, index: number) => void> = {
    'without an ack': (client) => client.send('42["node:add",{}]'),
    'past a limit': (client, index) => client.send(`42${index}["node:add",{}]`),
    'to other namespaces': (client) => client.send('40/elsewhere,'),
  };
  for (const [way, send] of Object.entries(goOn)) {
    const client = await connect('ann', '192.0.2.1');
    for (let index = 0; index < 60 && !client.ended; index++) {
      send(client, index);
      await sleep(2);
    }
    await client.end();
    expect([way, closingOf(client)]).toEqual([way, expect.stringContaining('"error":"rate_limited"')]);
    expect(client.closed).toEqual({ code: 1008, reason: 'rate_limited' });
  }
});

test('[LIM4] a socket that requests further namespaces beyond the connection limit is notified and closed', async () => {
  await start({ rates: { connect: { points: 3, seconds: 60 } } });
  const client = await connect('ann', '192.0.2.1');
  for (let index = 0; index < 3; index++) client.send('40/elsewhere,');
  await client.end();
  expect(closingOf(client)).toContain('"limit":"connect"');
});

test('[LIM4] a socket that is refused repeatedly is closed', async () => {
  await start({});
  const client = await gateway.dial();
  for (let index = 0; index < 5; index++) {
    client.packets.length = 0;
    expect(await ask(client, 'wrong')).toBe('unauthorized');
    await sleep(5);
  }
  await client.end();
  expect(client.closed).toEqual({ code: 1008, reason: 'unauthorized' });
});

test('[AUTH3 LIM4] beyond the wrong tokens of an address, a CONNECT with an unknown token is rate_limited, without a look-up', async () => {
  const [known, late] = [newTokenText(), newTokenText()];
  const hashes = [known, late].map(hashOf);
  const asked: string[] = [];
  const id = '01890000-0000-7000-8000-000000000001';
  const user = { id, username: 'ann', email: 'ann@example.com' };
  const token = { id, kind: 'api', readOnly: false, expires: null } as const;
  const { askWorkers } = answeredBy(async ({ payload }) => {
    asked.push(...(payload.hashes as string[]));
    const found = hashes.filter((hash) => (payload.hashes as string[]).includes(hash));
    return { ok: true, body: { identities: found.map((hash) => ({ hash, user, token })) } };
  });
  const wrongTokens = createWrongTokens(3);
  const { authenticate } = createAuthenticator({ askWorkers, deadlineMs: 5_000, wrongTokens });
  await start({ authenticate });
  gateway.known.users.set(id, [{ feed: `user:${id}`, epoch: 1, seq: 1, due: null }]);
  await connect(known, '192.0.2.1');
  const answers: string[] = [];
  for (let index = 0; index < 6; index++) {
    const stranger = await gateway.dial('192.0.2.1');
    answers.push(await ask(stranger, newTokenText()));
    if (index === 5) expect(stranger.packets.at(-1)).toMatch(/"limit":"tokens:wrong","retryAfterMs":[1-9]/);
  }
  expect(answers).toEqual([...new Array(3).fill('unauthorized'), ...new Array(3).fill('rate_limited')]);
  expect(asked).toHaveLength(4);
  await connect(known, '192.0.2.1');
  expect(await ask(await gateway.dial('192.0.2.1'), late)).toBe('rate_limited');
  await connect(late, '192.0.2.2');
});
