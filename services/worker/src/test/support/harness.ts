// Workers without a bus, for tests with a real Neo4j: commands go directly into the mailboxes.

import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import { HISTORY_FORMS, type HistoryForm } from '@taskgraph/graph-store/commit/history-rows';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { withGroupedMessageReads } from '@taskgraph/graph-store/webhooks/message-reads';
import { createIdFactory, randomSlot } from '@taskgraph/runtime/ids';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { conformingReply, expectConforming } from '@taskgraph/testkit/contract/conformance';
import { type ActingUser, isSystem } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { type ReadersFeeds, readersFeeds } from '@taskgraph/wire/bus/gateway-reads';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Diff } from '@taskgraph/wire/entities';
import { createQueueClaims } from '../../claims/queue-claims.ts';
import { createGraphCache } from '../../commit/cache/graph-cache.ts';
import { createCommandHandler } from '../../commit/command-handler.ts';
import { type Committer, createCommitter, PARTS_AT_ONCE } from '../../commit/committer.ts';
import type { GroupOutcome } from '../../commit/group-environment.ts';
import { type GroupModes, groupModes } from '../../commit/group-modes.ts';
import { createScheduler } from '../../commit/group-scheduler.ts';
import { createOwnerCache } from '../../commit/owner-cache.ts';
import { createLinkIdsCache } from '../../reads/cache/link-ids.ts';
import { createPageCache } from '../../reads/cache/page-cache.ts';
import { createPlanCache } from '../../reads/cache/plans.ts';
import { createNodeIndexes } from '../../reads/find/node-indexes.ts';
import { createReadGates } from '../../reads/read-gates.ts';
import type { ReadEnvironment } from '../../reads/read-handler.ts';
import { createRecentBatches } from '../../reads/webhooks/recent-batches.ts';
import { answerWhole, pagesOf } from './whole-reads.ts';

export const newId = createIdFactory();
const log = createLog({ name: 'test', level: process.env.LOG_LEVEL ?? 'silent' });

/** The migrated database of the test run. */
export async function openTestDatabase(): Promise<Database> {
  const { NEO4J_URL: url, NEO4J_USER: user, NEO4J_PASSWORD: password } = process.env;
  if (!url || !user || !password) throw new Error('NEO4J_URL, NEO4J_USER and NEO4J_PASSWORD must be set');
  // Files share the modules of their process, but each checks only its own users.
  usersMade.length = 0;
  const database = openDatabase({ url, user, password });
  await migrate(database, () => undefined);
  return database;
}

/** Ids of all users of this file. */
export const usersMade: string[] = [];

/** A user that no other test uses. */
export function makeUser(database: Database, name = 'user'): Promise<ActingUser> {
  const id = newId(randomSlot());
  usersMade.push(id);
  return ensureUser(database, {
    id,
    email: `${name}-${id}@example.com`,
    username: name,
    now: new Date().toISOString(),
  });
}

/**
 * Repeats a command until it commits: the first commands of a new server may exceed their time
 * limit.
 */
export async function warmUp(database: Database): Promise<void> {
  const [worker, user] = [startTestWorker(database), await makeUser(database)];
  for (let attempts = 0; attempts < 10; attempts++) {
    const reply = await worker.send(user, 'node:add', {});
    if (reply.ok) return;
  }
  throw new Error('the database does not do a single command');
}

export interface TestWorker {
  readonly slices: SliceMessage[];
  /** The messages to gateways about rooms. */
  readonly control: ControlMessage[];
  /** The messages to jobs. */
  readonly expirations: Expiration[];
  readonly groupSizes: number[];
  /** Sends a command and waits for its reply. */
  send(
    actor: ActingUser,
    event: string,
    payload: object,
    options?: { key?: string; id?: string; patienceMs?: number; isLeaseHeld?: () => boolean },
  ): Promise<ReplyMessage>;
  /** Sends a command that must succeed, and returns its diff. */
  run(actor: ActingUser, event: string, payload: object, options?: { key?: string }): Promise<Diff>;
  /** Sends a command that must be refused, and returns the code and details. */
  refused(
    actor: ActingUser,
    event: string,
    payload: object,
  ): Promise<{ code: string; details: Record<string, unknown> }>;
  /** Reads; null reads without an account. */
  ask(actor: ActingUser | null, event: string, payload: object): Promise<ReplyMessage>;
  /** The same, on a worker with an empty cache. */
  askAnew(actor: ActingUser | null, event: string, payload: object): Promise<ReplyMessage>;
  /** A read that must succeed. */
  read(actor: ActingUser, event: string, payload: object): Promise<Record<string, unknown>>;
  /** The feeds of a user, and a position signed for them. */
  feeds(user: ActingUser): Promise<ReadersFeeds['readers'][number]>;
}

const CACHE_BYTES = 16 * 1024 * 1024;

/** Pages are cached as in production: a cached page must equal a fresh read. */
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * A month: deadlines use the worker's clock, which some tests advance by hours while commands run.
 */
const PATIENCE_MS = 30 * 24 * 3_600_000;

interface TestWorkerOptions {
  /** The bound for the walks of one command. */
  readonly entities?: number;
  /** The worker's clock for decisions and reads. */
  readonly nowMs?: () => number;
  /** The time up to which its history is complete; by the clock of the database if not given. */
  readonly horizon?: () => Promise<string>;
  /** The size limit of its pages in bytes. */
  readonly pageBytes?: number | undefined;
  /** The time limit for a command's locks in milliseconds. */
  readonly lockTimeoutMs?: number;
  readonly onGroup?: (group: GroupOutcome) => void;
  /** A hook directly before a commit that does not use the cache. */
  readonly confirm?: () => Promise<void>;
  /** The most milliseconds of a group until its commit. Default: an hour. */
  readonly longestOpenMs?: number;
  /** The form in which it writes history. Default: groups alternate, so reads meet both. */
  readonly historyForm?: HistoryForm;
  /** A hook at a publication, which may throw. */
  readonly onPublish?: () => void;
}

/**
 * A reply without its mark for REST, so that an answer equals the first one under its key. A command
 * without a key, or with the id of its first attempt, has none (GEN8).
 */
function unmarked(reply: ReplyMessage, mayBeMarked: boolean): ReplyMessage {
  if (!reply.ok || reply.replayed === undefined) return reply;
  if (!mayBeMarked) throw new Error('an answer that no client has received is marked as repeated');
  const { replayed: _replayed, ...first } = reply;
  return first;
}

/** A busy machine runs a large command for longer than a worker would let it. */
function patientModes(entities: number): GroupModes {
  const { together, large } = groupModes(entities);
  return { together, large: { ...large, timeoutMs: 300_000 } };
}

/** The forms of history that a worker writes in turn. */
function formsOf({ historyForm }: TestWorkerOptions): readonly HistoryForm[] {
  return historyForm === undefined ? HISTORY_FORMS : [historyForm];
}

/** A worker that shares only the database with other workers. */
export function startTestWorker(database: Database, options: TestWorkerOptions = {}): TestWorker {
  const { entities = 60_000, nowMs = Date.now, pageBytes, onGroup = () => undefined } = options;
  const slices: SliceMessage[] = [];
  const groupSizes: number[] = [];
  const control: ControlMessage[] = [];
  const expirations: Expiration[] = [];
  const publish = (published: SliceMessage[], message: ControlMessage, ends: Expiration[]) => {
    options.onPublish?.();
    expectConforming(published);
    slices.push(...published);
    expirations.push(...ends);
    if (Object.values(message).some((list) => (list?.length ?? 0) > 0)) control.push(message);
  };
  const environment = {
    database,
    owners: createOwnerCache(),
    graphCache: createGraphCache(CACHE_BYTES),
    newId,
    newToken: newPublicToken,
    nowMs,
    publish,
    onUnpublished: (error: unknown) => log.error({ error }, 'a group could not be published'),
    onGroup,
    longestOpenMs: options.longestOpenMs ?? 3_600_000,
    ...definedFields({ confirm: options.confirm }),
  };
  const committers = formsOf(options).map((historyForm) =>
    createCommitter({ ...environment, historyForm }, patientModes(entities), log, options.lockTimeoutMs),
  );
  const nextCommitter = () => committers[groupSizes.length % committers.length] as Committer;
  const scheduler = createScheduler({
    concurrency: 2,
    partConcurrency: PARTS_AT_ONCE,
    groupSize: 128,
    groupBytes: 4 * 1024 * 1024,
    waitingCommands: 10_000,
    waitingBytes: 128 * 1024 * 1024,
    largeCommands: 64,
    largeBytes: 16 * 1024 * 1024,
    nowMs: Date.now,
    commit(group) {
      groupSizes.push(group.length);
      return nextCommitter().commit(group);
    },
    commitPart: (group) => nextCommitter().commitPart(group),
    commitLarge: (job) => nextCommitter().commitLarge(job),
  });
  const pages = pagesOf(pageBytes);
  const pageCache = createPageCache(KEPT_BYTES);
  const linkIds = createLinkIdsCache(KEPT_BYTES);
  const plans = createPlanCache(KEPT_BYTES);
  const nodeIndexes = createNodeIndexes(KEPT_BYTES);
  const messages = { recentBatches: createRecentBatches(), groupedDatabase: withGroupedMessageReads(database) };
  const own = definedFields({ horizon: options.horizon });
  const read = { database, secret: 'a secret of this test', nowMs, pages, ...own };
  const gates = createReadGates({ atOnce: 16, waiting: 200, nowMs, otherWork: () => 0, onRefused: () => undefined });
  const claims = createQueueClaims({ ...read, plans, log, gates });
  const handle = createCommandHandler(scheduler, claims);
  const send: TestWorker['send'] = async (actor, event, payload, options = {}) => {
    const reply = await handle(
      {
        id: options.id ?? newId(0),
        event,
        payload: payload as Record<string, unknown>,
        actor,
        key: options.key ?? null,
        deadline: Math.max(nowMs(), Date.now()) + (options.patienceMs ?? PATIENCE_MS),
        traceId: 'test',
      },
      isSystem(actor) ? 'system' : 'users',
      options.isLeaseHeld,
    );
    if ('encoded' in reply) throw new Error('no reply is encoded here');
    // Answers to the system reach no client.
    return isSystem(actor)
      ? reply
      : conformingReply(event, unmarked(reply, options.key !== undefined && options.id === undefined));
  };
  let asked = 0;
  const asking =
    (
      environment: typeof read &
        Pick<ReadEnvironment, 'pageCache' | 'linkIds' | 'plans' | 'nodeIndexes' | 'recentBatches' | 'groupedDatabase'>,
    ): TestWorker['ask'] =>
    (actor, event, payload) => {
      const message = { event, payload: { ...payload }, actor, deadline: nowMs() + PATIENCE_MS, traceId: 'test' };
      // Every second requester accepts compressed pages, so the cache serves pages in both forms (ZIP2).
      return answerWhole(asked++ % 2 === 0 ? message : { ...message, acceptsCompressed: true }, environment);
    };
  const ask = asking({ ...read, ...messages, pageCache, linkIds, plans, nodeIndexes });
  return {
    slices,
    control,
    expirations,
    groupSizes,
    send,
    async run(actor, event, payload, options) {
      const reply = await send(actor, event, payload, options);
      if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
      return reply.body.diff as Diff;
    },
    async refused(actor, event, payload) {
      const reply = await send(actor, event, payload);
      if (reply.ok) throw new Error(`${event} was not refused`);
      return { code: reply.error, details: reply.details ?? {} };
    },
    ask,
    askAnew: asking(read),
    async feeds({ id, email }) {
      const reply = await ask(null, 'readers:feeds', { readers: [{ id, email }] });
      const [found] = readersFeeds.parse(reply.ok ? reply.body : reply).readers;
      if (found === undefined) throw new Error(`${email} is gone`);
      return found;
    },
    async read(actor, event, payload) {
      const reply = await ask(actor, event, payload);
      if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
      return reply.body;
    },
  };
}
