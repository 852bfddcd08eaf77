// The queues in Redis: a job for each upcoming end and for each webhook with something to deliver, and
// schedules that run one job at a time on any service.
//
// Redis may lose everything at any time. Each service recreates missing schedules, and the first
// sweep finds the rest in the database.

import type { DueWebhook } from '@taskgraph/graph-store/webhooks/due-webhooks';
import { openRedis, type RedisBounds, type RedisClient } from '@taskgraph/runtime/service/redis';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { inNewTrace } from '@taskgraph/runtime/telemetry/tracing';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import type { QueueLength } from '@taskgraph/wire/bus/status-messages';
import { type Job, type JobsOptions, Queue, Worker } from 'bullmq';
import { count, type JobKind, noteFailedTry, noteRun, type ScheduledKind } from './metrics.ts';

/** The sweep handles later ends, so that Redis does not store years of them. Milliseconds. */
const AHEAD_MS = 86_400_000;
/** Milliseconds after the end by this clock, so that it is not early by the worker's. */
const MARGIN_MS = 10;
/** First delay between attempts of an expiry; it doubles each time. Milliseconds. */
const BACKOFF_MS = 250;
const ATTEMPTS = 6;
/** Maximum events of a queue that Redis stores. */
const EVENTS_KEPT = 1_000;
/**
 * A dead service's job moves to another one when its lock has ended and two checks found it
 * unlocked: within 20 s. After a broken connection a worker retries within the last of these. The
 * library's 30, 30 and 15 s are too long for the end of access. Milliseconds.
 */
const RECOVERY_TIMES = { lockDuration: 10_000, stalledInterval: 5_000, runRetryDelay: 1_000 };
/** A run with a lower priority that has waited for so long loses it. Milliseconds. */
const LOWER_PRIORITY_MS = 30_000;
/** Maximum runs that lose it at once: the longest waiting ones. */
const PROMOTED_AT_ONCE = 50;
/** Limit of a wait for Redis; milliseconds. */
const REDIS_LIMIT_MS = 10_000;

/** The periodic jobs with their intervals in milliseconds. */
export type Schedules = Readonly<Partial<Record<ScheduledKind, number>>>;

interface QueueOptions {
  readonly redis: RedisOptions;
  readonly prefix: string;
  readonly expiriesAtOnce: number;
  /** Maximum waiting ends from messages; above it only the sweep finds ends. */
  readonly waitingEnds: number;
  readonly schedules: Schedules;
  /** Interval between checks for missing schedules, milliseconds. */
  readonly checkMs: number;
  readonly log: Log;
  readonly expire: (due: Expiration) => Promise<void>;
  readonly run: (kind: ScheduledKind) => Promise<void>;
  /** Runs of webhooks in progress at once, and as many of slow ones. */
  readonly webhooksAtOnce: number;
  /** Runs a webhook. The runs of the returned webhooks are added at the end of the queue, in this order. */
  readonly deliver: (due: DueWebhook) => Promise<readonly DueWebhook[]>;
  /** By which waiting runs become old; the system's clock if it is missing. */
  readonly nowMs?: () => number;
}

export interface Queues {
  /**
   * Schedules each of these ends, once even if repeated. If too many are waiting, they are left to
   * the sweep.
   */
  addExpirations(expirations: readonly Expiration[]): Promise<void>;
  /**
   * Like `addExpirations`, for ends found by a sweep, without the limit: they are due or soon will
   * be, and a sweep finds a bounded number.
   */
  require(expirations: readonly Expiration[]): Promise<void>;
  /** Adds a run of each of these webhooks that has none yet. Old runs lose a lower priority. */
  addWebhooks(due: readonly DueWebhook[]): Promise<void>;
  /** The lengths of all queues, which all jobs services share. */
  lengths(): Promise<QueueLength[]>;
  /** Resolves when Redis responds. */
  ping(): Promise<unknown>;
  /** Accepts no more jobs and waits for running ones. */
  stop(): Promise<void>;
}

/** Finished jobs are not stored: the same end may need a new job with the same id. */
const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true } as const satisfies JobsOptions;
const EXPIRY: JobsOptions = {
  ...KEEP_NOTHING,
  attempts: ATTEMPTS,
  backoff: { type: 'exponential', delay: BACKOFF_MS },
};

/**
 * Ends have a queue of short jobs. Sweeps have their own, so that they never wait behind the ends
 * that they find. The third runs all maintenance, one job at a time. Webhooks have the same two queues:
 * one of runs, one of sweeps. A run lasts as long as its receiver takes to answer, so those of receivers
 * that are slow, or that have not answered yet, have a queue and places of their own: the others never wait
 * for them. Queue names are stored in Redis, and the previous release uses the same ones.
 */
type QueueName = 'expiries' | 'sweeps' | 'upkeep' | 'webhooks' | 'slow-webhooks' | 'webhook-sweeps';

export function openQueues(options: QueueOptions): Queues {
  const { log, redis } = options;
  // All keys of a script must be in one slot of a cluster. A single server keeps its existing
  // names.
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
    return withOutageLog(new Queue(name, { prefix, connection, streams }), log);
  };
  const queues = {
    expiries: open('expiries'),
    sweeps: open('sweeps'),
    upkeep: open('upkeep'),
    webhooks: open('webhooks'),
    'slow-webhooks': open('slow-webhooks'),
    'webhook-sweeps': open('webhook-sweeps'),
  };
  const work = (name: QueueName, concurrency: number) => {
    // Workers wait for their next job without a limit.
    const connection = connect({ maxRetriesPerRequest: null });
    const worker = new Worker(name, (job) => perform(options, job), {
      prefix,
      connection,
      concurrency,
      ...RECOVERY_TIMES,
    });
    worker.on('failed', (job, error) => noteFailure(log, job, error));
    worker.on('completed', ({ name }, next: readonly DueWebhook[]) => {
      // If this fails, or the service ends before, the next sweep adds the runs.
      if (name === 'webhook') addRuns(queues, next).catch(() => undefined);
    });
    return withOutageLog(worker, log);
  };
  const workers = [
    work('expiries', options.expiriesAtOnce),
    work('sweeps', 1),
    work('upkeep', 1),
    work('webhooks', options.webhooksAtOnce),
    work('slow-webhooks', options.webhooksAtOnce),
    work('webhook-sweeps', 1),
  ];
  let ensuring = false;
  const ensure = async () => {
    // One check in flight is enough.
    if (ensuring) return;
    ensuring = true;
    await ensureSchedules(queues, options).catch((error) => log.warn({ error }, 'the schedules could not be checked'));
    ensuring = false;
  };
  const checking = setInterval(ensure, options.checkMs);
  void ensure();
  return {
    async addExpirations(expirations) {
      const soon = expirations.filter(({ due }) => Date.parse(due) <= Date.now() + AHEAD_MS);
      if (soon.length === 0) return;
      if ((await queues.expiries.getDelayedCount()) >= options.waitingEnds) {
        log.warn({ expirations: soon.length }, 'too many ends are waiting in Redis: the sweep will find these');
        return;
      }
      await queues.expiries.addBulk(soon.map(expiryOf));
    },
    async require(expirations) {
      await queues.expiries.addBulk(expirations.map(expiryOf));
    },
    async addWebhooks(due) {
      await addRuns(queues, due);
      if (due.some(hasSlowQueue)) await promoteOldRuns(queues['slow-webhooks'], options.nowMs?.() ?? Date.now());
    },
    lengths: () => Promise.all(Object.values(queues).map(lengthOf)),
    // The library's cheapest query.
    ping: () => queues.expiries.getDelayedCount(),
    async stop() {
      clearInterval(checking);
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      for (const connection of connections) connection.disconnect();
    },
  };
}

async function lengthOf(queue: Queue): Promise<QueueLength> {
  const {
    waiting = 0,
    prioritized = 0,
    active = 0,
    delayed = 0,
  } = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed');
  return { name: queue.name, waiting: waiting + prioritized, active, delayed };
}

/** The id derives from the content, so that an end from a message and a sweep is one job. */
function expiryOf(due: Expiration) {
  const endMs = Date.parse(due.due);
  const delay = Math.max(0, endMs + MARGIN_MS - Date.now());
  return { name: 'expire', data: due, opts: { ...EXPIRY, jobId: `${due.nodeId}-${endMs}`, delay } };
}

async function addRuns(queues: Readonly<Record<QueueName, Queue>>, due: readonly DueWebhook[]): Promise<void> {
  const [slow, others] = [due.filter(hasSlowQueue), due.filter((webhook) => !hasSlowQueue(webhook))];
  if (others.length > 0) await queues.webhooks.addBulk(others.map(runOf));
  if (slow.length > 0) await queues['slow-webhooks'].addBulk(slow.map(runOf));
}

function hasSlowQueue({ isSlow = false, isInactive = false }: DueWebhook): boolean {
  return isSlow || isInactive;
}

/**
 * The id derives from the webhook, so that it has one run in its queue. Runs with a priority begin after all
 * without one: new webhooks would otherwise wait for the slow ones of many users.
 */
function runOf({ id, isSlow = false }: DueWebhook) {
  return { name: 'webhook', data: { id }, opts: { ...KEEP_NOTHING, jobId: id, ...(isSlow && { priority: 1 }) } };
}

/** Removes the lower priority of runs that have waited long: they would wait as long as others come. */
async function promoteOldRuns(queue: Queue, nowMs: number): Promise<void> {
  const oldest = await queue.getPrioritized(0, PROMOTED_AT_ONCE - 1);
  const old = oldest.filter((job) => job !== undefined && job.timestamp <= nowMs - LOWER_PRIORITY_MS) as Job[];
  // A run that has ended meanwhile rejects.
  await Promise.allSettled(old.map((job) => job.changePriority({ priority: 0 })));
}

/** The result of a webhook's run is the webhooks whose runs are added then. */
function perform({ expire, deliver, run }: QueueOptions, { name, data }: Job): Promise<readonly DueWebhook[]> {
  const kind = name as JobKind;
  return inNewTrace(`job ${kind}`, {}, async () => {
    const startedAt = performance.now();
    let next: readonly DueWebhook[] = [];
    if (kind === 'expire') await expire(data as Expiration);
    else if (kind === 'webhook') next = await deliver(data as DueWebhook);
    else await run(kind);
    if (kind !== 'expire' && kind !== 'webhook') count(kind, 'runs');
    noteRun(kind, (performance.now() - startedAt) / 1_000);
    return next;
  });
}

function noteFailure(log: Log, job: Job | undefined, error: Error): void {
  const kind = (job?.name ?? 'expire') as JobKind;
  const isOver = (job?.attemptsMade ?? 0) >= (job?.opts.attempts ?? 1);
  count(kind, isOver ? 'failed' : 'retried');
  noteFailedTry(kind, isOver);
  log[isOver ? 'error' : 'warn']({ error, kind, data: job?.data, attempt: job?.attemptsMade }, 'a job failed');
}

/**
 * Creates schedules that are missing or have another interval. Concurrent services create the same
 * ones.
 */
async function ensureSchedules(
  queues: Readonly<Record<QueueName, Queue>>,
  { schedules }: Pick<QueueOptions, 'schedules'>,
): Promise<void> {
  for (const [kind, every] of Object.entries(schedules)) {
    const queue = queueOf(queues, kind);
    const present = await queue.getJobScheduler(kind);
    if (present?.every !== every) await queue.upsertJobScheduler(kind, { every }, { name: kind, opts: KEEP_NOTHING });
  }
  // The previous release stored it there.
  await queues.expiries.removeJobScheduler('sweep');
}

function queueOf(queues: Readonly<Record<QueueName, Queue>>, kind: string): Queue {
  if (kind === 'webhooks') return queues['webhook-sweeps'];
  return kind === 'sweep' ? queues.sweeps : queues.upkeep;
}

/**
 * Logs once at the start of a Redis outage instead of at each attempt. Without a listener an error
 * would end the process.
 */
function withOutageLog<T extends Queue | Worker>(source: T, log: Log): T {
  let last = '';
  const note = (error: Error) => {
    if (error.message !== last) log.warn({ error, queue: source.name }, 'a queue reports an error');
    last = error.message;
  };
  (source as Queue).on('error', note);
  return source;
}
