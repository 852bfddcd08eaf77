// Commits a group in one transaction: lock the owners, load the world, decide each command, write,
// commit.
import { randomUUID } from 'node:crypto';
import type { GroupContext } from '@taskgraph/commands/pipeline/decide-command';
import { decideGroup } from '@taskgraph/commands/pipeline/decide-group';
import { mergeReadSets, type ReadSet, sizeOf, touches } from '@taskgraph/domain/state/read-set';
import type { LockedUser } from '@taskgraph/domain/state/state';
import { loadInto } from '@taskgraph/graph-store/commit/load';
import { lockOwners, lockPrincipals } from '@taskgraph/graph-store/commit/lock';
import { recordOpenCommit } from '@taskgraph/graph-store/commit/open-commits';
import { writeGroup } from '@taskgraph/graph-store/commit/write';
import type { OpenTransaction } from '@taskgraph/graph-store/driver/database';
import { failureOf, LoadTooLarge } from '@taskgraph/graph-store/driver/failures';
import { inSpan } from '@taskgraph/runtime/telemetry/tracing';
import { type CachedWorld, createGraphCache } from './cache/graph-cache.ts';
import { HISTORY_LAG_MS, LONGEST_OPEN_MS } from './commit-age.ts';
import { completeGroup, type Decision, throwIfLate, writePlanOf } from './group-completion.ts';
import { DecisionTooOld, type GroupEnvironment } from './group-environment.ts';
import { boundsOf, type GroupMode } from './group-modes.ts';
import { contextOf, requestOf } from './group-preparation.ts';
import { type Job, withFollowers } from './job.ts';
import { refuseTooLarge, refuseTooMuch } from './too-large.ts';

/**
 * A large command loads whole branches in one statement, which a partial cache would only split.
 */
const NO_CACHE = createGraphCache(0);
/** A group starts again with more locks at most this often. */
const MAXIMUM_RELOCKS = 8;
/**
 * Total work over all repeated decisions of a group, as a multiple of its bound. Past it the group
 * is split.
 */
const BUDGET_FACTOR = 4;

/**
 * Jobs that a group left without an answer, with nothing written. They are the last jobs of their
 * slots, in order.
 */
export interface RemainingJobs {
  /** Jobs that need a transaction of their own, and the jobs of the same slot behind them. */
  readonly stuck: readonly Job[];
  /** Jobs for the next group, because the others filled this one. */
  readonly later: readonly Job[];
}

/** A group on its way through its transactions. */
interface LoadedGroup {
  readonly jobs: readonly Job[];
  readonly mode: GroupMode;
  readonly environment: GroupEnvironment;
  /** Locks and loads besides those that the commands name. */
  readonly extra: { readonly users: Set<string>; readonly emails: Set<string>; readonly readSet: ReadSet };
  /** The work that is left for all repeated decisions. */
  readonly budget: { left: number };
}

/** The owners and e-mail addresses that a decision needs and the transaction has not locked. */
interface UnlockedOwners {
  readonly users: readonly string[];
  readonly emails: readonly string[];
}

type Preparation =
  | {
      readonly kind: 'decided';
      readonly decision: Decision;
      readonly stuck: readonly Job[];
      readonly users: ReadonlyMap<string, LockedUser>;
      readonly cachedWorld: CachedWorld;
      /** The moment at which the group's time was read, by performance.now(). */
      readonly timedAtMs: number;
    }
  | { readonly kind: 'unlocked'; readonly owners: UnlockedOwners };

/**
 * Commits a group and answers its jobs, except those that it returns. `missing` is loaded besides
 * what the commands name. Throws what the database throws: then nothing was written, or the outcome
 * of the commit is unknown and the jobs' keys tell.
 */
export async function commitLoaded(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  missing: ReadSet,
): Promise<RemainingJobs> {
  const extra = { users: new Set<string>(), emails: new Set<string>(), readSet: missing };
  const group: LoadedGroup = { jobs, mode, environment, extra, budget: { left: BUDGET_FACTOR * mode.work.group } };
  for (let attempt = 0; attempt <= MAXIMUM_RELOCKS; attempt++) {
    const timeoutMs = timeoutOf(jobs, mode, environment.nowMs());
    const removeRecord = mode.bounds.large ? await recordLargeCommit(environment, timeoutMs) : null;
    const transaction = environment.database.begin(timeoutMs);
    let [committed, isUncertain] = [false, false];
    try {
      const prepared = await prepare(transaction, group);
      if (prepared.kind === 'unlocked') {
        for (const owner of prepared.owners.users) extra.users.add(owner);
        for (const email of prepared.owners.emails) extra.emails.add(email);
        continue;
      }
      const { decision, stuck, users, cachedWorld, timedAtMs } = prepared;
      const decidedAtMs = performance.now();
      const plan = writePlanOf(decision, environment);
      if (plan.batches.length > 0) {
        await inSpan('write', {}, async () => {
          await writeGroup(transaction, plan);
          await environment.confirm?.();
          throwIfLate(decision, environment.nowMs());
          if (!mode.bounds.large) throwIfOld(timedAtMs, environment.longestOpenMs);
          isUncertain = true;
          await transaction.commit();
          isUncertain = false;
        });
        committed = true;
      }
      completeGroup({ decision, users, cachedWorld, bumped: plan.bumped, decidedAtMs }, environment);
      return { stuck, later: decision.undecided.later };
    } finally {
      if (!committed) await transaction.rollback();
      // A commit whose answer was lost may still succeed: the record then ends by its time.
      if (!isUncertain) await removeRecord?.();
    }
  }
  throw new Error('the owners concerned keep changing');
}

/**
 * Records a large command, which may take longer than any group, so that history does not pass it
 * (HISX2). The function that removes the record does not reject, because the record also expires.
 */
async function recordLargeCommit(
  { database, nowMs, onFailure }: GroupEnvironment,
  timeoutMs = 0,
): Promise<() => Promise<void>> {
  const sinceMs = nowMs();
  const remove = await recordOpenCommit(database, {
    id: randomUUID(),
    since: new Date(sinceMs).toISOString(),
    until: new Date(sinceMs + timeoutMs + HISTORY_LAG_MS).toISOString(),
  });
  return () => remove().catch((error: unknown) => onFailure?.(failureOf(error)));
}

function throwIfOld(timedAtMs: number, longestOpenMs = LONGEST_OPEN_MS): void {
  if (performance.now() - timedAtMs > longestOpenMs) throw new DecisionTooOld();
}

/**
 * The transaction ends with the last deadline: after it a large command would only block others by
 * its locks.
 */
function timeoutOf(jobs: readonly Job[], { timeoutMs }: GroupMode, nowMs: number): number | undefined {
  if (timeoutMs === undefined) return undefined;
  const left = Math.max(...jobs.map(({ message }) => message.deadline)) - nowMs;
  // 0 would mean no bound.
  return Math.max(1, Math.min(timeoutMs, Math.ceil(left)));
}

async function prepare(transaction: OpenTransaction, group: LoadedGroup): Promise<Preparation> {
  const { jobs, mode, environment, extra } = group;
  const cachedWorld = (mode.bounds.large ? NO_CACHE : environment.graphCache).openWorld();
  const { world } = cachedWorld;
  const { readSet, locks } = requestOf(jobs, extra, environment);
  const keys = jobs.map(({ key }) => key);
  const [locked, principals, loaded] = await inSpan('load', {}, () =>
    Promise.all([
      lockOwners(transaction, locks),
      lockPrincipals(transaction, locks.emails),
      loadInto(transaction, world, readSet, boundsOf(mode, jobs.length), keys, environment.loadStatementFor),
    ]),
  );
  const users = new Map(locked.map((user) => [user.id, user]));
  for (const { email, userId } of principals) world.principals.set(email, userId);
  const timedAtMs = performance.now();
  const context = contextOf({ world, users, stored: loaded.batches }, mode, environment);
  const overflowing = new Set(loaded.overflowing);
  return decideInRounds(transaction, group, { context, timedAtMs, cachedWorld, overflowing });
}

interface DecisionInput {
  readonly context: GroupContext;
  readonly timedAtMs: number;
  readonly cachedWorld: CachedWorld;
  /** Starts of walks whose results exceed the bound. */
  readonly overflowing: Set<string>;
}

/**
 * Decides, loads the missing entities under the same locks, and decides again, until nothing is
 * missing.
 */
async function decideInRounds(
  transaction: OpenTransaction,
  { jobs, mode, environment, budget }: LoadedGroup,
  { context, timedAtMs, cachedWorld, overflowing }: DecisionInput,
): Promise<Preparation> {
  const { users, world } = context;
  const { large, entities } = mode.bounds;
  // A repeated answer that overflows is too long for a group.
  let stuck = withFollowers(jobs, new Set(jobs.filter(({ key }) => overflowing.has(key))));
  for (let round = 0; ; round++) {
    const unlocked = environment.owners.learn(world, users);
    if (unlocked.length > 0) return { kind: 'unlocked', owners: { users: unlocked, emails: [] } };
    cachedWorld.beginDecision(users);
    if (budget.left <= 0) throw new LoadTooLarge();
    const candidates = jobs.filter((job) => !stuck.includes(job));
    const decision = decideUnlessStale(candidates, context, cachedWorld);
    budget.left -= decision.work;
    const owners = unlockedOwnersOf(decision, unlockedInCache(cachedWorld, context));
    if (owners !== null) return { kind: 'unlocked', owners };
    const { notLoaded, tooMuch } = decision.undecided;
    if (large) refuseTooMuch(decision);
    const whole = { kind: 'decided', users, cachedWorld, timedAtMs } as const;
    if (notLoaded.size + tooMuch.size === 0) return { ...whole, decision, stuck };
    const hopeless = [...notLoaded].filter(
      ([, readSet]) => round >= mode.rounds || touches(readSet, overflowing) || (!large && sizeOf(readSet) > entities),
    );
    if (hopeless.length + tooMuch.size > 0) {
      if (large) return { ...whole, decision: refuseTooLarge(decision, entities), stuck: [] };
      stuck = withFollowers(jobs, new Set([...stuck, ...tooMuch.keys(), ...hopeless.map(([job]) => job)]));
      continue;
    }
    const missing = mergeReadSets([...notLoaded.values()]);
    const loaded = await inSpan('load', { 'taskgraph.round': round + 1 }, () =>
      loadInto(transaction, world, missing, boundsOf(mode, jobs.length), [], environment.loadStatementFor),
    );
    for (const start of loaded.overflowing) overflowing.add(start);
  }
}

/**
 * An error counts only if every used cache entry belongs to a locked owner. Otherwise the entry may
 * be stale, and the group starts again.
 */
function decideUnlessStale(jobs: readonly Job[], context: GroupContext, cachedWorld: CachedWorld): Decision {
  try {
    return decideGroup(jobs, context);
  } catch (error) {
    if (unlockedInCache(cachedWorld, context).length === 0) throw error;
    return decideGroup([], context);
  }
}

/** Owners of used cache entries that the group has not locked. */
function unlockedInCache({ used }: CachedWorld, { users }: GroupContext): string[] {
  return [...used].filter((id) => !users.has(id));
}

/** The locks with which the group has to start again; null where it has them all. */
function unlockedOwnersOf({ undecided }: Decision, inCache: readonly string[]): UnlockedOwners | null {
  const emails = [...undecided.notLoaded.values()].flatMap(({ principals }) => principals ?? []);
  const users = [...undecided.notLocked, ...inCache];
  return users.length + emails.length > 0 ? { users, emails } : null;
}
