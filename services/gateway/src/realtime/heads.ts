// Reads the heads of feeds and sends them to their sockets, so that a lost slice shows even if none
// follows it (EVT1). It reads the feeds' epochs too, which repairs a lost control message (ACL7).
import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf } from '@taskgraph/wire/chunks';
import { isRefusal } from '@taskgraph/wire/errors';
import type { Server } from 'socket.io';
import { z } from 'zod';
import type { AskWorkers } from '../worker-client.ts';
import { HOLD_MS } from './feed-channel.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Feeds in one read, so that the answer fits one message. */
const FEEDS_A_READ = 1_000;

interface HeadsOptions {
  readonly io: Server;
  readonly subscriptions: Pick<Subscriptions, 'served' | 'takeNewcomers' | 'noteHead' | 'noteLoss' | 'progress'>;
  readonly askWorkers: AskWorkers;
  /** Called with the heads that sockets receive, for waiting calls (LONG1). */
  readonly onHead: (feed: string, seq: number) => void;
  readonly log: { warn(fields: object, message: string): void };
}

type Head = z.infer<typeof headsAnswer>['feeds'][number];

const headsAnswer = z.object({ feeds: z.array(z.object({ feed: z.string(), epoch: z.int(), seq: z.int() })) });

/**
 * Returns a round, which reads the heads of all feeds served here and sends each that moved to its
 * room.
 */
export function createHeadsRound(options: HeadsOptions): (signal: AbortSignal) => Promise<void> {
  let sent: ReadonlyMap<string, number> = new Map();
  return async (signal) => {
    sent = await sendHeads(options, sent, signal);
  };
}

/**
 * One round. A head that was sent before goes only to subscribers that joined since, so that a
 * quiet feed costs one message and then none. A head past the number delivered here waits for its
 * slice, which is usually on its way.
 */
async function sendHeads(
  options: HeadsOptions,
  sent: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const { subscriptions } = options;
  const rooms = subscriptions.served();
  const newcomers = subscriptions.takeNewcomers();
  const feeds = [...rooms.keys()];
  const heads = new Map<string, number>();
  const early: Head[] = [];
  const send = ({ feed, seq }: Head) => {
    heads.set(feed, seq);
    options.onHead(feed, seq);
    const body = { feeds: { [feed]: seq } };
    if (sent.get(feed) !== seq) options.io.local.to(rooms.get(feed) ?? []).emit('feeds:heads', body);
    else for (const { socket } of newcomers.get(feed) ?? []) socket.emit('feeds:heads', body);
  };
  for (const some of chunksOf(feeds, FEEDS_A_READ)) {
    if (signal.aborted) return heads;
    for (const head of await readHeads(options, some)) {
      subscriptions.noteHead(head.feed, head);
      if (head.seq > (subscriptions.progress(head.feed)?.delivered ?? head.seq)) early.push(head);
      else send(head);
    }
  }
  if (early.length === 0) return heads;
  await sleep(HOLD_MS, undefined, { signal, ref: false }).catch(() => undefined);
  // A slice still held is delivered within another HOLD_MS, and the next round sends its head.
  for (const head of early) {
    const progress = subscriptions.progress(head.feed);
    if (progress?.isHolding === true) continue;
    const isLost = head.seq > (progress?.delivered ?? head.seq);
    // Until the next slice of the feed, each round finds the same head.
    if (isLost && sent.get(head.feed) !== head.seq) subscriptions.noteLoss(head.feed);
    send(head);
  }
  return heads;
}

async function readHeads({ askWorkers, log }: HeadsOptions, feeds: readonly string[]): Promise<readonly Head[]> {
  const answer = await askWorkers('feeds:heads', { feeds }, headsAnswer);
  if (!isRefusal(answer)) return answer.feeds;
  log.warn({ error: answer.code }, 'the heads of feeds could not be read; the next round tries again');
  return [];
}
