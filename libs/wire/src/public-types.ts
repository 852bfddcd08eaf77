// The types of the public contract: entities, answers, pushes, payloads and codes, inferred from
// their schemas. Published packages import only the types, so that no schema enters a client's
// bundle.
import type { z } from 'zod';
import type * as entities from './entities.ts';
import type { ErrorCode as DeclaredCode } from './error-codes.ts';
import type * as accounts from './operations/account-answers.ts';
import type * as administration from './operations/admin/admin-answers.ts';
import type * as answers from './operations/answers.ts';
import type * as imports from './operations/imports/import-answers.ts';
import type { EventName, NameOf, OPERATIONS } from './operations/operations.ts';
import type { PUSHES, PushName } from './operations/pushes.ts';
import type * as webhooks from './operations/webhooks/webhook-answers.ts';
import type { WebhookBody } from './webhooks/webhook-bodies.ts';

type AnswerTo<E extends EventName> = z.output<(typeof OPERATIONS)[E]['answer']>;

/** Any error code of the service. */
export type ErrorCode = DeclaredCode;

// Entities.
export type Actor = z.output<typeof entities.actor>;
export type Node = z.output<typeof entities.wireNode>;
export type Link = z.output<typeof entities.wireLink>;
export type Grant = z.output<typeof entities.wireGrant>;
export type PageLink = z.output<typeof entities.pageLink>;
export type TrashNode = z.output<typeof entities.trashNode>;
export type TrashLink = z.output<typeof entities.trashLink>;
export type Ids = z.output<typeof answers.ids>;

// Answers of commands.
export type Changed = z.output<typeof answers.changed>;
export type Diff = Changed['diff'];
export type NodeEntry = Diff['nodes'][number];
export type LinkEntry = Diff['links'][number];
export type GrantEntry = Diff['access'][number];
export type NodePatch = NodeEntry['after'];
export type LinkPatch = LinkEntry['after'];
export type GrantPatch = GrantEntry['after'];
export type VisibilityChange = NonNullable<Changed['sight']>;
export type Claimed = z.output<typeof answers.claimed>;
export type BatchRun = z.output<typeof answers.batchRun>;
export type OperationResult = BatchRun['results'][number];
export type Undone = z.output<typeof answers.undone>;
export type Redone = z.output<typeof answers.redone>;
export type RevertedDiff = Undone['diff'];
export type RevertedNodeEntry = RevertedDiff['nodes'][number];
export type RevertedLinkEntry = RevertedDiff['links'][number];
export type RevertedGrantEntry = NonNullable<RevertedDiff['access']>[number];

// Answers of reads.
export type Nodes = AnswerTo<'node:get'>;
export type MissingNode = Nodes['missing'][number];
export type FoundNodes = AnswerTo<'node:find'>;
export type GraphPage = z.output<typeof answers.graphPage>;
export type TrashPage = z.output<typeof answers.trashPageAnswer>;
export type HistoryPage = z.output<typeof answers.historyPageAnswer>;
export type HistoryBatch = HistoryPage['batches'][number];
export type Operation = HistoryBatch['ops'][number];
export type Changes = z.output<typeof answers.changes>;
export type ResetRequired = Extract<Changes, { resetRequired: true }>;
export type ChangesPage = Exclude<Changes, ResetRequired>;
export type Grants = z.output<typeof answers.grants>;
export type Plan = AnswerTo<'graph:plan'>;
export type PlannedNode = Plan['nodes'][number];
export type Why = AnswerTo<'node:why'>;
export type Blocker = Why['blockedBy'][number];
export type AccessPath = Why['access'][number];

// Answers of account routes.
export type Capabilities = z.output<typeof accounts.capabilities>;
export type Done = z.output<typeof accounts.done>;
export type SignedIn = z.output<typeof accounts.signedIn>;
export type Me = z.output<typeof accounts.me>;
export type Registered = z.output<typeof accounts.registered>;
export type Sessions = z.output<typeof accounts.sessions>;
export type Session = Sessions['sessions'][number];
export type ApiTokens = z.output<typeof accounts.tokens>;
export type ApiToken = ApiTokens['tokens'][number];
export type Scope = ApiToken['scopes'][number];
export type NewApiToken = z.output<typeof accounts.newToken>;
export type Bots = z.output<typeof accounts.bots>;
export type Bot = Bots['bots'][number];
export type NewBot = z.output<typeof accounts.newBot>;
export type Calendars = z.output<typeof accounts.calendars>;
export type Calendar = Calendars['calendars'][number];
export type NewCalendar = z.output<typeof accounts.newCalendar>;
export type Webhooks = z.output<typeof webhooks.hooks>;
export type Webhook = Webhooks['hooks'][number];
export type NewWebhook = z.output<typeof webhooks.newHook>;
export type ChangedWebhook = z.output<typeof webhooks.changedHook>;
export type ReplayedWebhook = z.output<typeof webhooks.replayedHook>;
export type WebhookDeliveries = z.output<typeof webhooks.deliveries>;
export type WebhookDelivery = WebhookDeliveries['deliveries'][number];
export type ImportSources = z.output<typeof imports.importSources>;
export type ImportSource = ImportSources['sources'][number];
export type ImportRun = z.output<typeof imports.importSource>;
export type ImportRows = z.output<typeof imports.importRows>;
export type ImportTask = ImportRows['tasks'][number];
export type ImportLink = ImportRows['links'][number];
export type ImportBatch = ImportRows['batches'][number];
export type ImportRevert = z.output<typeof imports.revertedRows>;
export type Users = z.output<typeof administration.users>;
export type User = Users['users'][number];
export type FoundUser = z.output<typeof administration.foundUser>;
export type ServiceStatus = z.output<typeof administration.status>;
export type ServiceProcess = ServiceStatus['services'][number];
export type LeaseTable = NonNullable<ServiceStatus['leases']>;
export type ServiceDetails = z.output<typeof administration.serviceDetails>;
export type UserSessions = z.output<typeof administration.userSessions>;
export type UserSession = UserSessions['sessions'][number];
export type UserTokens = z.output<typeof administration.userTokens>;
export type UserToken = UserTokens['tokens'][number];
export type UserWebhooks = z.output<typeof administration.userHooks>;
export type UserWebhook = UserWebhooks['hooks'][number];

// Messages to webhooks.
export type GraphChangedMessage = WebhookBody<'graph.changed'>;
export type GraphDueMessage = WebhookBody<'graph.due'>;
export type GraphResetMessage = WebhookBody<'graph.reset'>;
export type HookPingMessage = WebhookBody<'hook.ping'>;
export type WebhookEvent = GraphChangedMessage['data']['events'][number];
export type WebhookBatch = GraphChangedMessage['data']['batches'][number];
export type WebhookDueEvent = GraphDueMessage['data']['events'][number];
export type WebhookMessage = GraphChangedMessage | GraphDueMessage | GraphResetMessage | HookPingMessage;

// Pushes.
export type Connected = PushTypes['connected'];
export type GraphDiff = PushTypes['graph:diff'];
export type LongSlice = Extract<GraphDiff, { truncated: true }>;
export type Slice = Extract<GraphDiff, { user: unknown }>;
export type PublicSlice = Exclude<GraphDiff, LongSlice | Slice>;
export type AccessChanged = PushTypes['access:changed'];
export type FeedsHeads = PushTypes['feeds:heads'];
export type Unpublished = PushTypes['unpublished'];
export type RateLimited = PushTypes['rate_limited'];
export type RequestError = PushTypes['request_error'];
export type Closing = PushTypes['closing'];

// Former names.
/** @deprecated Use `VisibilityChange`. */
export type Sight = VisibilityChange;
/** @deprecated Use `BatchRun`. */
export type Ran = BatchRun;
/** @deprecated Use `OperationResult`. */
export type Result = OperationResult;
/** @deprecated Use `AccessPath`. */
export type Way = AccessPath;

/** Each push by its event. */
export type PushTypes = { [N in PushName]: z.output<(typeof PUSHES)[N]['payload']> };

/** The names of the reads. */
export type ReadName = NameOf<'read'>;

/**
 * The payload over a socket and the answer of each event. As an interface it is resolved, and
 * `CallTypes[E]` has the constraint of all payloads.
 */
export interface CallTypes extends CallsByEvent {}

type CallsByEvent = { [E in EventName]: { payload: PayloadOf<E>; answer: AnswerTo<E> } };

type SocketOf<E extends EventName> = (typeof OPERATIONS)[E]['transports']['socket'];

type PayloadOf<E extends EventName> = E extends 'batch:run'
  ? { operations: BatchOperation[] }
  : Implied<SocketPayload<E>, SocketOf<E>>;

type SocketPayload<E extends EventName> =
  SocketOf<E> extends { payload: infer P extends z.ZodObject }
    ? z.input<P>
    : z.input<(typeof OPERATIONS)[E]['payload']>;

/** A connection by public token may omit the field that the token implies. */
type Implied<P, S> = S extends { implied: infer F extends keyof P }
  ? Flat<Omit<P, F> & { [K in F]?: P[K] | undefined }>
  : P;

type Flat<T> = { [K in keyof T]: T[K] };

type InputOperation = z.input<(typeof OPERATIONS)['batch:run']['payload']>['operations'][number];

/** The schema accepts any event, so that an unknown one has its own error code. */
type BatchOperation = { [K in keyof InputOperation]: K extends 'event' ? OperationEvent : InputOperation[K] };

type OperationEvent = Exclude<
  NameOf<'command'>,
  'batch:undo' | 'batch:redo' | 'batch:run' | 'node:claim' | 'node:claim:renew' | 'node:claim:release'
>;
