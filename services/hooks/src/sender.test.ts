// Messages to receivers on loopback, over real connections.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedSend } from '@taskgraph/bus/requests/webhook-requests';
import { webhookHeaders } from '@taskgraph/runtime/security/webhook-signature';
import { type Certificates, makeCertificates } from '@taskgraph/testkit/stack/certificates';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAddressPolicy, type PolicySettings } from './addresses/address-policy.ts';
import { createDnsLookup, lookupConfigured } from './addresses/lookup.ts';
import { createConnect } from './connection/connect.ts';
import { createSender, type SendEvent, type SenderOptions } from './sender.ts';
import { startDnsServer } from './test/support/dns-server.ts';
import { startProxy } from './test/support/proxy.ts';
import { type Receiver, startReceiver } from './test/support/receiver.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const HOOK = '01900000-0000-7000-8000-000000000001';
const STEP_MS = 300;

let folder: string;
let certificates: Certificates;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-hooks-'));
  certificates = makeCertificates(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** They run at the end of the file, since tests that wait for real limits run concurrently. */
const closers: (() => Promise<void> | void)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Setup extends Partial<SenderOptions> {
  readonly policy?: Partial<PolicySettings>;
  readonly dns?: readonly string[];
  readonly proxy?: URL;
}

/** A sender to everything on this machine, and the events that operators see. */
function senderOf({ policy: settings, dns, proxy, ...options }: Setup = {}) {
  const events: SendEvent[] = [];
  const allowed = { allowedHosts: ['127.0.0.1', 'localhost'], allowedNetworks: [], protectedHosts: [], ...settings };
  const policy = createAddressPolicy(allowed, { dns: createDnsLookup(dns), configured: lookupConfigured });
  const connect = createConnect({ policy, proxy, ca: readFileSync(certificates.authority, 'utf8') });
  const observe = (event: SendEvent) => void events.push(event);
  const sender = createSender({ connect, atOnce: 10, unreachableStepMs: STEP_MS, observe, ...options });
  closers.push(() => sender.stop());
  return { ...sender, events };
}

async function receiver(handler: (response: ServerResponse) => void, secure = false): Promise<Receiver> {
  const started = await startReceiver(handler, secure ? certificates : undefined);
  closers.push(started.close);
  return started;
}

/** A server of plain TCP. */
async function tcpServer(onSocket: (socket: Socket) => void): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

function messageTo(url: string, changes: Partial<ReceivedSend> = {}): ReceivedSend {
  const body = '{"type":"graph.changed","title":"Grün"}';
  const signed = webhookHeaders({ id: 'msg_1', timestamp: Math.floor(Date.now() / 1_000), body }, [SECRET]);
  const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'Taskgraph' };
  return { hookId: HOOK, url, headers, body, builtMs: Date.now(), timeoutMs: 15_000, ageMs: () => 0, ...changes };
}

const ok = (response: ServerResponse) => void response.end('ok');

describe('answers of receivers', () => {
  test('[HOOK4 HOOK8] a message arrives over TLS as it was built, and a 2xx delivers it', async () => {
    const { port, requests } = await receiver((response) => void response.writeHead(204).end(), true);
    const { send, events, active } = senderOf();
    const message = messageTo(`https://localhost:${port}/in/box?key=a%20b`);
    expect(await send(message)).toEqual({ outcome: 'delivered', status: 204, durationMs: expect.any(Number) });
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/in/box?key=a%20b',
        headers: {
          ...message.headers,
          host: `localhost:${port}`,
          'content-length': String(Buffer.byteLength(message.body)),
          connection: 'close',
        },
        body: message.body,
      },
    ]);
    expect(events).toMatchObject([{ hookId: HOOK, host: `localhost:${port}`, outcome: 'delivered', status: 204 }]);
    expect(JSON.stringify(events)).not.toMatch(/box|key/);
    expect(active()).toBe(0);
  });

  test.each([301, 302, 307, 308])('[HOOK8 HOOK9] a redirect with %i is not followed', async (status) => {
    const target = await receiver(ok);
    const { port } = await receiver(
      (response) => void response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end(),
    );
    expect(await senderOf().send(messageTo(`http://127.0.0.1:${port}/`))).toMatchObject({ outcome: 'refused', status });
    expect(target.connections()).toBe(0);
  });

  test.each([
    [410, undefined, undefined],
    [500, 'soon', undefined],
    [503, '7', 7_000],
    [429, '99999999999', 86_400_000],
    [503, 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('[HOOK8] an answer with %i and Retry-After %s is reported', async (status, retryAfter, retryAfterMs) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    const { port } = await receiver((response) => void response.writeHead(status, headers).end());
    const answer = await senderOf().send(messageTo(`http://127.0.0.1:${port}/`));
    expect(answer).toMatchObject({ outcome: 'refused', status });
    expect(answer.retryAfterMs).toBe(retryAfterMs);
  });

  test('[HOOK8] a switch of protocols is no success', async () => {
    const { port } = await tcpServer((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')),
    );
    const answer = await senderOf().send(messageTo(`http://127.0.0.1:${port}/`));
    expect(answer).toMatchObject({ outcome: 'refused', status: 101 });
  });

  test('[HOOK8] a status below 100 is no answer', async () => {
    const { port } = await tcpServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 042 x\r\ncontent-length: 0\r\n\r\n')),
    );
    const { send, events } = senderOf();
    expect(await send(messageTo(`http://127.0.0.1:${port}/`))).toMatchObject({ outcome: 'unreachable' });
    expect(events).toMatchObject([{ reason: 'response' }]);
  });

  test('[HOOK9] a few answers with 1xx may come before the answer, and endless ones end the attempt', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
    const few = await tcpServer((socket) =>
      socket.once('data', () => socket.end(`${early}${early}HTTP/1.1 204 Yes\r\n\r\n`)),
    );
    expect(await senderOf().send(messageTo(`http://127.0.0.1:${few.port}/`))).toMatchObject({ outcome: 'delivered' });
    const { port, sockets } = await tcpServer((socket) => {
      const more = () => {
        if (!socket.destroyed) socket.write(early, () => setImmediate(more));
      };
      socket.once('data', more);
    });
    const { send, events } = senderOf();
    expect(await send(messageTo(`http://127.0.0.1:${port}/`))).toMatchObject({ outcome: 'unreachable' });
    expect(events).toMatchObject([{ reason: 'response' }]);
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  test('[HOOK9] an endless body is read up to 16 KiB, and then the connection is closed', async () => {
    let written = 0;
    const { port, sockets } = await tcpServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const more = () => {
          if (socket.destroyed) return;
          written += 1_024;
          socket.write(Buffer.alloc(1_024), () => setImmediate(more));
        };
        more();
      });
    });
    expect(await senderOf().send(messageTo(`http://127.0.0.1:${port}/`))).toMatchObject({ outcome: 'delivered' });
    await vi.waitFor(() => expect(sockets.size).toBe(0));
    // The buffers of the system have some more.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  test('[HOOK8] a body that breaks off or never ends does not change a 2xx', async () => {
    const broken = await tcpServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab')),
    );
    expect(await senderOf().send(messageTo(`http://127.0.0.1:${broken.port}/`))).toMatchObject({
      outcome: 'delivered',
    });
    const endless = await tcpServer((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab')),
    );
    const message = messageTo(`http://127.0.0.1:${endless.port}/`, { timeoutMs: 300 });
    expect(await senderOf().send(message)).toMatchObject({ outcome: 'delivered' });
  });
});

describe.concurrent('targets without an answer', () => {
  /** Each returns a URL without an answer, and the reason that operators see. */
  const TARGETS: readonly [string, string, () => Promise<string>][] = [
    ['a closed port', 'connection', async () => `http://127.0.0.1:${await closedPort()}/`],
    ['a forbidden address', 'forbidden', async () => 'https://10.0.0.1/'],
    ['a name without addresses', 'unresolved', async () => 'https://absent.test/'],
    ['a failing name server', 'lookup', async () => 'https://failing.test/'],
    ['a URL without TLS', 'forbidden', async () => 'http://public.test/'],
    [
      'a silent receiver',
      'timeout',
      async () => `http://127.0.0.1:${(await tcpServer((socket) => void socket.resume())).port}/`,
    ],
    [
      'a receiver that does not finish the TLS handshake',
      'timeout',
      async () => `https://localhost:${(await tcpServer((socket) => void socket.resume())).port}/`,
    ],
    ['a silent name server', 'timeout', async () => 'https://silent.test/'],
    [
      'a receiver that closes the connection',
      'response',
      async () => `http://127.0.0.1:${(await tcpServer((socket) => socket.once('data', () => socket.end()))).port}/`,
    ],
    [
      'a receiver that does not speak HTTP',
      'response',
      async () => `http://127.0.0.1:${(await tcpServer((socket) => void socket.write('220 mail\r\n'))).port}/`,
    ],
    [
      'an answer with a head of more than 16 KiB',
      'response',
      async () => {
        const head = `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`;
        return `http://127.0.0.1:${(await tcpServer((socket) => socket.once('data', () => socket.write(head)))).port}/`;
      },
    ],
    [
      'a certificate for another name',
      'connection',
      async () => `https://127.0.0.1:${(await receiver(ok, true)).port}/`,
    ],
    ['a receiver without TLS', 'connection', async () => `https://localhost:${(await receiver(ok)).port}/`],
  ];

  test.each(TARGETS)('[HOOK9] %s gives the same answer as the others', async (_, reason, urlOf) => {
    const dns = await startDnsServer((name) => {
      if (name === 'failing.test') return 'failure';
      if (name === 'silent.test') return 'silence';
      return name === 'public.test' ? ['93.184.215.14'] : null;
    });
    closers.push(dns.close);
    const { send, events } = senderOf({ dns: [dns.address] });
    const { durationMs, ...answer } = await send(messageTo(await urlOf(), { timeoutMs: 200 }));
    expect(answer).toEqual({ outcome: 'unreachable' });
    // Timers may fire a millisecond early.
    expect(durationMs).toBeGreaterThanOrEqual(STEP_MS - 2);
    expect(events).toMatchObject([{ outcome: 'unreachable', reason }]);
  });

  test('[HOOK9] a certificate of an unknown authority is refused', async () => {
    const { port, requests } = await receiver(ok, true);
    const allowed = { allowedHosts: ['localhost'], allowedNetworks: [], protectedHosts: [] };
    const policy = createAddressPolicy(allowed, { dns: createDnsLookup(), configured: lookupConfigured });
    const { send, events } = senderOf({ connect: createConnect({ policy }) });
    expect(await send(messageTo(`https://localhost:${port}/`))).toMatchObject({ outcome: 'unreachable' });
    expect(events).toMatchObject([{ reason: 'connection' }]);
    expect(requests).toEqual([]);
  });

  test('[HOOK9] a name that changes its address after the check is connected at the checked one', async () => {
    const inner = await receiver(ok);
    // An address of a block from which none was ever assigned.
    const dns = await startDnsServer((_, query) => (query === 0 ? ['2d00::1'] : ['127.0.0.1']));
    closers.push(dns.close);
    const { send, events } = senderOf({ dns: [dns.address], policy: { allowedHosts: [] } });
    // Any other look-up of this name, such as one by the connection itself, finds the receiver.
    const url = `https://localhost:${inner.port}/`;
    expect(await send(messageTo(url, { timeoutMs: 300 }))).toMatchObject({ outcome: 'unreachable' });
    expect(dns.queries.toSorted()).toEqual(['localhost 4', 'localhost 6']);
    // The family IPv4 has no answer to the first query, so the check saw only the public address.
    expect(['connection', 'timeout']).toContain(events[0]?.reason);
    // The next attempt looks the name up again and judges the new address.
    expect(await send(messageTo(url, { timeoutMs: 300 }))).toMatchObject({ outcome: 'unreachable' });
    expect(events[1]).toMatchObject({ reason: 'forbidden' });
    expect(inner.connections()).toBe(0);
  });
});

/** A port that refuses connections. No other server gets it: it is the own port of an open connection. */
async function closedPort(): Promise<number> {
  const { port } = await tcpServer((socket) => void socket.resume());
  const socket = connect(port, '127.0.0.1');
  closers.push(() => void socket.destroy());
  await once(socket, 'connect');
  return (socket.address() as AddressInfo).port;
}

describe('requests without an attempt', () => {
  test('[HOOK8] name servers that refuse connections are no failure of the receiver', async () => {
    const dns = await startDnsServer(() => null);
    await dns.close();
    const { send, events } = senderOf({ dns: [dns.address] });
    expect(await send(messageTo('https://receiver.test/'))).toMatchObject({ outcome: 'busy', isFault: true });
    expect(events).toMatchObject([{ outcome: 'busy', reason: 'lookup' }]);
  });

  test('[HOOK7] a body that is too old when it comes is not sent', async () => {
    const { port, connections } = await receiver(ok);
    const message = messageTo(`http://127.0.0.1:${port}/`, { ageMs: () => 1_000 });
    expect(await senderOf().send(message)).toMatchObject({ outcome: 'late' });
    expect(connections()).toBe(0);
  });

  test('[HOOK7] a body that grows old during the connection is not sent; the next one uses the connection', async () => {
    const target = await receiver(ok, true);
    const { send, spare } = senderOf();
    const url = `https://localhost:${target.port}/`;
    const ages = [0, 1_000];
    expect(await send(messageTo(url, { ageMs: () => ages.shift() ?? 1_000 }))).toMatchObject({ outcome: 'late' });
    expect(target.requests).toEqual([]);
    expect(spare()).toBe(1);
    const other = messageTo(url, { hookId: '01900000-0000-7000-8000-000000000002' });
    expect(await send(other)).toMatchObject({ outcome: 'delivered' });
    expect(target.connections()).toBe(2);
    expect(await send(messageTo(url))).toMatchObject({ outcome: 'delivered' });
    expect(target.connections()).toBe(2);
    expect(spare()).toBe(0);
  });

  test('[HOOK7] a waiting connection that its receiver closes or uses early is not used', async () => {
    const late = () => {
      const ages = [0, 1_000];
      return { ageMs: () => ages.shift() ?? 1_000 };
    };
    const { port, sockets } = await tcpServer((socket) => {
      if (count++ === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      socket.once('data', () => socket.end('HTTP/1.1 202 OK\r\ncontent-length: 0\r\n\r\n'));
    });
    let count = 0;
    const { send, spare } = senderOf();
    const url = `http://127.0.0.1:${port}/`;
    expect(await send(messageTo(url, late()))).toMatchObject({ outcome: 'late' });
    await vi.waitFor(() => expect(sockets.size).toBe(1));
    for (const socket of sockets) socket.end();
    await vi.waitFor(() => expect(spare()).toBe(0));
    expect(await send(messageTo(url, late()))).toMatchObject({ outcome: 'late' });
    await vi.waitFor(() => expect(count).toBe(2));
    expect(await send(messageTo(url))).toMatchObject({ outcome: 'delivered' });
  });

  test('[HOOK13] slow receivers leave places for the others', async () => {
    const silent = await tcpServer((socket) => void socket.resume());
    const { port } = await receiver(ok);
    const { send, active, stop } = senderOf({ atOnce: 4 });
    const message = messageTo(`http://127.0.0.1:${silent.port}/`, { isSlow: true });
    const running = [send(message), send(message), send(message)];
    expect(active()).toBe(3);
    expect(await send(message)).toMatchObject({ outcome: 'busy' });
    expect(await send(messageTo(`http://127.0.0.1:${port}/`))).toMatchObject({ outcome: 'delivered' });
    stop();
    await Promise.all(running);
  });

  test('[HOOK13] messages of the others leave their free places to slow receivers', async () => {
    const silent = await tcpServer((socket) => void socket.resume());
    const { send, active, stop } = senderOf({ atOnce: 4 });
    const url = `http://127.0.0.1:${silent.port}/`;
    const running = [send(messageTo(url)), send(messageTo(url)), send(messageTo(url))];
    running.push(send(messageTo(url, { isSlow: true })));
    expect(active()).toBe(4);
    expect(await send(messageTo(url))).toMatchObject({ outcome: 'busy' });
    stop();
    await Promise.all(running);
  });

  test('[HOOK13] above its limit the service is busy, and a stop ends what runs', async () => {
    const silent = await tcpServer((socket) => void socket.resume());
    const { send, active, stop, events } = senderOf({ atOnce: 2 });
    const url = `http://127.0.0.1:${silent.port}/`;
    const running = [send(messageTo(url)), send(messageTo(url))];
    expect(active()).toBe(2);
    expect(await send(messageTo(url))).toMatchObject({ outcome: 'busy' });
    stop();
    expect(await Promise.all(running)).toMatchObject([{ outcome: 'unreachable' }, { outcome: 'unreachable' }]);
    expect(await send(messageTo(url))).toMatchObject({ outcome: 'busy' });
    expect(events.map(({ outcome }) => outcome)).toEqual(['busy', 'unreachable', 'unreachable', 'busy']);
  });
});

// They wait for the limits of the service itself.
describe.concurrent('silence of name servers and proxies', () => {
  test.each([1, 3])('[HOOK8] silence of all %i name servers is no failure of the receiver', async (count) => {
    const servers = await Promise.all(Array.from({ length: count }, () => startDnsServer(() => 'silence')));
    closers.push(...servers.map(({ close }) => close));
    const { send, events } = senderOf({ dns: servers.map(({ address }) => address) });
    expect(await send(messageTo('https://receiver.test/'))).toMatchObject({ outcome: 'busy', isFault: true });
    expect(events).toMatchObject([{ outcome: 'busy', reason: 'lookup' }]);
    for (const { queries } of servers) expect(queries).toContain(' 0');
  });

  test.each([
    ['failure', 'refused', 2],
    ['silence', 'failure', 1],
  ] as const)(
    '[HOOK8] %s for a name is a failure of its receiver if a name server answers others, be it with %s',
    async (answer, other, count) => {
      const dns = await startDnsServer((name) => (name === '' ? other : answer));
      const silent = await startDnsServer(() => 'silence');
      closers.push(dns.close, silent.close);
      const { send, events } = senderOf({ dns: [silent.address, dns.address].slice(-count) });
      expect(await send(messageTo('https://receiver.test/'))).toMatchObject({ outcome: 'unreachable' });
      expect(events).toMatchObject([{ reason: 'lookup' }]);
    },
  );

  test.each([
    ['that does not finish the TLS handshake', 'https:'],
    ['that answers nothing', 'http:'],
  ])('[HOOK8] a proxy %s is no failure of the receiver: no attempt was made', async (_, protocol) => {
    const silent = await tcpServer((socket) => void socket.resume());
    const { send, events } = senderOf({ proxy: new URL(`${protocol}//127.0.0.1:${silent.port}`) });
    const answer = await send(messageTo('https://receiver.test/'));
    expect(answer).toMatchObject({ outcome: 'busy', isFault: true });
    expect(events).toMatchObject([{ outcome: 'busy', reason: 'proxy' }]);
    await vi.waitFor(() => expect(silent.sockets.size).toBe(0));
  });

  test('[HOOK8] a proxy that answers nothing about one receiver, but answers others, is a failure of that receiver', async () => {
    const proxy = await startProxy({ silent: 'silent.test:443' });
    closers.push(proxy.close);
    const { send, events } = senderOf({ proxy: new URL(`http://127.0.0.1:${proxy.port}`) });
    expect(await send(messageTo('https://silent.test/', { timeoutMs: 6_000 }))).toMatchObject({
      outcome: 'unreachable',
    });
    expect(events).toMatchObject([{ outcome: 'unreachable', reason: 'timeout' }]);
  });
});

describe('through an egress proxy', () => {
  test('[HOOK9] all messages go through the proxy, which gets the name and not the message', async () => {
    const [inner, proxy] = [await receiver(ok, true), await startProxy({ login: 'me:s p' })];
    closers.push(proxy.close);
    const url = `https://localhost:${inner.port}/`;
    const { send } = senderOf({ proxy: new URL(`http://me:s%20p@127.0.0.1:${proxy.port}`) });
    expect(await send(messageTo(url))).toMatchObject({ outcome: 'delivered' });
    expect(proxy.targets).toEqual([`localhost:${inner.port}`]);
    expect(inner.requests).toHaveLength(1);
  });

  test('[HOOK9] a refusal of the proxy gives the answer of all unreachable targets', async () => {
    const [inner, proxy] = [await receiver(ok, true), await startProxy({ refuses: true })];
    closers.push(proxy.close);
    const { send, events } = senderOf({ proxy: new URL(`http://127.0.0.1:${proxy.port}`) });
    const { durationMs: _duration, ...answer } = await send(messageTo(`https://localhost:${inner.port}/`));
    expect(answer).toEqual({ outcome: 'unreachable' });
    expect(events).toMatchObject([{ reason: 'proxy' }]);
    expect(inner.connections()).toBe(0);
  });

  test.each([
    ['that refuses the login', 'wrong:login', true],
    ['that needs a login', '', true],
    ['that is not there', '', false],
  ])('[HOOK8] a proxy %s is no failure of the receiver: no attempt was made', async (_, login, isThere) => {
    const [inner, proxy] = [await receiver(ok, true), await startProxy({ login: 'me:s p' })];
    if (isThere) closers.push(proxy.close);
    else await proxy.close();
    const { send, events } = senderOf({ proxy: new URL(`http://${login}@127.0.0.1:${proxy.port}`) });
    const answer = await send(messageTo(`https://localhost:${inner.port}/`));
    expect(answer).toMatchObject({ outcome: 'busy', isFault: true });
    expect(events).toMatchObject([{ outcome: 'busy', reason: 'proxy' }]);
    expect(inner.connections()).toBe(0);
  });

  test('[HOOK9] the proxy itself may use TLS, with a certificate of HOOKS_CA_FILE', async () => {
    const [inner, proxy] = [await receiver(ok, true), await startProxy({ certificates })];
    closers.push(proxy.close);
    const { send } = senderOf({ proxy: new URL(`https://localhost:${proxy.port}`) });
    expect(await send(messageTo(`https://localhost:${inner.port}/`))).toMatchObject({ outcome: 'delivered' });
    expect(proxy.targets).toEqual([`localhost:${inner.port}`]);
  });

  test('[HOOK9] a forbidden literal address does not reach the proxy', async () => {
    const proxy = await startProxy({});
    closers.push(proxy.close);
    const { send, events } = senderOf({ proxy: new URL(`http://127.0.0.1:${proxy.port}`) });
    expect(await send(messageTo('https://169.254.169.254/'))).toMatchObject({ outcome: 'unreachable' });
    expect(events).toMatchObject([{ reason: 'forbidden' }]);
    expect(proxy.targets).toEqual([]);
  });
});
