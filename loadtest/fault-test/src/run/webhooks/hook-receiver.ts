// The receiver of all webhooks of a run, on loopback. It accepts most messages, and answers others
// late, with an error, with half of an answer or not at all, or closes the connection.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '@taskgraph/testkit/random';
import type { Anomaly, HookMessage } from '../../history/history.ts';
import { now } from '../writer.ts';
import { isSignedWith, readMessage } from './hook-message.ts';

export interface HookAddress {
  readonly url: string;
  /** The secret that must have signed all messages, also those that arrived before. */
  expect(secret: string): void;
}

export interface HookReceiver {
  /** Opens an address, and adds all messages that arrive there to the list. */
  open(messages: HookMessage[]): HookAddress;
  /** From now on it accepts all messages at once, also those that wait for an answer. */
  acceptAll(): void;
  /** What arrived and was no message. */
  readonly anomalies: readonly Anomaly[];
  close(): Promise<void>;
}

/** A message, and the request that a secret must have signed. */
interface ReceivedRequest {
  readonly message: { -readonly [K in keyof HookMessage]: HookMessage[K] };
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Inbox {
  readonly messages: HookMessage[];
  secret: string | null;
  /** Those from before the secret is known. */
  readonly unverified: ReceivedRequest[];
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
const MAXIMUM_TEXT_LENGTH = 200;
const BAD_REQUEST = 400;
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
  const inboxes = new Map<string, Inbox>();
  const anomalies: Anomaly[] = [];
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

  function refuse(response: ServerResponse, kind: string, { url = '', text }: { url?: string; text: string }): void {
    anomalies.push({ kind, what: `${url}: ${text.slice(0, MAXIMUM_TEXT_LENGTH)}`, about: [] });
    response.writeHead(BAD_REQUEST).end();
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request;
    const inbox = inboxes.get(url);
    const text = await bodyOf(request).catch(() => null);
    // The sender ended the connection.
    if (text === null) return void response.destroy();
    if (inbox === undefined) return refuse(response, 'a message came to an unknown address', { url, text });
    if (Buffer.byteLength(text) > MOST_BYTES) return refuse(response, 'a message is too long', { url, text });
    const [arrivedMs, stalledMs] = [now(), stalls.longestMs()];
    const content = readMessage(headers, text);
    if (content === null) return refuse(response, 'a body is no message', { url, text });
    const behaviour = behaviourOf(content.id);
    if (behaviour !== 'accept') remember(failed, content.id);
    const message = {
      ...content,
      arrivedMs,
      stalledMs,
      endedMs: Number.POSITIVE_INFINITY,
      isAccepted: false,
      isSigned: inbox.secret !== null && isSignedWith(inbox.secret, headers, text),
    };
    inbox.messages.push(message);
    if (inbox.secret === null) inbox.unverified.push({ message, headers, text });
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
    anomalies,
    open(messages) {
      const path = `/${inboxes.size}`;
      const inbox: Inbox = { messages, secret: null, unverified: [] };
      inboxes.set(path, inbox);
      return {
        url: `http://127.0.0.1:${port}${path}`,
        expect(secret) {
          inbox.secret = secret;
          for (const { message, headers, text } of inbox.unverified.splice(0))
            message.isSigned = isSignedWith(secret, headers, text);
        },
      };
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

/** The body; of one that is too long, the begin and no more. Throws if the connection ends before. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > MOST_BYTES) break;
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
