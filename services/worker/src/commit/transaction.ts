// One group in one transaction: lock the owners, load the world, decide each command, write all, commit.
import { aheadMs } from '@taskgraph/commands/pipeline/batch-times';
import type { GroupContext } from '@taskgraph/commands/pipeline/decide-command';
import { decideGroup, type GroupDecision } from '@taskgraph/commands/pipeline/decide-group';
import { readSetOf } from '@taskgraph/commands/pipeline/initial-read-set';
import { newExpirations } from '@taskgraph/commands/pipeline/new-expirations';
import { mergeReadSets, sizeOf, touches } from '@taskgraph/domain/state/read-set';
import { emptyWorld, type World } from '@taskgraph/domain/state/world';
import { loadInto } from '@taskgraph/graph-store/commit/load';
import type { LoadPlans } from '@taskgraph/graph-store/commit/load/plans';
import { lockOwners, lockPrincipals } from '@taskgraph/graph-store/commit/lock';
import { writeGroup } from '@taskgraph/graph-store/commit/write';
import type { Database, OpenTransaction } from '@taskgraph/graph-store/driver/database';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import { inSpan } from '@taskgraph/runtime/telemetry/tracing';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import type { ControlMessage, Expiration, ReplyMessage, SliceMessage } from '@taskgraph/wire/messages';
import type { GroupMode } from './group-modes.ts';
import type { Job } from './job.ts';
import type { OwnerCache } from './owner-cache.ts';

export interface GroupEnvironment {
  readonly database: Database;
  readonly owners: OwnerCache;
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
/** Owners may turn out to be outside the locked set this often before a group gives up; each time the set grows. */
const MAXIMUM_RELOCKS = 8;

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
  const extra: Extra = { users: new Set(), emails: new Set() };
  for (let attempt = 0; attempt <= MAXIMUM_RELOCKS; attempt++) {
    const transaction = environment.database.begin(timeoutOf(jobs, mode, environment.nowMs()));
    let committed = false;
    try {
      const prepared = await prepare(transaction, jobs, mode, environment, extra);
      if ('outside' in prepared) {
        for (const owner of prepared.outside.users) extra.users.add(owner);
        for (const email of prepared.outside.emails) extra.emails.add(email);
        continue;
      }
      const { decision, left } = prepared;
      const decidedAtMs = performance.now();
      if (decision.batches.length > 0) {
        const { changes, batches, heads: feeds, nodeOf, times } = decision;
        await inSpan('write', {}, async () => {
          await writeGroup(transaction, { changes, batches, feeds, nodeOf, lastTs: times.newest });
          refuseLate(decision, environment.nowMs());
          await transaction.commit();
        });
        committed = true;
        publishDecision(decision, environment);
      }
      for (const [job, reply] of decision.replies) job.answer(reply);
      const { now, replies, before, after } = decision;
      environment.onGroup?.({ decidedAtMs, now, replies, before, after });
      return left;
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

type Prepared = { decision: Decision; left: Job[] } | { outside: Outside };

/** Users and e-mails that turned out to be concerned and are not locked. */
interface Outside {
  readonly users: readonly string[];
  readonly emails: readonly string[];
}

/** Locks besides what the commands name. */
interface Extra {
  readonly users: Set<string>;
  readonly emails: Set<string>;
}

async function prepare(
  transaction: OpenTransaction,
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  extra: Extra,
): Promise<Prepared> {
  const world = emptyWorld();
  const readSet = mergeReadSets(jobs.map((job) => readSetOf(job, environment.owners)));
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
  const users = new Map(locked.map((user) => [user.id, user]));
  for (const { email, userId } of principals) world.principals.set(email, userId);
  const now = new Date(environment.nowMs()).toISOString();
  const ahead = aheadMs(users, now);
  if (ahead > CLOCK_TOLERANCE_MS) environment.onAhead?.(ahead);
  const group = {
    world,
    users,
    stored: loaded.batches,
    now,
    newId: environment.newId,
    newToken: environment.newToken,
  };
  return decideInRounds(transaction, jobs, group, mode, environment, new Set(loaded.overflowing));
}

/** Decides, loads what was missing under the same locks, and decides again, until nothing is missing. */
async function decideInRounds(
  transaction: OpenTransaction,
  jobs: readonly Job[],
  group: GroupContext,
  mode: GroupMode,
  environment: GroupEnvironment,
  overflowing: Set<string>,
): Promise<Prepared> {
  let left: Job[] = [];
  for (let round = 0; ; round++) {
    const notLocked = environment.owners.learn(group.world, group.users);
    if (notLocked.length > 0) return { outside: { users: notLocked, emails: [] } };
    const deciding = jobs.filter((job) => !left.includes(job));
    const decision = decideGroup(deciding, group);
    const outside = outsideOf(decision);
    if (outside !== null) return { outside };
    if (decision.notLoaded.size === 0) return { decision, left };
    const { large, entities } = mode.bounds;
    const stuck = [...decision.notLoaded].filter(
      ([, readSet]) => round >= mode.rounds || touches(readSet, overflowing) || (!large && sizeOf(readSet) > entities),
    );
    if (stuck.length > 0) {
      if (large) return { decision: refuseTooLarge(decision, entities), left: [] };
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

/** Users and e-mails that the decisions turned out to concern: the group has to start again with them locked. */
function outsideOf(decision: Decision): Outside | null {
  const emails = [...decision.notLoaded.values()].flatMap(({ principals }) => principals ?? []);
  return decision.notLocked.size + emails.length > 0 ? { users: [...decision.notLocked], emails } : null;
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
