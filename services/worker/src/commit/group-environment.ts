// The surroundings in which a worker commits groups.
import type { World } from '@taskgraph/domain/state/world';
import type { LoadPlans } from '@taskgraph/graph-store/commit/load/plans';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { Failure } from '@taskgraph/graph-store/driver/failures';
import type { ControlMessage, Expiration, ReplyMessage, SliceMessage } from '@taskgraph/wire/messages';
import type { Job } from './job.ts';
import type { GraphMemory } from './memory/graph-memory.ts';
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
  /** Awaited right before the commit of what was loaded, after which `stands` of its jobs says what counts; it says so at all times if not given. */
  readonly confirm?: () => Promise<void>;
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

/** How a try on what is remembered came out: it did, something was lacking, or something had changed since. */
export type RecollectionOutcome = 'did' | 'lacked' | 'stale';
