// Tells quiet sockets where their feeds are: a slice that got lost is noticed even when none follows it (EVT1). It reads the feeds' epochs
// too, and looks at the sockets' tokens, so that a lost control message is made up for (ACL7, AUTH2).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Requester } from '@taskgraph/bus/requests/request';
import type { Server } from 'socket.io';
import { z } from 'zod';
import { traceIdOf } from '../trace.ts';
import { HOLD_MS } from './feed-line.ts';
import type { Rooms } from './rooms.ts';

/** Feeds that one read asks for: the answer stays one message. */
const FEEDS_A_READ = 1_000;
/** A read that takes longer is left to the next round; the end of the gateway must not wait for it. */
const READ_LIMIT_MS = 3_000;

interface Options {
  readonly io: Server;
  readonly rooms: Pick<Rooms, 'served' | 'takeJoined' | 'catchUp' | 'progress'>;
  readonly requester: Pick<Requester, 'read'>;
  /** Looks whether the tokens of the sockets here still count (AUTH2). */
  readonly checkTokens: () => Promise<void>;
  readonly intervalMs: number;
  readonly log: { warn(fields: object, message: string): void };
}

type Head = z.infer<typeof headsAnswer>['feeds'][number];

const headsAnswer = z.object({ feeds: z.array(z.object({ feed: z.string(), epoch: z.int(), seq: z.int() })) });

/** Reads the heads of all feeds served here, over and over, and tells each that moved to the sockets in its room. */
export function tellHeads(options: Options): { stop(): Promise<void> } {
  const ending = new AbortController();
  const running = repeat(options, ending.signal);
  return {
    async stop() {
      ending.abort();
      await running;
    },
  };
}

async function repeat(options: Options, signal: AbortSignal): Promise<void> {
  let told = new Map<string, number>();
  while (!signal.aborted) {
    // With jitter, so that gateways that started together do not ask together for ever.
    await sleep(options.intervalMs * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(
      () => undefined,
    );
    if (signal.aborted) return;
    await options.checkTokens();
    told = await tellOnce(options, told, signal);
  }
}

/**
 * One round. A feed whose head was told already is told to those alone who have joined since, so that a quiet feed costs one message and
 * then none. A head past what was delivered here waits a while for its slice, which is mostly on its way: it would look lost.
 */
async function tellOnce(
  options: Options,
  told: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const rooms = options.rooms.served();
  const joined = options.rooms.takeJoined();
  const feeds = [...rooms.keys()];
  const heads = new Map<string, number>();
  const early: Head[] = [];
  const tell = ({ feed, seq }: Head) => {
    heads.set(feed, seq);
    const body = { feeds: { [feed]: seq } };
    if (told.get(feed) !== seq) options.io.local.to(rooms.get(feed) ?? []).emit('feeds:heads', body);
    else for (const { socket } of joined.get(feed) ?? []) socket.emit('feeds:heads', body);
  };
  for (let start = 0; start < feeds.length; start += FEEDS_A_READ) {
    for (const head of await readHeads(options, feeds.slice(start, start + FEEDS_A_READ))) {
      options.rooms.catchUp(head.feed, head.epoch);
      if (head.seq > (options.rooms.progress(head.feed)?.delivered ?? head.seq)) early.push(head);
      else tell(head);
    }
  }
  if (early.length === 0) return heads;
  await sleep(HOLD_MS, undefined, { signal, ref: false }).catch(() => undefined);
  // What is held even now is delivered within the time of another hold, and the next round tells of it.
  for (const head of early) if (options.rooms.progress(head.feed)?.isHolding !== true) tell(head);
  return heads;
}

async function readHeads({ requester, log }: Options, feeds: string[]) {
  const deadline = Date.now() + READ_LIMIT_MS;
  const message = { event: 'feeds:heads', payload: { feeds }, actor: null, deadline, traceId: traceIdOf(undefined) };
  const reply = await requester.read(message);
  if (reply.ok) return headsAnswer.parse(reply.body).feeds;
  log.warn({ error: reply.error }, 'the heads of feeds could not be read; the next round tries again');
  return [];
}
