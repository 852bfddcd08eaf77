// Real connections whose bodies do not arrive, whose answers are not read, or which are reused.
// Rules: LIM4, NODE2, WIRE8.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '@taskgraph/wire/errors';
import { afterEach, describe, expect, it, test } from 'vitest';
import { countInFlight } from '../calls/in-flight.ts';
import { noLimits } from '../limits/limits.ts';
import { serveRest } from '../rest/rest.ts';
import { lastingTokens, withoutWaiting } from '../test/support/open-requests.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { createCompression } from './compression.ts';
import { createOpenRequests, type OpenRequests, type RequestBounds } from './open-requests.ts';
import { createApp, listen } from './uws.ts';

const MIB = 1_048_576;
const BOUNDS: RequestBounds = {
  requestsOfAddress: 1_000,
  requests: 1_000,
  bodyBytes: 64 * MIB,
  answerBytes: 64 * MIB,
  readingMs: 60_000,
};

const closers: (() => unknown)[] = [];
let port = 0;
let requests: OpenRequests;

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A gateway's REST side whose reads answer with this number of bytes. */
async function start(bounds: Partial<RequestBounds>, answerBytes = 0): Promise<void> {
  const app = createApp();
  requests = createOpenRequests({ ...BOUNDS, ...bounds });
  const text = 'x'.repeat(answerBytes);
  serveRest(app, {
    authenticate: async () => refuse('unauthorized', text),
    tokens: lastingTokens,
    waitingCalls: withoutWaiting,
    dispatch: async () => ({ ok: true, body: { text } }),
    requests,
    limits: noLimits,
    accountRoutes: [],
    allowedOrigins: [],
    hstsSeconds: 0,
    agents: false,
    files: new Map(),
    compression: createCompression({ isOn: true }),
    cookies: { isSecure: true },
    addressOf: (remote, forwarded) => forwarded || remote,
    shareOf: (email) => email,
    audit: () => undefined,
    problem: () => null,
    isStopping: () => false,
    inFlight: countInFlight(),
    observe: unobserved,
    log: { error: (fields) => expect.fail(JSON.stringify(fields)) },
  });
  const listener = await listen(app, '127.0.0.1', 0);
  port = listener.port;
  closers.push(listener.close);
}

interface Client {
  readonly socket: Socket;
  /** Bytes that came. */
  readonly came: () => number;
  readonly text: () => string;
  readonly isClosed: () => boolean;
}

function dial(): Client {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  closers.push(() => socket.destroy());
  return {
    socket,
    came: () => chunks.reduce((sum, { length }) => sum + length, 0),
    text: () => Buffer.concat(chunks).toString(),
    isClosed: () => isClosed,
  };
}

async function until(isDone: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isDone()) {
    if (Date.now() > deadline) throw new Error('it took too long');
    await sleep(5);
  }
}

/** A call without a token, whose body is judged after it has come. */
const head = (length: number, more = '') =>
  `POST /api/node HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n${more}\r\n`;
const READ = 'GET /api/graph HTTP/1.1\r\nHost: a\r\n\r\n';
const codeOf = (client: Client) => /"error":"([^"]+)"/.exec(client.text())?.[1];

describe('[LIM4] bodies', () => {
  it('beyond the open requests of an address, or of all, a further one is refused immediately', async () => {
    await start({ requestsOfAddress: 2, requests: 4 });
    const from = (address: string) => {
      const client = dial();
      client.socket.write(head(10, `X-Forwarded-For: ${address}\r\n`));
      return client;
    };
    const slow = ['1', '1', '2', '2'].map((each) => from(`192.0.2.${each}`));
    await until(() => requests.open() === 4);
    const [ofAddress, other] = [from('192.0.2.1'), from('192.0.2.3')];
    await until(() => codeOf(ofAddress) !== undefined && codeOf(other) !== undefined);
    expect([codeOf(ofAddress), codeOf(other)]).toEqual(['rate_limited', 'unavailable']);
    expect(ofAddress.text()).toMatch(/^HTTP\/1\.1 429 [\s\S]*Retry-After: 1\r\n[\s\S]*"limit":"requests:ip"/);
    // A client that goes, or is answered, makes room.
    slow[0]?.socket.destroy();
    slow[2]?.socket.write('{"a":1}   ');
    await until(() => requests.open() === 2);
    const next = from('192.0.2.1');
    next.socket.write('0123456789');
    await until(() => codeOf(next) !== undefined);
    expect([codeOf(next), codeOf(slow[2] as Client)]).toEqual(['unauthorized', 'unauthorized']);
    expect(requests.refused).toEqual({ 'requests:ip': 1, requests: 1, bodies: 0 });
  });

  it('the stored bytes of bodies are bounded', async () => {
    await start({ bodyBytes: MIB });
    const part = 'x'.repeat(200 * 1_024);
    const clients = Array.from({ length: 10 }, () => {
      const client = dial();
      client.socket.write(head(part.length + 1) + part);
      return client;
    });
    await until(() => requests.refused.bodies === 5);
    expect(requests.bodyBytes()).toBeLessThanOrEqual(MIB);
    await until(() => clients.filter((client) => codeOf(client) === 'unavailable').length === 5);
    for (const { socket } of clients) socket.destroy();
    await until(() => requests.open() === 0);
    expect(requests.bodyBytes()).toBe(0);
  });
});

describe('[LIM4] answers', () => {
  it('an unread answer blocks further requests of its connection, and is closed after a timeout', async () => {
    await start({ readingMs: 100 }, 8 * MIB);
    const client = dial();
    client.socket.pause();
    client.socket.write(READ);
    await until(() => requests.answerBytes() > 0);
    const kept = requests.answerBytes();
    for (let index = 0; index < 20; index++) client.socket.write(READ);
    await sleep(50);
    expect(requests.answerBytes()).toBeLessThanOrEqual(kept);
    await until(() => requests.open() === 0);
    expect(requests.answerBytes()).toBe(0);
  });

  it('beyond the memory bound the longest waiting answers are closed, and readers receive theirs completely', async () => {
    await start({ answerBytes: 40 * MIB }, 8 * MIB);
    const slow = Array.from({ length: 20 }, dial);
    for (const { socket } of slow) {
      socket.pause();
      socket.write(READ);
    }
    await until(() => requests.cutOff() >= 15);
    expect(requests.answerBytes()).toBeLessThanOrEqual(40 * MIB);
    const honest = dial();
    honest.socket.write(READ);
    await until(() => honest.came() > 8 * MIB);
    expect(honest.text()).toMatch(/^HTTP\/1\.1 401 [\s\S]*x{100}","trace_id":"[0-9a-f]{32}"\}$/);
    // Its connection goes on.
    honest.socket.write('GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => honest.text().endsWith('}') && honest.text().includes('"status":"up"'));
    expect(honest.isClosed()).toBe(false);
  });
});

describe('[WIRE8] a connection that is used again', () => {
  /**
   * Asks for the health of the service; gives the connection's headers, and whether an open
   * connection served it.
   */
  async function ask(agent: Agent, headers: Record<string, string> = {}) {
    const sent = request({ agent, port, host: '127.0.0.1', path: '/api/health', headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    const { connection, 'keep-alive': keepAlive } = answer.headers;
    // The agent takes the connection back a turn later.
    await new Promise(setImmediate);
    return { connection, keepAlive, isReused: sent.reusedSocket };
  }

  it('is offered to a client, for less time than the connection stays open', async () => {
    await start({});
    const agent = new Agent({ keepAlive: true });
    closers.push(() => agent.destroy());
    const told = { connection: undefined, keepAlive: 'timeout=7' };
    expect(await ask(agent)).toEqual({ ...told, isReused: false });
    expect(await ask(agent)).toEqual({ ...told, isReused: true });
  });

  it('is not offered to a proxy, which might use it while it closes', async () => {
    await start({});
    const agent = new Agent({ keepAlive: true });
    closers.push(() => agent.destroy());
    const proxied = { 'X-Forwarded-For': '192.0.2.1' };
    for (let times = 0; times < 2; times++) {
      expect(await ask(agent, proxied)).toEqual({ connection: 'close', keepAlive: undefined, isReused: false });
    }
  });
});

test('[LIM4] a connection that sends nothing, or single bytes, is closed before and within a request', async () => {
  await start({});
  const begun: Record<string, string> = {
    'sends nothing': '',
    'stops within the head': 'GET / HTTP/1.1\r\nHo',
    'continues the head': 'GET / HTTP/1.1\r\nX: ',
    'has no body': head(1_000),
    'continues the body': head(100_000),
  };
  const clients = Object.entries(begun).map(([way, text]) => {
    const client = dial();
    client.socket.write(text);
    const timer = way.startsWith('continues') ? setInterval(() => client.socket.write('a'), 200) : undefined;
    closers.push(() => clearInterval(timer));
    return client;
  });
  // An honest client is served all the while.
  const honest = dial();
  let served = 0;
  await until(() => {
    if (honest.text().split('"status":"up"').length > served) {
      served++;
      honest.socket.write('GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n');
    }
    return clients.every(({ isClosed }) => isClosed());
  });
  expect(served).toBeGreaterThan(100);
  expect(honest.isClosed()).toBe(false);
  await until(() => requests.open() <= 1);
}, 40_000);
