// A group on what the worker remembers: decided without a lock, and committed by one statement that compares.
import type { GroupContext } from '@taskgraph/commands/pipeline/decide-command';
import { decideGroup } from '@taskgraph/commands/pipeline/decide-group';
import { readSetOf } from '@taskgraph/commands/pipeline/initial-read-set';
import { mergeReadSets, type ReadSet } from '@taskgraph/domain/state/read-set';
import type { LockedUser } from '@taskgraph/domain/state/state';
import { writeIfUnchanged } from '@taskgraph/graph-store/commit/write';
import { inSpan } from '@taskgraph/runtime/telemetry/tracing';
import { type Decision, finish, newIdsOf, planOf, refuseLate, tellAhead } from './finish-group.ts';
import type { GroupEnvironment } from './group-environment.ts';
import type { GroupMode } from './group-modes.ts';
import type { Job } from './job.ts';
import type { Recollection } from './memory/graph-memory.ts';

/** Deadlines may be as far away as they like. */
const LONGEST_LEFT_MS = 3_600_000;

/** The result of deciding a group from the cache: committed except for `later`, or not committed and left to `commitLoaded`. */
export type CacheAttempt =
  | { readonly later: readonly Job[] }
  | {
      /** The entities that the cache was missing. */
      readonly lacks: ReadSet;
      /** Commands that exceed the bounds of a command in a group. */
      readonly tooMuch: ReadonlySet<Job>;
    };

const NOTHING_KNOWN = { lacks: {}, tooMuch: new Set<Job>() };

/**
 * Decides a group on what is remembered, and commits it by one statement that writes where nothing of that has changed. Where that can't be, nothing
 * is written and nobody answered.
 */
export async function commitRemembered(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
): Promise<CacheAttempt> {
  const { memory, database, onRecollection } = environment;
  const recollection = memory.recollect();
  const prepared = decideRemembered(jobs, mode, environment, recollection);
  if ('lacks' in prepared) {
    onRecollection?.('lacked');
    return prepared;
  }
  const { decision, users } = prepared;
  const nowMs = environment.nowMs();
  refuseLate(decision, nowMs);
  const decidedAtMs = performance.now();
  const plan = planOf(decision);
  const expected = {
    users: users.values(),
    keys: [...new Set(jobs.map(({ key }) => key))],
    leftMs: leftOf(jobs, nowMs),
  };
  const written = await inSpan('write', {}, () => writeIfUnchanged(database, plan, expected, mode.timeoutMs));
  onRecollection?.(written ? 'did' : 'stale');
  if (!written) return NOTHING_KNOWN;
  finish({ decision, users, recollection, bumped: plan.bumped, decidedAtMs }, environment);
  return { later: decision.later };
}

/** Milliseconds to the first deadline of a group; where it passes while locks are waited for, the group goes on without the late command. */
function leftOf(jobs: readonly Job[], nowMs: number): number {
  return Math.min(...jobs.map(({ message }) => Math.floor(message.deadline - nowMs)), LONGEST_LEFT_MS);
}

type Remembered =
  | { readonly decision: Decision; readonly users: ReadonlyMap<string, LockedUser> }
  | Extract<CacheAttempt, { readonly lacks: ReadSet }>;

/** Decides on what is remembered, of as many owners as that turns out to concern. */
function decideRemembered(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  recollection: Recollection,
): Remembered {
  // A large command is decided in a thread of its own, on what it loads.
  if (mode.bounds.large) return NOTHING_KNOWN;
  const readSet = mergeReadSets(jobs.map((job) => readSetOf(job, environment.owners)));
  const lock = environment.owners.lockRequest(jobs, readSet, { users: new Set(), emails: new Set() });
  if (lock.nodes.length + lock.links.length + (readSet.principals?.length ?? 0) > 0) return NOTHING_KNOWN;
  const concerned = new Set(lock.users);
  let work = 0;
  // Each time some owner more: one after the other they would keep the main loop for long.
  while (work <= mode.work.group) {
    const users = recollection.users(concerned);
    if (users === null) return NOTHING_KNOWN;
    const now = new Date(environment.nowMs()).toISOString();
    tellAhead(users, now, environment);
    recollection.decided(users);
    const { world } = recollection;
    const context = { ...newIdsOf(environment), world, users, stored: new Map(), now, bounds: mode.work };
    const decision = decideOrNull(jobs, context);
    if (decision === null) return NOTHING_KNOWN;
    const { notLoaded, tooMuch } = decision;
    work += decision.work;
    if (notLoaded.size + tooMuch.size > 0) {
      return { lacks: mergeReadSets([...notLoaded.values()]), tooMuch: new Set(tooMuch.keys()) };
    }
    const more = [...decision.notLocked, ...recollection.used].filter((id) => !concerned.has(id));
    if (more.length === 0) return { decision, users };
    for (const id of more) concerned.add(id);
  }
  return NOTHING_KNOWN;
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
