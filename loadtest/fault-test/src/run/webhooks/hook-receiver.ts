// The receiver of all webhooks of a run, on loopback. It accepts most messages, and answers others
// late, with an error, with half of an answer or not at all, or closes the connection.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '@taskgraph/testkit/random';
import type { HookMessage } from '../../history/history.ts';
import { now } from '../writer.ts';
import { readMessage } from './hook-message.ts';

export interface HookReceiver {
  /** Opens an address, and adds all messages that arrive there to the list. */
  open(messages: HookMessage[]): string;
  /** From now on it accepts all messages at once, also those that wait for an answer. */
  acceptAll(): void;
  close(): Promise<void>;
}

type Behaviour = 'accept' | 'late' | 'error' | 'busy' | 'moved' | 'half' | 'silent' | 'closed' | 'garbage';

/** Of a hundred first attempts. */
const SHARES: Readonly<Record<Behaviour, number>> = {
  accept: 72,
  late: 8,
  error: 6,
  busy: 3,
  moved: 1,
  half: 4,
  silent: 2,
  closed: 3,
  garbage: 1,
};
/** Of a message that failed before: the waits between attempts grow to minutes. */
const AGAIN_SHARE = 0.15;
const LATEST_MS = 2_500;
const MOST_BYTES = 256 * 1024;
const TICK_MS = 20;
/** Further ids are forgotten: a webhook has one message in progress. */
const REMEMBERED = 100;
const RECENT_MS = 5_000;
const ACCEPTED = 204;
const HEADS = {
  accept: { status: ACCEPTED, headers: {} },
  error: { status: 500, headers: {} },
  busy: { status: 429, headers: { 'retry-after': '2' } },
  moved: { status: 302, headers: { location: '/' } },
};

export async function startHookReceiver(random: Random): Promise<HookReceiver> {
  const logs = new Map<string, HookMessage[]>();
  const failed = new Set<string>();
  const waiting = new Set<() => void>();
  const stalls = watchStalls();
  let acceptsAll = false;

  function behaviourOf(id: string): Behaviour {
    if (acceptsAll || (failed.has(id) && !random.chance(AGAIN_SHARE))) return 'accept';
    let at = random.next() * 100;
    for (const [behaviour, share] of Object.entries(SHARES)) {
      at -= share;
      if (at < 0) return behaviour as Behaviour;
    }
    return 'accept';
  }

  /** Answers now, or when all is accepted at the latest. */
  function answerLater(response: ServerResponse, behaviour: Behaviour): void {
    const forget = () => {
      clearTimeout(timer);
      waiting.delete(end);
    };
    const end = () => {
      forget();
      response.writeHead(ACCEPTED).end();
    };
    const timer = behaviour === 'late' ? setTimeout(end, random.between(100, LATEST_MS)) : undefined;
    waiting.add(end);
    response.once('close', forget);
  }

  function answer(response: ServerResponse, behaviour: Behaviour): void {
    const { socket } = response;
    if (behaviour === 'late' || behaviour === 'silent') answerLater(response, behaviour);
    else if (behaviour === 'closed') socket?.destroy();
    else if (behaviour === 'garbage') socket?.end('HTTP/1.1 042 odd\r\n\r\n');
    else if (behaviour === 'half') socket?.end('HTTP/1.1 20');
    else response.writeHead(HEADS[behaviour].status, HEADS[behaviour].headers).end();
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const messages = logs.get(request.url ?? '');
    const text = await bodyOf(request).catch(() => null);
    if (messages === undefined || text === null) {
      response.destroy();
      return;
    }
    const [arrivedMs, stalledMs] = [now(), stalls.longestMs()];
    const { id, ...content } = readMessage(request.headers['webhook-id'], text);
    const behaviour = behaviourOf(id);
    if (behaviour !== 'accept') remember(failed, id);
    const message = { id, ...content, arrivedMs, stalledMs, endedMs: Number.POSITIVE_INFINITY, isAccepted: false };
    messages.push(message);
    response.once('finish', () => {
      message.isAccepted = response.statusCode < 300;
    });
    response.once('close', () => {
      message.endedMs = now();
    });
    answer(response, behaviour);
  }

  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    open(messages) {
      const path = `/${logs.size}`;
      logs.set(path, messages);
      return `http://127.0.0.1:${port}${path}`;
    },
    acceptAll() {
      acceptsAll = true;
      for (const end of [...waiting]) end();
    },
    close() {
      stalls.stop();
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error('a message is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
}

/** The longest time in which this process has lately read nothing. */
function watchStalls() {
  let [lastMs, longestMs, longestAtMs] = [now(), 0, now()];
  const timer = setInterval(() => {
    const stalledMs = now() - lastMs;
    lastMs = now();
    if (stalledMs < longestMs && now() - longestAtMs < RECENT_MS) return;
    [longestMs, longestAtMs] = [stalledMs, now()];
  }, TICK_MS);
  return { longestMs: () => Math.max(longestMs, now() - lastMs), stop: () => clearInterval(timer) };
}
