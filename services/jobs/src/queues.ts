// The queues in Redis: a job for each end that comes soon, and schedules of which one run at a time is due, whichever service takes it.
//
// Redis may forget all of it at any time. Schedules are made anew by whoever misses them, and the first of them finds all else in the database.
import { openRedis, type RedisBounds, type RedisClient } from '@taskgraph/runtime/service/redis';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { inNewTrace } from '@taskgraph/runtime/telemetry/tracing';
import type { Expiration } from '@taskgraph/wire/messages';
import { type Job, type JobsOptions, Queue, Worker } from 'bullmq';
import { count, type JobKind, noteFailedTry, noteRun } from './metrics.ts';

/** Ends further away than this are left to the sweep, so that Redis does not hold years of them. Milliseconds. */
const AHEAD_MS = 86_400_000;
/** After the end by our clock, milliseconds, so that it is not too early by the worker's. */
const MARGIN_MS = 10;
/** Waits between tries of an expiry: this long first, then twice as long each time. Milliseconds. */
const BACKOFF_MS = 250;
const ATTEMPTS = 6;
/** Most of a queue's events that Redis keeps. */
const EVENTS_KEPT = 1_000;
/**
 * A job whose service died goes to another one when its lock has ended and two looks have found it without: within 20 s. After a broken connection a
 * worker tries again when the last of these is over. The library's own 30, 30 and 15 s are long where an end of access waits. Milliseconds.
 */
const PATIENCE = { lockDuration: 10_000, stalledInterval: 5_000, runRetryDelay: 1_000 };
/** A wait for Redis is given up after this time; milliseconds. */
const REDIS_LIMIT_MS = 10_000;

/** The jobs that run again after each time of its interval, in milliseconds. */
export type Schedules = Readonly<Partial<Record<Exclude<JobKind, 'expire'>, number>>>;

interface Options {
  readonly redis: RedisOptions;
  readonly prefix: string;
  readonly expiriesAtOnce: number;
  /** Most ends that wait in Redis because somebody told of them; past it the sweep alone finds them. */
  readonly waitingEnds: number;
  readonly schedules: Schedules;
  /** How often missing schedules are looked for, milliseconds. */
  readonly checkMs: number;
  readonly log: Log;
  readonly expire: (due: Expiration) => Promise<void>;
  readonly run: (kind: Exclude<JobKind, 'expire'>) => Promise<void>;
}

export interface Queues {
  /** Has each of these ended at its time. Told twice, it is kept once. Where too many wait already, they are left to the sweep. */
  remember(expirations: readonly Expiration[]): Promise<void>;
  /** The same for ends that a sweep has found, however many wait: they are over or soon will be, and a sweep finds a bounded number. */
  require(expirations: readonly Expiration[]): Promise<void>;
  /** Waits until Redis answers. */
  ping(): Promise<unknown>;
  /** Takes no more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** Finished jobs are not kept: under their names the same ends must be found anew if something came between. */
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const satisfies JobsOptions;
const EXPIRY: JobsOptions = {
  ...KEEP_NOTHING,
  attempts: ATTEMPTS,
  backoff: { type: 'exponential', delay: BACKOFF_MS },
};

/**
 * Ends are in one queue, whose jobs are short. Sweeps have one of their own, so that they never wait behind the ends that they are to find.
 * All other runs, which maintain what is stored, are in the third, one at a time. Its name stands in Redis, where the release before looks for it.
 */
type QueueName = 'expiries' | 'sweeps' | 'upkeep';

export function openQueues(options: Options): Queues {
  const { log, redis } = options;
  // All keys of a script must be in one part of a cluster. One server keeps the names that it has.
  const prefix = redis.mode === 'cluster' ? `{${options.prefix}}` : options.prefix;
  const streams = { events: { maxLen: EVENTS_KEPT } };
  const connections: RedisClient[] = [];
  const connect = (bounds: RedisBounds) => {
    const connection = openRedis(redis, bounds);
    connections.push(connection);
    return connection;
  };
  const open = (name: QueueName) => {
    const connection = connect({ commandTimeout: REDIS_LIMIT_MS });
    return withoutOutbursts(new Queue(name, { prefix, connection, streams }), log);
  };
  const queues = { expiries: open('expiries'), sweeps: open('sweeps'), upkeep: open('upkeep') };
  const work = (name: QueueName, concurrency: number) => {
    // Workers wait for Redis without end: what they wait for is their next job.
    const connection = connect({ maxRetriesPerRequest: null });
    const worker = new Worker(name, (job) => perform(options, job), { prefix, connection, concurrency, ...PATIENCE });
    worker.on('failed', (job, error) => noteFailure(log, job, error));
    return withoutOutbursts(worker, log);
  };
  const workers = [work('expiries', options.expiriesAtOnce), work('sweeps', 1), work('upkeep', 1)];
  let ensuring = false;
  const ensure = async () => {
    // One wait for Redis is enough.
    if (ensuring) return;
    ensuring = true;
    await ensureSchedules(queues, options).catch((error) =>
      log.warn({ error }, 'the schedules could not be looked at'),
    );
    ensuring = false;
  };
  const checking = setInterval(ensure, options.checkMs);
  void ensure();
  return {
    async remember(expirations) {
      const soon = expirations.filter(({ due }) => Date.parse(due) <= Date.now() + AHEAD_MS);
      if (soon.length === 0) return;
      if ((await queues.expiries.getDelayedCount()) >= options.waitingEnds) {
        log.warn({ expirations: soon.length }, 'too many ends wait in Redis: the sweep will find these');
        return;
      }
      await queues.expiries.addBulk(soon.map(expiryOf));
    },
    async require(expirations) {
      await queues.expiries.addBulk(expirations.map(expiryOf));
    },
    // The cheapest of all questions that the library asks.
    ping: () => queues.expiries.getDelayedCount(),
    async stop() {
      clearInterval(checking);
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** The name says what it is about, so that an end that is told and swept is one job. */
function expiryOf(due: Expiration) {
  const endMs = Date.parse(due.due);
  const delay = Math.max(0, endMs + MARGIN_MS - Date.now());
  return { name: 'expire', data: due, opts: { ...EXPIRY, jobId: `${due.nodeId}-${endMs}`, delay } };
}

function perform({ expire, run }: Options, { name, data }: Job): Promise<void> {
  const kind = name as JobKind;
  return inNewTrace(`job ${kind}`, {}, async () => {
    const startedAt = performance.now();
    if (kind === 'expire') await expire(data as Expiration);
    else await run(kind);
    if (kind !== 'expire') count(kind, 'runs');
    noteRun(kind, (performance.now() - startedAt) / 1_000);
  });
}

function noteFailure(log: Log, job: Job | undefined, error: Error): void {
  const kind = (job?.name ?? 'expire') as JobKind;
  const isOver = (job?.attemptsMade ?? 0) >= (job?.opts.attempts ?? 1);
  count(kind, isOver ? 'failed' : 'retried');
  noteFailedTry(kind, isOver);
  log[isOver ? 'error' : 'warn']({ error, kind, data: job?.data, attempt: job?.attemptsMade }, 'a job failed');
}

/** Makes the schedules that are not there or have another interval. Two services at once make the same. */
async function ensureSchedules(
  queues: Readonly<Record<QueueName, Queue>>,
  { schedules }: Pick<Options, 'schedules'>,
): Promise<void> {
  for (const [kind, every] of Object.entries(schedules)) {
    const queue = kind === 'sweep' ? queues.sweeps : queues.upkeep;
    const present = await queue.getJobScheduler(kind);
    if (present?.every !== every) await queue.upsertJobScheduler(kind, { every }, { name: kind, opts: KEEP_NOTHING });
  }
  // Where the release before this one kept it.
  await queues.expiries.removeJobScheduler('sweep');
}

/** One line at the start of an outage of Redis and not one for each attempt; without a listener an error would end the process. */
function withoutOutbursts<T extends Queue | Worker>(source: T, log: Log): T {
  let last = '';
  const note = (error: Error) => {
    if (error.message !== last) log.warn({ error, queue: source.name }, 'a queue reports an error');
    last = error.message;
  };
  (source as Queue).on('error', note);
  return source;
}
