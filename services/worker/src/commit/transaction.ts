// One group in one transaction: lock the owners, load the world, decide each command, write all, commit. Where all that it asks is remembered,
// one statement does for it (remembered-group.ts).
import type { GroupContext } from '@taskgraph/commands/pipeline/decide-command';
import { decideGroup } from '@taskgraph/commands/pipeline/decide-group';
import { readSetOf } from '@taskgraph/commands/pipeline/initial-read-set';
import { mergeReadSets, type ReadSet, sizeOf, touches } from '@taskgraph/domain/state/read-set';
import type { LockedUser } from '@taskgraph/domain/state/state';
import { loadInto } from '@taskgraph/graph-store/commit/load';
import { lockOwners, lockPrincipals } from '@taskgraph/graph-store/commit/lock';
import { writeGroup } from '@taskgraph/graph-store/commit/write';
import type { OpenTransaction } from '@taskgraph/graph-store/driver/database';
import { LoadTooLarge } from '@taskgraph/graph-store/driver/failures';
import { inSpan } from '@taskgraph/runtime/telemetry/tracing';
import { type Decision, finish, newIdsOf, planOf, refuseLate, tellAhead } from './finish-group.ts';
import type { GroupEnvironment } from './group-environment.ts';
import { boundsOf, type GroupMode } from './group-modes.ts';
import type { Job } from './job.ts';
import { createGraphMemory, type Recollection } from './memory/graph-memory.ts';
import { commitRemembered } from './remembered-group.ts';
import { refuseTooLarge, refuseTooMuch } from './too-large.ts';

/** Large commands load whole branches in one go, which what is known in part would only break up. */
const NO_MEMORY = createGraphMemory(0);
/** Owners may turn out to be outside the locked set this often before a group gives up; each time the set grows. */
const MAXIMUM_RELOCKS = 8;

/** Jobs that a group did not do: not answered, nothing written. They are the last jobs of their slots, in order. */
export interface RemainingJobs {
  /** Jobs that need a transaction of their own, and the jobs of the same slot behind them. */
  readonly stuck: readonly Job[];
  /** Jobs for the next group, since the others filled this one. */
  readonly later: readonly Job[];
}

/**
 * Commits a group and answers its jobs, but for those that it gives back. Throws what the database throws; then nothing was written, or the commit's outcome
 * is unknown and the jobs' keys tell.
 */
export async function commitGroup(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
): Promise<RemainingJobs> {
  const tried = await commitRemembered(jobs, mode, environment);
  if ('later' in tried) return { stuck: [], later: tried.later };
  const stuck = withFollowers(jobs, tried.tooMuch);
  if (stuck.length === jobs.length) return { stuck, later: [] };
  const rest = jobs.filter((job) => !stuck.includes(job));
  const left = await commitLoaded(rest, mode, environment, tried.lacks);
  return { ...left, stuck: [...stuck, ...left.stuck] };
}

/** Total work over all repeated decisions of a group, as a multiple of its bound. Past it the group is split. */
const BUDGET_FACTOR = 4;

/** Locks, loads what is not remembered, decides, writes and commits. */
async function commitLoaded(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  wished: ReadSet,
): Promise<RemainingJobs> {
  const budget = { left: BUDGET_FACTOR * mode.work.group };
  const extra: Extra = { users: new Set(), emails: new Set() };
  for (let attempt = 0; attempt <= MAXIMUM_RELOCKS; attempt++) {
    const transaction = environment.database.begin(timeoutOf(jobs, mode, environment.nowMs()));
    let committed = false;
    try {
      const prepared = await prepare(transaction, jobs, mode, environment, { extra, wished, budget });
      if ('outside' in prepared) {
        for (const owner of prepared.outside.users) extra.users.add(owner);
        for (const email of prepared.outside.emails) extra.emails.add(email);
        continue;
      }
      const { decision, left, users, recollection } = prepared;
      const decidedAtMs = performance.now();
      const plan = planOf(decision);
      if (decision.batches.length > 0) {
        await inSpan('write', {}, async () => {
          await writeGroup(transaction, plan);
          await environment.confirm?.();
          refuseLate(decision, environment.nowMs());
          await transaction.commit();
        });
        committed = true;
      }
      finish({ decision, users, recollection, bumped: plan.bumped, decidedAtMs }, environment);
      return { stuck: left, later: decision.later };
    } finally {
      if (!committed) await transaction.rollback();
    }
  }
  throw new Error('the owners concerned keep changing');
}

/** A large command that has no time left would only hold its locks: it is not committed past its deadline anyway. */
function timeoutOf(jobs: readonly Job[], { timeoutMs }: GroupMode, nowMs: number): number | undefined {
  if (timeoutMs === undefined) return undefined;
  const left = Math.max(...jobs.map(({ message }) => message.deadline)) - nowMs;
  // 0 would mean that there is no bound.
  return Math.max(1, Math.min(timeoutMs, Math.ceil(left)));
}

type Prepared =
  | { decision: Decision; left: Job[]; users: ReadonlyMap<string, LockedUser>; recollection: Recollection }
  | { outside: Outside };

/** Users and e-mails that turned out to be concerned and are not locked. */
interface Outside {
  readonly users: readonly string[];
  readonly emails: readonly string[];
}

interface Wishes {
  /** Locks besides what the commands name. */
  readonly extra: Extra;
  /** Loads besides what they name. */
  readonly wished: ReadSet;
  readonly budget: WorkBudget;
}

/** The work that the group may still do over all its repeated decisions. */
interface WorkBudget {
  left: number;
}

interface Extra {
  readonly users: Set<string>;
  readonly emails: Set<string>;
}

async function prepare(
  transaction: OpenTransaction,
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  { extra, wished, budget }: Wishes,
): Promise<Prepared> {
  const recollection = (mode.bounds.large ? NO_MEMORY : environment.memory).recollect();
  const { world } = recollection;
  const readSet = mergeReadSets([...jobs.map((job) => readSetOf(job, environment.owners)), wished]);
  const keys = jobs.map(({ key }) => key);
  const emails = new Set([...(readSet.principals ?? []), ...extra.emails]);
  const owners = environment.owners.lockRequest(jobs, readSet, { users: extra.users, emails });
  const [locked, principals, loaded] = await inSpan('load', {}, () =>
    Promise.all([
      lockOwners(transaction, owners),
      lockPrincipals(transaction, [...emails]),
      loadInto(transaction, world, readSet, boundsOf(mode, jobs.length), keys, environment.loadStatementFor),
    ]),
  );
  const users = new Map(locked.map((user) => [user.id, user]));
  for (const { email, userId } of principals) world.principals.set(email, userId);
  const now = new Date(environment.nowMs()).toISOString();
  tellAhead(users, now, environment);
  const group = { ...newIdsOf(environment), world, users, stored: loaded.batches, now, bounds: mode.work };
  const deciding = { group, recollection, budget, overflowing: new Set(loaded.overflowing) };
  return decideInRounds(transaction, jobs, deciding, mode, environment);
}

interface DecisionInput {
  readonly group: GroupContext;
  readonly recollection: Recollection;
  readonly budget: WorkBudget;
  /** Starts of walks whose results exceed the bound. */
  readonly overflowing: Set<string>;
}

/** Decides, loads what was missing under the same locks, and decides again, until nothing is missing. */
async function decideInRounds(
  transaction: OpenTransaction,
  jobs: readonly Job[],
  { group, recollection, budget, overflowing }: DecisionInput,
  mode: GroupMode,
  environment: GroupEnvironment,
): Promise<Prepared> {
  const { users } = group;
  // The answer to one that was done already is too long to be made beside others.
  let left = withFollowers(jobs, new Set(jobs.filter(({ key }) => overflowing.has(key))));
  for (let round = 0; ; round++) {
    const notLocked = environment.owners.learn(group.world, users);
    if (notLocked.length > 0) return { outside: { users: notLocked, emails: [] } };
    const deciding = jobs.filter((job) => !left.includes(job));
    recollection.decided(users);
    if (budget.left <= 0) throw new LoadTooLarge();
    const decision = decideUnlessStale(deciding, group, recollection);
    budget.left -= decision.work;
    const outside = outsideOf(decision, notLockedOf(recollection, group));
    if (outside !== null) return { outside };
    const { large, entities } = mode.bounds;
    if (large) refuseTooMuch(decision);
    if (decision.notLoaded.size + decision.tooMuch.size === 0) return { decision, left, users, recollection };
    const stuck = [...decision.notLoaded].filter(
      ([, readSet]) => round >= mode.rounds || touches(readSet, overflowing) || (!large && sizeOf(readSet) > entities),
    );
    if (stuck.length + decision.tooMuch.size > 0) {
      if (large) return { decision: refuseTooLarge(decision, entities), left: [], users, recollection };
      left = withFollowers(jobs, new Set([...left, ...decision.tooMuch.keys(), ...stuck.map(([job]) => job)]));
      continue;
    }
    const missing = mergeReadSets([...decision.notLoaded.values()]);
    const loaded = await inSpan('load', { 'taskgraph.round': round + 1 }, () =>
      loadInto(transaction, group.world, missing, boundsOf(mode, jobs.length), [], environment.loadStatementFor),
    );
    for (const start of loaded.overflowing) overflowing.add(start);
  }
}

/** Fails for what is stale only where somebody's is used who is not locked: then there is nothing to be said of the commands yet. */
function decideUnlessStale(jobs: readonly Job[], group: GroupContext, recollection: Recollection): Decision {
  try {
    return decideGroup(jobs, group);
  } catch (error) {
    const users = notLockedOf(recollection, group);
    if (users.length === 0) throw error;
    return decideGroup([], group);
  }
}

/** Owners of what was remembered and used, and that the group has not locked. */
function notLockedOf({ used }: Recollection, { users }: GroupContext): string[] {
  return [...used].filter((id) => !users.has(id));
}

/** Users and e-mails that the decisions turned out to concern: the group has to start again with them locked. */
function outsideOf(decision: Decision, remembered: readonly string[]): Outside | null {
  const emails = [...decision.notLoaded.values()].flatMap(({ principals }) => principals ?? []);
  const users = [...decision.notLocked, ...remembered];
  return users.length + emails.length > 0 ? { users, emails } : null;
}

/** A command that has to wait holds back all later ones of its slot, so that they stay in order. */
function withFollowers(jobs: readonly Job[], stuck: ReadonlySet<Job>): Job[] {
  const slots = new Set<number>();
  return jobs.filter((job) => {
    if (stuck.has(job)) slots.add(job.slot);
    return slots.has(job.slot);
  });
}
