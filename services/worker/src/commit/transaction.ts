// One group in one transaction: lock the owners, load the world, decide each command, write all, commit.
import { aheadMs } from '@taskgraph/commands/pipeline/batch-times';
import { bumpedOwners } from '@taskgraph/commands/pipeline/bumped-owners';
import type { GroupContext } from '@taskgraph/commands/pipeline/decide-command';
import { decideGroup, type GroupDecision } from '@taskgraph/commands/pipeline/decide-group';
import { readSetOf } from '@taskgraph/commands/pipeline/initial-read-set';
import { newExpirations } from '@taskgraph/commands/pipeline/new-expirations';
import { mergeReadSets, type ReadSet, sizeOf, touches } from '@taskgraph/domain/state/read-set';
import type { LockedUser } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import { loadInto } from '@taskgraph/graph-store/commit/load';
import type { LoadPlans } from '@taskgraph/graph-store/commit/load/plans';
import { lockOwners, lockPrincipals } from '@taskgraph/graph-store/commit/lock';
import { type WritePlan, writeGroup, writeIfUnchanged } from '@taskgraph/graph-store/commit/write';
import type { Database, OpenTransaction } from '@taskgraph/graph-store/driver/database';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import { inSpan } from '@taskgraph/runtime/telemetry/tracing';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import type { ControlMessage, Expiration, ReplyMessage, SliceMessage } from '@taskgraph/wire/messages';
import type { GroupMode } from './group-modes.ts';
import type { Job } from './job.ts';
import { createGraphMemory, type GraphMemory, type Recollection } from './memory/graph-memory.ts';
import type { OwnerCache } from './owner-cache.ts';

export interface GroupEnvironment {
  readonly database: Database;
  readonly owners: OwnerCache;
  readonly memory: GraphMemory;
  /** The statement that loads these parts of the world. */
  readonly loadStatementFor: LoadPlans['statementFor'];
  readonly newId: (slot: number) => string;
  readonly nowMs: () => number;
  readonly newToken: () => string;
  /** Sends the slices of a committed group on their way, the control message to gateways whose rooms moved, and to jobs what ends when. */
  readonly publish: (slices: SliceMessage[], control: ControlMessage, expirations: Expiration[]) => void;
  /** Told of a failure of `publish`: what is committed is answered all the same, and the hole heals. */
  readonly onUnpublished: (error: unknown) => void;
  /** Told of each group that was done, refusals included. */
  readonly onGroup?: (group: DoneGroup) => void;
  /** Told of each group that was tried on what is remembered: whether that did, lacked something, or had changed since. */
  readonly onRecollection?: (outcome: RecollectionOutcome) => void;
  /** Told of each transaction that failed. */
  readonly onFailure?: (failure: Failure) => void;
  /** Told of each command that was refused as its deadline had passed. */
  readonly onLate?: () => void;
  /** Told of a group in which an owner's newest batch is later than now, by so many milliseconds: some worker's clock was wrong. */
  readonly onAhead?: (aheadMs: number) => void;
}

/** Thrown right before the commit, where a command of the group is past its deadline: it may not be done any more. Nothing is written then. */
export class Late extends Error {}

/** A group that was decided, and committed if it wrote anything. */
export interface DoneGroup {
  /** Milliseconds of this process's monotonic clock at the decision, which falls between the locks and the commit. */
  readonly decidedAtMs: number;
  /** The time of its batches, save those that follow a later one of their owners. */
  readonly now: string;
  /** In the order of their decisions. */
  readonly replies: ReadonlyMap<Job, ReplyMessage>;
  /** The world that it was decided on, and as it was decided to be: what a reload has to bring. */
  readonly before: World;
  readonly after: World;
}

/** Clocks of workers may differ by this much without anybody being told. */
const CLOCK_TOLERANCE_MS = 1_000;
/** Large commands load whole branches in one go, which what is known in part would only break up. */
const NO_MEMORY = createGraphMemory(0);
/** Owners may turn out to be outside the locked set this often before a group gives up; each time the set grows. */
const MAXIMUM_RELOCKS = 8;
/** The server's time for a transaction, where none is given (`db.transaction.timeout`). */
const TRANSACTION_MS = 3_000;

export type RecollectionOutcome = 'did' | 'lacked' | 'stale';

/**
 * Commits a group and answers its jobs. Returns the jobs that must have a transaction of their own, in order: they are not
 * answered, and nothing of them is written. Throws what the database throws; then nothing was written, or the commit's outcome
 * is unknown and the jobs' keys tell.
 */
export async function commitGroup(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
): Promise<Job[]> {
  const wished = await commitRemembered(jobs, mode, environment);
  return wished === null ? [] : commitLoaded(jobs, mode, environment, wished);
}

/**
 * Decides a group on what is remembered, and commits it by one statement that writes where nothing of that has changed. Gives null where the
 * group is done, and otherwise what it lacked, for the way that loads; then nothing is written and nobody answered.
 */
async function commitRemembered(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
): Promise<ReadSet | null> {
  const { memory, database, onRecollection } = environment;
  const recollection = memory.recollect();
  const prepared = decideRemembered(jobs, mode, environment, recollection);
  if ('lacks' in prepared) {
    onRecollection?.('lacked');
    return prepared.lacks;
  }
  const { decision, users } = prepared;
  const nowMs = environment.nowMs();
  refuseLate(decision, nowMs);
  const decidedAtMs = performance.now();
  const plan = planOf(decision);
  const expected = { users: users.values(), keys: [...new Set(jobs.map(({ key }) => key))] };
  const written = await inSpan('write', {}, () =>
    writeIfUnchanged(database, plan, expected, timeToDeadline(jobs, mode, nowMs)),
  );
  onRecollection?.(written ? 'did' : 'stale');
  if (!written) return {};
  finish({ decision, users, recollection, bumped: plan.bumped, decidedAtMs }, environment);
  return null;
}

/** It may take as long as any transaction, but not past a deadline: its sender is told then that it is not known to be done. */
function timeToDeadline(jobs: readonly Job[], { timeoutMs }: GroupMode, nowMs: number): number | undefined {
  const left = Math.ceil(Math.min(...jobs.map(({ message }) => message.deadline)) - nowMs);
  if (timeoutMs !== undefined) return Math.max(1, Math.min(timeoutMs, left));
  return left < TRANSACTION_MS ? Math.max(1, left) : undefined;
}

type Remembered =
  | { readonly decision: Decision; readonly users: ReadonlyMap<string, LockedUser> }
  | { readonly lacks: ReadSet };

/** Decides on what is remembered, of as many owners as that turns out to concern. */
function decideRemembered(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  recollection: Recollection,
): Remembered {
  // A large command is decided in a thread of its own, on what it loads.
  if (mode.bounds.large) return { lacks: {} };
  const readSet = mergeReadSets(jobs.map((job) => readSetOf(job, environment.owners)));
  const lock = environment.owners.lockRequest(jobs, readSet, { users: new Set(), emails: new Set() });
  if (lock.nodes.length + lock.links.length + (readSet.principals?.length ?? 0) > 0) return { lacks: {} };
  const concerned = new Set(lock.users);
  for (;;) {
    const users = recollection.users(concerned);
    if (users === null) return { lacks: {} };
    const now = new Date(environment.nowMs()).toISOString();
    tellAhead(users, now, environment);
    recollection.decided(users.values());
    const { world } = recollection;
    const decision = decideOrNull(jobs, { ...newIdsOf(environment), world, users, stored: new Map(), now });
    if (decision === null) return { lacks: {} };
    if (decision.notLoaded.size > 0) return { lacks: mergeReadSets([...decision.notLoaded.values()]) };
    const more = [...decision.notLocked, ...recollection.used].filter((id) => !concerned.has(id));
    if (more.length === 0) return { decision, users };
    for (const id of more) concerned.add(id);
  }
}

/** The memory of one owner may be stale, and that of another not: together they may be a graph that never was. */
function decideOrNull(jobs: readonly Job[], group: GroupContext): Decision | null {
  try {
    return decideGroup(jobs, group);
  } catch {
    // A mistake of the decision itself comes up again on what is loaded, and is thrown there.
    return null;
  }
}

/** Locks, loads what is not remembered, decides, writes and commits. */
async function commitLoaded(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  wished: ReadSet,
): Promise<Job[]> {
  const extra: Extra = { users: new Set(), emails: new Set() };
  for (let attempt = 0; attempt <= MAXIMUM_RELOCKS; attempt++) {
    const transaction = environment.database.begin(timeoutOf(jobs, mode, environment.nowMs()));
    let committed = false;
    try {
      const prepared = await prepare(transaction, jobs, mode, environment, { extra, wished });
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
          refuseLate(decision, environment.nowMs());
          await transaction.commit();
        });
        committed = true;
      }
      finish({ decision, users, recollection, bumped: plan.bumped, decidedAtMs }, environment);
      return left;
    } finally {
      if (!committed) await transaction.rollback();
    }
  }
  throw new Error('the owners concerned keep changing');
}

function planOf(decision: Decision): WritePlan {
  const { changes, batches, heads: feeds, nodeOf, times } = decision;
  return { changes, batches, feeds, nodeOf, bumped: bumpedOwners(decision), lastTs: times.newest };
}

interface Finished {
  readonly decision: Decision;
  readonly users: ReadonlyMap<string, LockedUser>;
  readonly recollection: Recollection;
  readonly bumped: ReadonlySet<string>;
  readonly decidedAtMs: number;
}

/** Nothing of a group is left to be done in the database: it is remembered, told and answered. */
function finish({ decision, users, recollection, bumped, decidedAtMs }: Finished, environment: GroupEnvironment): void {
  const { now, replies, before, after, heads, times } = decision;
  environment.owners.learn(after, users);
  recollection.keep({ users, before, after, bumped, heads, newest: times.newest });
  if (decision.batches.length > 0) publishDecision(decision, environment);
  for (const [job, reply] of replies) job.answer(reply);
  environment.onGroup?.({ decidedAtMs, now, replies, before, after });
}

/** A large command that has no time left would only hold its locks: it is not committed past its deadline anyway. */
function timeoutOf(jobs: readonly Job[], { timeoutMs }: GroupMode, nowMs: number): number | undefined {
  if (timeoutMs === undefined) return undefined;
  const left = Math.max(...jobs.map(({ message }) => message.deadline)) - nowMs;
  // 0 would mean that there is no bound.
  return Math.max(1, Math.min(timeoutMs, Math.ceil(left)));
}

/** The sender of a command was told at its deadline that it is not known to be done, and may have sent another one since. */
function refuseLate({ replies }: Decision, nowMs: number): void {
  for (const [{ message }, { ok }] of replies) if (ok && message.deadline <= nowMs) throw new Late();
}

/** Nothing that fails here may reach the callers, who are still to be told that their commands are done. */
function publishDecision({ slices, control, changes }: Decision, { publish, onUnpublished }: GroupEnvironment): void {
  try {
    publish(slices, { readers: [...control.readers], feeds: [...control.feeds.values()] }, newExpirations(changes));
  } catch (error) {
    onUnpublished(error);
  }
}

type Decision = GroupDecision<Job>;

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
  { extra, wished }: Wishes,
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
      loadInto(transaction, world, readSet, mode.bounds, keys, environment.loadStatementFor),
    ]),
  );
  recollection.confirm(locked);
  const users = new Map(locked.map((user) => [user.id, user]));
  for (const { email, userId } of principals) world.principals.set(email, userId);
  const now = new Date(environment.nowMs()).toISOString();
  tellAhead(users, now, environment);
  const group = { ...newIdsOf(environment), world, users, stored: loaded.batches, now };
  return decideInRounds(transaction, jobs, { group, recollection }, mode, environment, new Set(loaded.overflowing));
}

function newIdsOf({ newId, newToken }: GroupEnvironment) {
  return { newId, newToken };
}

function tellAhead(users: ReadonlyMap<string, LockedUser>, now: string, { onAhead }: GroupEnvironment): void {
  const ahead = aheadMs(users, now);
  if (ahead > CLOCK_TOLERANCE_MS) onAhead?.(ahead);
}

/** Decides, loads what was missing under the same locks, and decides again, until nothing is missing. */
async function decideInRounds(
  transaction: OpenTransaction,
  jobs: readonly Job[],
  { group, recollection }: { readonly group: GroupContext; readonly recollection: Recollection },
  mode: GroupMode,
  environment: GroupEnvironment,
  overflowing: Set<string>,
): Promise<Prepared> {
  const { users } = group;
  let left: Job[] = [];
  for (let round = 0; ; round++) {
    const notLocked = environment.owners.learn(group.world, users);
    if (notLocked.length > 0) return { outside: { users: notLocked, emails: [] } };
    const deciding = jobs.filter((job) => !left.includes(job));
    recollection.decided(users.values());
    const decision = decideUnlessStale(deciding, group, recollection);
    const outside = outsideOf(decision, notLockedOf(recollection, group));
    if (outside !== null) return { outside };
    if (decision.notLoaded.size === 0) return { decision, left, users, recollection };
    const { large, entities } = mode.bounds;
    const stuck = [...decision.notLoaded].filter(
      ([, readSet]) => round >= mode.rounds || touches(readSet, overflowing) || (!large && sizeOf(readSet) > entities),
    );
    if (stuck.length > 0) {
      if (large) return { decision: refuseTooLarge(decision, entities), left: [], users, recollection };
      left = withFollowers(jobs, new Set([...left, ...stuck.map(([job]) => job)]));
      continue;
    }
    const missing = mergeReadSets([...decision.notLoaded.values()]);
    const loaded = await inSpan('load', { 'taskgraph.round': round + 1 }, () =>
      loadInto(transaction, group.world, missing, mode.bounds, [], environment.loadStatementFor),
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

function refuseTooLarge(decision: Decision, entities: number): Decision {
  const refusal = refuse('bad_request.too_large', `It would touch more than ${entities} entities at once.`);
  for (const job of decision.notLoaded.keys()) decision.replies.set(job, refusalReply(refusal));
  return decision;
}
