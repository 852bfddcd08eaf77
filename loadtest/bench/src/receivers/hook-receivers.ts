// A process with the receivers of many webhooks. Each path begins with what its receiver does: it
// accepts a message at once, after a time, or never answers. It records the messages of the first kind.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nowUs, readMark } from '../sockets/marks.ts';

export interface HookReceiverOptions {
  /** Until a slow receiver answers. */
  readonly slowMs: number;
}

/** The messages of fast receivers since the last call. */
export interface ReceivedMessages {
  readonly messages: number;
  readonly events: number;
  readonly bytes: number;
  /** Milliseconds from the request of each update to its arrival. */
  readonly lagsMs: Float64Array;
}

export interface HookReceiverActs {
  /** Returns the base URL. */
  listen(input: null): Promise<string>;
  received(input: null): Promise<ReceivedMessages>;
  /** The updates that fast receivers received since the last call of `received`. */
  arrived(input: null): Promise<number>;
  /** The messages that slow and silent receivers are holding now. */
  waiting(input: null): Promise<number>;
}

export const RECEIVER_KINDS = ['fast', 'slow', 'silent'] as const;
export type ReceiverKind = (typeof RECEIVER_KINDS)[number];

interface Title {
  readonly type: string;
  readonly after?: { readonly title?: unknown } | null;
}

export async function openHookReceivers({ slowMs }: HookReceiverOptions): Promise<HookReceiverActs> {
  let log = newLog();
  let waiting = 0;

  function record(text: string): void {
    const { type, data } = JSON.parse(text) as { type: string; data: { events?: readonly Title[] } };
    if (type !== 'graph.changed') return;
    const us = nowUs();
    log.messages++;
    log.bytes += Buffer.byteLength(text);
    for (const { after } of data.events ?? []) {
      log.events++;
      const mark = typeof after?.title === 'string' ? readMark(Buffer.from(after.title)) : null;
      if (mark !== null) log.lags.push((us - mark) / 1_000);
    }
  }

  function answer(kind: string, response: ServerResponse): void {
    if (kind === 'fast') {
      response.writeHead(204).end();
      return;
    }
    waiting++;
    const timer = kind === 'slow' ? setTimeout(() => response.writeHead(204).end(), slowMs) : undefined;
    response.once('close', () => {
      waiting--;
      clearTimeout(timer);
    });
  }

  const server = createServer(async (request, response) => {
    const kind = (request.url ?? '').split('/')[1] ?? '';
    const text = await bodyOf(request);
    // A ping is accepted at once by all.
    if (text.includes('"type":"hook.ping"')) {
      response.writeHead(204).end();
      return;
    }
    if (kind === 'fast') record(text);
    answer(kind, response);
  });
  return {
    async listen() {
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async received() {
      const { lags, ...counts } = log;
      log = newLog();
      return { ...counts, lagsMs: Float64Array.from(lags) };
    },
    arrived: async () => log.lags.length,
    waiting: async () => waiting,
  };
}

function newLog() {
  return { messages: 0, events: 0, bytes: 0, lags: [] as number[] };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
