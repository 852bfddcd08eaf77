// Warms up a database that has just started: until its code is compiled, statements take many times
// as long. A round executes commands and reads of two users who exist only in its transaction, which
// is rolled back, so that nobody sees them.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { openSandbox } from '@taskgraph/graph-store/driver/sandbox';
import { createIdFactory, randomSlot } from '@taskgraph/runtime/ids';
import { newPublicToken } from '@taskgraph/runtime/security/tokens';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level, Status } from '@taskgraph/wire/codes';
import { createGraphCache } from './commit/cache/graph-cache.ts';
import { createCommandHandler } from './commit/command-handler.ts';
import { createCommitter, PARTS_AT_ONCE } from './commit/committer.ts';
import { groupModes } from './commit/group-modes.ts';
import { createScheduler } from './commit/group-scheduler.ts';
import { createOwnerCache } from './commit/owner-cache.ts';
import { createPageBudget } from './reads/page-budget.ts';
import { answerRead } from './reads/reads.ts';

/** Each of the two phases ends sooner once rounds get no faster. */
const BEFORE_SERVING_MS = 3_000;
const BESIDE_SERVING_MS = 60_000;
/** Rounds in a row without a faster one after which the database counts as warm. */
const STEADY_ROUNDS = 10;
/** A round that is faster by less is not. */
const FASTER = 0.95;
/** A pause beside other work lasts this many times as long as the round before it. */
const REST = 2;
const ROUND_LIMIT_MS = 60_000;
const CHILDREN = 12;
const MIB = 1024 * 1024;

interface WarmUpDependencies {
  readonly database: Database;
  readonly log: Pick<Log, 'info' | 'warn' | 'error' | 'debug'>;
  readonly nowMs: () => number;
}

export interface WarmUp {
  /** Resolves when the database is warm, or after a few seconds. Does not reject. */
  beforeServing(): Promise<void>;
  /** The rest beside other work, for a minute at most. */
  besideServing(): void;
  stop(): Promise<void>;
}

export function createWarmUp({ database, log, nowMs }: WarmUpDependencies): WarmUp {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let best = Number.POSITIVE_INFINITY;
  let since = 0;

  const isWarm = () => since >= STEADY_ROUNDS;
  const roundsFor = async (ms: number, rest: number) => {
    const startedAt = performance.now();
    let rounds = 0;
    try {
      while (!isStopped && !isWarm() && performance.now() - startedAt < ms) {
        const tookMs = await timed(() => warmUpRound(database, log, nowMs));
        rounds++;
        since = tookMs < best * FASTER ? 0 : since + 1;
        best = Math.min(best, tookMs);
        if (rest > 0) await sleep(tookMs * rest);
      }
      log.info({ rounds, bestMs: Math.round(best), isWarm: isWarm() }, 'the database was warmed up');
    } catch (error) {
      log.info({ error, rounds }, 'the database could not be warmed up');
    }
  };

  return {
    async beforeServing() {
      [best, since] = [Number.POSITIVE_INFINITY, 0];
      await roundsFor(BEFORE_SERVING_MS, 0);
    },
    besideServing() {
      running = running.then(() => roundsFor(BESIDE_SERVING_MS, REST));
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Exported for tests. Rejects if a command or a read is refused, and leaves nothing in any case. */
export async function warmUpRound(database: Database, log: WarmUpDependencies['log'], nowMs: () => number) {
  const sandbox = openSandbox(database, ROUND_LIMIT_MS);
  try {
    const newId = createIdFactory({ nowMs });
    const [owner, guest] = [await scratchUser(sandbox.database, newId), await scratchUser(sandbox.database, newId)];
    const send = openCommands(sandbox.database, log, nowMs, newId);
    const [root] = await send(owner, [['node:add', { title: 'warm-up' }]]);
    const children = await send(
      owner,
      Array.from({ length: CHILDREN }, () => ['node:add', { target: root, title: 'child' }]),
    );
    await send(owner, [['node:access', { id: root, email: guest.email, level: Level.EDITOR, branch: true }]]);
    await send(
      guest,
      children.map((id, at) => ['node:update', { id, title: `child ${at}` }]),
    );
    await send(
      owner,
      children.slice(1).map((id, at) => ['link:add', { source: id, target: children[at] }]),
    );
    // The others are blocked.
    await send(owner, [['node:update', { id: children.at(-1), status: Status.COMPLETED }]]);
    await send(owner, [['node:trash', { id: children[0] }]]);
    for (const reader of [owner, guest]) {
      for (const event of ['graph:get', 'history:page']) await read(sandbox.database, nowMs, reader, event);
    }
  } finally {
    await sandbox.end();
  }
}

async function scratchUser(database: Database, newId: (slot: number) => string): Promise<ActingUser> {
  const id = newId(randomSlot());
  // No sign-up accepts such an address.
  const email = `${randomBytes(16).toString('hex')}@warm-up.invalid`;
  return ensureUser(database, { id, username: 'warm-up', email, now: new Date().toISOString() });
}

type Call = readonly [event: string, payload: Readonly<Record<string, unknown>>];

/** Returns a function that executes commands together, and resolves with the ids of their nodes. */
function openCommands(
  database: Database,
  log: WarmUpDependencies['log'],
  nowMs: () => number,
  newId: (slot: number) => string,
) {
  const environment = {
    database,
    owners: createOwnerCache(),
    graphCache: createGraphCache(MIB),
    newId,
    newToken: newPublicToken,
    nowMs,
    longestOpenMs: ROUND_LIMIT_MS,
    publish: () => undefined,
    onUnpublished: () => undefined,
  };
  const committer = createCommitter(environment, groupModes(1_000), log as Log);
  const scheduler = createScheduler({
    concurrency: 1,
    partConcurrency: PARTS_AT_ONCE,
    groupSize: 128,
    groupBytes: MIB,
    waitingCommands: 1_000,
    waitingBytes: MIB,
    largeCommands: 1,
    largeBytes: MIB,
    nowMs,
    ...committer,
  });
  const handle = createCommandHandler(scheduler);
  return async (actor: ActingUser, calls: readonly Call[]): Promise<string[]> => {
    const deadline = nowMs() + ROUND_LIMIT_MS;
    const replies = await Promise.all(
      calls.map(([event, payload]) =>
        handle({ id: newId(0), event, payload, actor, key: null, deadline, traceId: 'warm-up' }, 'users'),
      ),
    );
    return replies.map((reply) => {
      if (!('ok' in reply) || !reply.ok) throw new Error(`a command was refused: ${JSON.stringify(reply)}`);
      return nodeOf(reply.body);
    });
  };
}

function nodeOf(body: Record<string, unknown>): string {
  const { nodes } = body.diff as { nodes: { after: { id: string } | null }[] };
  return nodes[0]?.after?.id ?? '';
}

async function read(database: Database, nowMs: () => number, actor: ActingUser, event: string): Promise<void> {
  const pages = createPageBudget({ pageBytes: MIB, budgetBytes: 3 * MIB, waitMs: 0 });
  const message = { event, payload: {}, actor, deadline: nowMs() + ROUND_LIMIT_MS, traceId: 'warm-up' };
  const reply = await answerRead(message, { database, secret: '', nowMs, pages });
  if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
}
