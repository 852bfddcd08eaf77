// The dependencies of group commit.
import type { World } from '@taskgraph/domain/state/world';
import type { HistoryForm } from '@taskgraph/graph-store/commit/history-rows';
import type { LoadPlans } from '@taskgraph/graph-store/commit/load/plans';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import type { GraphCache } from './cache/graph-cache.ts';
import type { Job } from './job.ts';
import type { OwnerCache } from './owner-cache.ts';

export interface GroupEnvironment {
  readonly database: Database;
  readonly owners: OwnerCache;
  readonly graphCache: GraphCache;
  /** The statement that loads these parts of the world. */
  readonly loadStatementFor: LoadPlans['statementFor'];
  readonly newId: (slot: number) => string;
  readonly nowMs: () => number;
  /** The form in which a group writes its history. */
  readonly historyForm: HistoryForm;
  readonly newToken: () => string;
  /**
   * Publishes the slices and the control message of a committed group, and to jobs the expirations.
   */
  readonly publish: (slices: SliceMessage[], control: ControlMessage, expirations: Expiration[]) => void;
  /**
   * Called when `publish` fails. The committed commands are answered all the same, and clients
   * recover from the gap.
   */
  readonly onUnpublished: (error: unknown) => void;
  /**
   * Milliseconds from the time of a group's batches to its commit. Default: LONGEST_OPEN_MS. Longer in
   * tests, whose machine may be slow.
   */
  readonly longestOpenMs?: number;
  /** Awaited right before the commit of a loaded group. Makes `isLeaseHeld` of its jobs current. */
  readonly confirm?: () => Promise<void>;
  /** Called for each completed group, refusals included. */
  readonly onGroup?: (group: GroupOutcome) => void;
  /** Called for each attempt to commit from the cache. */
  readonly onCacheOutcome?: (outcome: CacheOutcome) => void;
  /** Called for each failed transaction. */
  readonly onFailure?: (failure: Failure) => void;
  /** Called for each command that is refused because its deadline has passed. */
  readonly onLate?: () => void;
  /**
   * Called when an owner's newest batch is later than now, with the difference in milliseconds:
   * some worker's clock was wrong.
   */
  readonly onAhead?: (aheadMs: number) => void;
}

/**
 * Thrown right before the commit if a command of the group is past its deadline. Nothing is
 * written.
 */
export class DeadlinePassed extends Error {}

/**
 * Thrown right before the commit of a group whose decision is too old: readers of history might
 * have passed the time of its batches (HISX2). Nothing is written.
 */
export class DecisionTooOld extends Error {}

/** A completed group. */
export interface GroupOutcome {
  /** The time of the decision by performance.now(), between the locks and the commit. */
  readonly decidedAtMs: number;
  /** The time of its batches, except those that follow a later batch of their owners. */
  readonly now: string;
  /** In the order of the decisions. */
  readonly replies: ReadonlyMap<Job, ReplyMessage>;
  /** The worlds before and after it: a reload must return the second. */
  readonly before: World;
  readonly after: World;
}

/**
 * `did`: committed from the cache. `lacked`: something was not cached. `stale`: another worker had
 * written since.
 */
export type CacheOutcome = 'did' | 'lacked' | 'stale';
