// The root of the package: everything that programs and pages import from `@taskgraph/client`.

export { foldText } from '@taskgraph/domain/find/fold-text';
export type * from '@taskgraph/wire/public-types';
export { account, capabilities, forgotPassword, signIn, signInByLink } from './account/account.ts';
export { bots } from './account/bots.ts';
export { type CalendarFields, calendars } from './account/calendars.ts';
export { type ImportRowChanges, type ImportSourceCalls, type ImportStart, imports } from './account/imports.ts';
export { type WebhookChanges, type WebhookFields, webhooks } from './account/webhooks.ts';
export type {
  Calls,
  Changed,
  Changes,
  ChangesPage,
  EventName,
  GraphPage,
  HistoryBatch,
  HistoryPage,
  NodeField,
  SelectedAnswer,
  SelectivePayload,
  SelectiveRead,
  TrashPage,
} from './calls.ts';
export { isRead } from './calls.ts';
export type { ChangesOptions } from './change-poll.ts';
export { type CallOptions, type ConnectOptions, connect, type TaskgraphClient } from './connect.ts';
export { TaskgraphError, type TaskgraphErrorCode } from './error.ts';
export type { FollowedPage, FollowOptions, HistoryQuery } from './follow-history.ts';
export { type Entity, emptyGraph, type GraphState, mergeDiff, mergePage, movedIn } from './merge-diff.ts';
export { isProvisional, provisionalId } from './offline/optimistic-patches.ts';
export type { Refusal } from './offline/outbox.ts';
export type { RateLimitWait } from './rate-limit-wait.ts';
export type { CommandName, Replica } from './replica/contract.ts';
export { openReplica, type ReplicaOptions } from './replica/open-replica.ts';
export { storedGraph } from './replica/persistence.ts';
export type { ReplicaEvents, ReplicaState } from './replica/replica-events.ts';
export { findNodes, type SearchContext } from './replica/replica-find.ts';
export type { PlanOptions, ReplicaPlan } from './replica/replica-plan.ts';
export type { NodeSearch } from './replica/search-check.ts';
export type { Snapshot } from './replica/view.ts';
export { type RestClient, rest } from './rest.ts';
export type { AccessChanged, Connected, Unpublished } from './session.ts';
export type { DiffEntry, Gap, Slice } from './slice-order.ts';
export type { Credentials } from './socket.ts';
export { type FallbackStorage, fallbackStorage } from './storage/fallback-storage.ts';
export { deleteForeignIndexedDb, deleteIndexedDb, indexedDbStorage } from './storage/indexed-db-storage.ts';
export { memoryStorage } from './storage/memory-storage.ts';
export type { ReplicaStorage } from './storage/storage.ts';
export { compareText } from './values/collation.ts';
export { dayOf, dueDateOf, dueMs, dueText, momentOf, momentText, TimeFault } from './values/days.ts';
