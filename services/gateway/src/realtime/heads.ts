// Tells quiet sockets where their feeds are: a slice that got lost is noticed even when none follows it (EVT1). It reads the feeds' epochs
// too, so that a lost control message is made up for (ACL7).
import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf } from '@taskgraph/wire/chunks';
import { isRefusal } from '@taskgraph/wire/errors';
import type { Server } from 'socket.io';
import { z } from 'zod';
import type { AskWorkers } from '../worker-questions.ts';
import { HOLD_MS } from './feed-line.ts';
import type { Rooms } from './rooms.ts';

/** Feeds that one read asks for: the answer stays one message. */
const FEEDS_A_READ = 1_000;

interface Options {
  readonly io: Server;
  readonly rooms: Pick<Rooms, 'served' | 'takeJoined' | 'catchUp' | 'progress'>;
  readonly askWorkers: AskWorkers;
  readonly log: { warn(fields: object, message: string): void };
}

type Head = z.infer<typeof headsAnswer>['feeds'][number];

const headsAnswer = z.object({ feeds: z.array(z.object({ feed: z.string(), epoch: z.int(), seq: z.int() })) });

/** One round of reading the heads of all feeds served here, and of telling each that moved to the sockets in its room. */
export function createHeadsRound(options: Options): (signal: AbortSignal) => Promise<void> {
  let told: ReadonlyMap<string, number> = new Map();
  return async (signal) => {
    told = await tellOnce(options, told, signal);
  };
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
  for (const some of chunksOf(feeds, FEEDS_A_READ)) {
    if (signal.aborted) return heads;
    for (const head of await readHeads(options, some)) {
      options.rooms.catchUp(head.feed, head.epoch);
      if (head.seq > (options.rooms.progress(head.feed)?.delivered ?? head.seq)) early.push(head);
      else tell(head);
    }
  }
  if (early.length === 0) return heads;
  await sleep(HOLD_MS, undefined, { signal, ref: false }).catch(() => undefined);
  // A slice that is held even now is delivered within the time of another hold, and the next round tells of it.
  for (const head of early) if (options.rooms.progress(head.feed)?.isHolding !== true) tell(head);
  return heads;
}

async function readHeads({ askWorkers, log }: Options, feeds: readonly string[]): Promise<readonly Head[]> {
  const answer = await askWorkers('feeds:heads', { feeds }, headsAnswer);
  if (!isRefusal(answer)) return answer.feeds;
  log.warn({ error: answer.code }, 'the heads of feeds could not be read; the next round tries again');
  return [];
}
