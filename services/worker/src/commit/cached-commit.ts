// Commits a group from the cache: decided without a lock, and written by one statement that
// compares the owners' revisions.
import type { GroupContext } from '@taskgraph/commands/pipeline/decide-command';
import { decideGroup } from '@taskgraph/commands/pipeline/decide-group';
import { mergeReadSets, type ReadSet } from '@taskgraph/domain/state/read-set';
import type { LockedUser } from '@taskgraph/domain/state/state';
import { writeIfUnchanged } from '@taskgraph/graph-store/commit/write';
import { inSpan } from '@taskgraph/runtime/telemetry/tracing';
import type { CachedWorld } from './cache/graph-cache.ts';
import { LONGEST_OPEN_MS } from './commit-age.ts';
import { completeGroup, type Decision, throwIfLate, writePlanOf } from './group-completion.ts';
import type { GroupEnvironment } from './group-environment.ts';
import type { GroupMode } from './group-modes.ts';
import { contextOf, requestOf } from './group-preparation.ts';
import type { Job } from './job.ts';

/** The write statement waits for locks at most this long, even if the deadlines allow more. */
const LONGEST_LEFT_MS = 3_600_000;

/**
 * The result of deciding a group from the cache: committed except for `later`, or not committed and
 * left to `commitLoaded`.
 */
export type CacheAttempt =
  | { readonly later: readonly Job[] }
  | {
      /** The entities that the cache was missing. */
      readonly missing: ReadSet;
      /** Commands that exceed the bounds of a command in a group. */
      readonly tooMuch: ReadonlySet<Job>;
    };

type CacheMiss = Extract<CacheAttempt, { readonly missing: ReadSet }>;

const NOTHING_EXTRA = { users: new Set<string>(), emails: new Set<string>(), readSet: {} };
const NOT_CACHED: CacheMiss = { missing: {}, tooMuch: new Set() };

/**
 * Decides a group from the cache and commits it by one statement, which writes only if every
 * revision is unchanged. Otherwise it writes nothing and answers no command.
 */
export async function commitFromCache(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
): Promise<CacheAttempt> {
  const { graphCache, database, onCacheOutcome, longestOpenMs = LONGEST_OPEN_MS } = environment;
  const cachedWorld = graphCache.openWorld();
  const prepared = decideFromCache(jobs, mode, environment, cachedWorld);
  if ('missing' in prepared) {
    onCacheOutcome?.('lacked');
    return prepared;
  }
  const { decision, users } = prepared;
  const nowMs = environment.nowMs();
  throwIfLate(decision, nowMs);
  const decidedAtMs = performance.now();
  const plan = writePlanOf(decision, environment);
  const expected = {
    users: users.values(),
    keys: [...new Set(jobs.map(({ key }) => key))],
    leftMs: leftOf(jobs, nowMs),
    // If its locks take longer, the group is loaded and decided again.
    startByMs: Date.parse(decision.now) + longestOpenMs / 2,
    endByMs: Date.parse(decision.now) + longestOpenMs,
  };
  const written = await inSpan('write', {}, () => writeIfUnchanged(database, plan, expected, mode.timeoutMs));
  onCacheOutcome?.(written ? 'did' : 'stale');
  if (!written) return NOT_CACHED;
  completeGroup({ decision, users, cachedWorld, bumped: plan.bumped, decidedAtMs }, environment);
  return { later: decision.undecided.later };
}

/**
 * Milliseconds to the first deadline of a group. If it passes while the statement waits for locks,
 * the group goes on without the late command.
 */
function leftOf(jobs: readonly Job[], nowMs: number): number {
  return Math.min(...jobs.map(({ message }) => Math.floor(message.deadline - nowMs)), LONGEST_LEFT_MS);
}

/** A decision from the cache, with the users whose revisions it depends on. */
interface CachedDecision {
  readonly decision: Decision;
  readonly users: ReadonlyMap<string, LockedUser>;
}

/** Each round adds the owners that the last decision turned out to depend on. */
function decideFromCache(
  jobs: readonly Job[],
  mode: GroupMode,
  environment: GroupEnvironment,
  cachedWorld: CachedWorld,
): CachedDecision | CacheMiss {
  // A thread of its own decides a large command, on what it loads.
  if (mode.bounds.large) return NOT_CACHED;
  const { locks, readSet } = requestOf(jobs, NOTHING_EXTRA, environment);
  if (locks.nodes.length + locks.links.length + (readSet.principals?.length ?? 0) > 0) return NOT_CACHED;
  const concerned = new Set(locks.users);
  let work = 0;
  // The bound on work also bounds the rounds: each may add one owner.
  while (work <= mode.work.group) {
    const users = cachedWorld.users(concerned);
    if (users === null) return NOT_CACHED;
    const context = contextOf({ world: cachedWorld.world, users, stored: new Map() }, mode, environment);
    cachedWorld.beginDecision(users);
    const decision = decideOrNull(jobs, context);
    if (decision === null) return NOT_CACHED;
    const { notLoaded, notLocked, tooMuch } = decision.undecided;
    work += decision.work;
    if (notLoaded.size + tooMuch.size > 0) {
      return { missing: mergeReadSets([...notLoaded.values()]), tooMuch: new Set(tooMuch.keys()) };
    }
    const more = [...notLocked, ...cachedWorld.used].filter((id) => !concerned.has(id));
    if (more.length === 0) return { decision, users };
    for (const id of more) concerned.add(id);
  }
  return NOT_CACHED;
}

/**
 * Null if the decision throws: entries of several owners may be of different times, and then break
 * rules that every real graph keeps.
 */
function decideOrNull(jobs: readonly Job[], context: GroupContext): Decision | null {
  try {
    return decideGroup(jobs, context);
  } catch {
    // An error of the decision itself recurs on the loaded world, and is thrown there.
    return null;
  }
}
