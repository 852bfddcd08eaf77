// One run of a webhook: delivers its messages in order, one at a time, until there is none or one
// fails. Rules: HOOK6, HOOK7, HOOK8, HOOK12, HOOK13.
//
// 1. Each attempt begins with the present state of the webhook and its user, and builds its body anew.
// 2. The range of a message is stored before its first attempt, and the position moves after a 2xx.
// 3. A step is stored only under the lease and the version that it began with. A run that has lost
//    either stops.
// 4. One transaction stores the success of a message and the range of the next one, and reads the webhook
//    and its user for it. The content of that next message is read before, so it is not used if they
//    have changed.
import type { WebhookSend, WebhookSendResult } from '@taskgraph/bus/requests/webhook-requests';
import type { Database } from '@taskgraph/graph-store/driver/database';
import {
  type DueMessage,
  type MessageInProgress,
  messageInProgress,
  type StoredDelivery,
  type StoredWebhook,
} from '@taskgraph/graph-store/webhooks/webhook-rows';
import {
  leaseWebhook,
  type RunChanges,
  type RunnableWebhook,
  type RunStep,
  releaseWebhook,
  type StoredStep,
} from '@taskgraph/graph-store/webhooks/webhook-runs';
import { prove, type Secrets } from '@taskgraph/runtime/security/signed-text';
import { openWebhookSecret } from '@taskgraph/runtime/security/webhook-secret';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { ActingUser } from '@taskgraph/wire/actor';
import type {
  DuePosition,
  DueSearchResult,
  WebhookContent,
  WebhookDueContent,
} from '@taskgraph/wire/bus/gateway-reads';
import {
  WEBHOOK_BODY_AGE_MS,
  WEBHOOK_BODY_BYTES,
  WEBHOOK_TIMEOUT_MS,
  type WebhookSendAnswer,
} from '@taskgraph/wire/bus/webhook-messages';
import { MESSAGES_A_MINUTE, type WebhookReason } from '@taskgraph/wire/webhooks/webhook-fields';
import { hostOfWebhook } from '@taskgraph/wire/webhooks/webhook-url';
import { count } from '../metrics.ts';
import { backoffMs, FAILING_MS, FAULT_MS, shortWaitMs } from './backoff.ts';
import { afterFailedRead, isDueFirst, nextSearchMs, searchMs } from './due-search.ts';
import { builtMsOf, type MessageContent, messageId, sendRequest } from './message.ts';

/** Steps of one run, which is a message or an empty range; the sweep continues the webhook. */
const MOST_STEPS = 50;
/** The time slice of a run: it begins no further message after it, so that other webhooks have theirs. */
const TIME_SLICE_MS = 2_000;
/** Attempts to build a body that is still young when it is sent. */
const MOST_BUILDS = 5;
/** After a longer read, the webhook and its user are checked again. */
const SLOW_READ_MS = 200;
/** How long the content of the next message may have been read before the success of the last one is stored. */
const LONGEST_BUILT_MS = WEBHOOK_BODY_AGE_MS / 2;
/** How long the success of a message waits for the content of the next one. */
const NEXT_READ_MS = 500;
const MINUTE_MS = 60_000;
/** A test that could not be sent for so long is dropped: its user has given up. */
const TEST_MS = 60_000;
/** After a longer attempt, the runs of other webhooks go first. */
const SLOW_ATTEMPT_MS = 1_000;
/** Longer than an attempt: the next one must not overlap with one whose service has stopped. */
const STOPPED_WAIT_MS = WEBHOOK_TIMEOUT_MS + 5_000;

export interface WebhookContentRequest {
  readonly hook: string;
  readonly root: string | null;
  readonly events: readonly string[];
  readonly where: string | null;
  readonly from: string;
  readonly to: string | null;
}

/** Which due nodes are for a webhook. */
type WebhookDueFilter = Pick<WebhookContentRequest, 'hook' | 'root' | 'where'>;

/** Asks for the content of a message about due nodes. */
export interface WebhookDueRequest extends WebhookDueFilter {
  readonly nodes: readonly DuePosition[];
}

/** Begins or continues the search for due nodes after a position. */
export interface DueSearchRequest extends WebhookDueFilter {
  readonly from: DuePosition;
  /** The time at which it ends; null if it begins. */
  readonly until: string | null;
  /** The nodes that it has found, and the bytes of their events. */
  readonly count: number;
  readonly bytes: number;
}

export interface WebhookRunDependencies {
  readonly database: Database;
  /** Stores a step of a run. */
  readonly storeStep: (step: RunStep) => Promise<StoredStep>;
  /** Reads a message as this user sees it; null if that is not possible now, or within this time. */
  readonly read: (
    user: ActingUser,
    request: WebhookContentRequest,
    withinMs?: number,
  ) => Promise<WebhookContent | null>;
  /** The same for due nodes. */
  readonly readDue: (user: ActingUser, request: WebhookDueRequest) => Promise<WebhookDueContent | null>;
  /** Searches for due nodes that this user sees; null as for `read`. */
  readonly searchDue: (user: ActingUser, request: DueSearchRequest) => Promise<DueSearchResult | null>;
  /** Sends a message; `stopped` if the service stops before the outcome is known. */
  readonly send: (request: WebhookSend) => Promise<WebhookSendResult | { readonly outcome: 'stopped' }>;
  /** When this service last delivered a message of any webhook; -Infinity for never. */
  readonly lastDeliveryMs: () => number;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly log: Log;
  readonly nowMs: () => number;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly newRunner: () => string;
  readonly stopping: AbortSignal;
}

/**
 * A step's result: the start of the next one, an order to build the body again, or the end of the run.
 * After `more` there is more to deliver at once.
 */
type Continuation = StepStart | 'again' | 'end' | 'more';

/** What a step begins with. */
interface StepStart {
  readonly found: RunnableWebhook;
  /** Before it was read. */
  readonly builtMs: number;
  /** The message in progress, if the run has already built it. */
  readonly built: BuiltMessage | null;
}

/** A message whose range is not delivered yet, with the content for its next attempt. */
interface BuiltMessage {
  readonly message: MessageInProgress;
  readonly content: MessageContent;
  /** Whether there may be more to deliver after it. */
  readonly hasMore: boolean;
  /** When the access to the content was checked last. */
  readonly checkedMs: number;
  /** The user for whom it was read. */
  readonly user: ActingUser;
  /** The sum of the heads of the user's feeds, from before the content was read. */
  readonly headsSum: string;
}

/** The end of a run. */
interface RunEnd {
  /** Whether there is more to deliver at once. */
  readonly hasMore: boolean;
  /** Whether other webhooks of the same user may wait for the end of a run. */
  readonly mayHaveQueue: boolean;
}

/** Delivers the messages of a webhook. */
export async function runWebhook(dependencies: WebhookRunDependencies, id: string): Promise<RunEnd> {
  const { database, nowMs, newRunner, stopping } = dependencies;
  const run: Run = { id, runner: newRunner(), hasLease: false, mayHaveQueue: true, mayContinue: () => false };
  const untilMs = nowMs() + TIME_SLICE_MS;
  let [start, builds]: [StepStart | null, number] = [null, 0];
  const endOf = (hasMore: boolean): RunEnd => ({ hasMore, mayHaveQueue: run.mayHaveQueue });
  try {
    for (let steps = 1; steps <= MOST_STEPS && !stopping.aborted; steps++) {
      const builtMs = nowMs();
      if (builtMs >= untilMs && start === null) return endOf(false);
      const lease = { id, runner: run.runner, now: new Date(builtMs).toISOString() };
      const found = start?.found ?? (await leaseWebhook(database, lease, run.hasLease));
      if (found === null) return endOf(false);
      run.hasLease = true;
      run.mayHaveQueue = found.mayHaveQueue;
      run.mayContinue = () => steps < MOST_STEPS && !stopping.aborted && nowMs() < untilMs;
      builds++;
      const times = { builtMs: start?.builtMs ?? builtMs, mayBuildAgain: builds < MOST_BUILDS };
      const next = await takeStep(dependencies, { ...found, ...times, run, built: start?.built ?? null });
      if (next === 'end' || next === 'more') return endOf(next === 'more');
      start = next === 'again' ? null : next;
      if (start !== null) builds = 0;
    }
    return endOf(false);
  } finally {
    if (run.hasLease) await releaseWebhook(database, { id, runner: run.runner });
  }
}

interface Run {
  readonly id: string;
  readonly runner: string;
  /** Whether it has the lease, as far as it knows. */
  hasLease: boolean;
  /** Whether other webhooks of its user may wait for its end; true if it does not know. */
  mayHaveQueue: boolean;
  /** Whether there is time for a further step. */
  mayContinue: () => boolean;
}

interface Step extends RunnableWebhook {
  readonly run: Run;
  /** Before anything of the step was read. */
  readonly builtMs: number;
  readonly mayBuildAgain: boolean;
  readonly built: BuiltMessage | null;
}

type StepSecrets = readonly [string, ...string[]];

async function takeStep(dependencies: WebhookRunDependencies, step: Step): Promise<Continuation> {
  const { webhook, minute, builtMs } = step;
  const { id, state, version, testMs, message } = webhook;
  const secrets = secretsOf(dependencies, step);
  if (secrets === null) return disable(dependencies, step, 'unreadable_secret');
  if (builtMs - minute.startMs < MINUTE_MS && minute.count >= MESSAGES_A_MINUTE) {
    count('webhook', 'limited');
    return wait(dependencies, step, {}, minute.startMs + MINUTE_MS - builtMs);
  }
  if (testMs !== null && builtMs - testMs > TEST_MS) return proceed(dependencies, step, { changes: {}, testMs });
  if (testMs !== null) {
    const content = pingOf(id);
    const test = { id: messageId(id, 'test', testMs), from: null, to: '', firstMs: builtMs, attempts: 0, nextMs: 0 };
    return attempt(dependencies, step, { secrets, ...uncheckedOf(step), content, message: test, isTest: true });
  }
  if (state === 'disabled') return 'end';
  if (state === 'pending') {
    const ping = message ?? newMessage(messageId(id, 'ping', version), { from: null, to: '' }, builtMs);
    if (isEarly(step)) return wait(dependencies, step, {}, ping.nextMs - builtMs);
    return attempt(dependencies, step, {
      secrets,
      ...uncheckedOf(step),
      content: pingOf(id),
      message: ping,
      isTest: false,
    });
  }
  const sent = messageInProgress(webhook);
  if (sent !== null && isEarly(step)) return wait(dependencies, step, {}, sent.nextMs - builtMs);
  if (isDueFirst(webhook, builtMs)) return deliverDue(dependencies, step, { secrets, changes: null });
  return deliverChanges(dependencies, step, secrets);
}

/** Whether the message in progress waits for its next attempt: a test or a rotation makes a webhook due. */
function isEarly({ webhook, builtMs }: Step): boolean {
  const message = messageInProgress(webhook);
  return message !== null && message.nextMs > builtMs;
}

/** A ping is of no user and no range. */
function uncheckedOf({ builtMs, headsSum }: Step) {
  return { hasMore: true, checkedMs: builtMs, headsSum, due: null };
}

function pingOf(hook: string): MessageContent {
  return { type: 'hook.ping', data: { hook } };
}

function newMessage(id: string, range: Pick<MessageInProgress, 'from' | 'to'>, nowMs: number): MessageInProgress {
  return { id, ...range, firstMs: nowMs, attempts: 0, nextMs: nowMs };
}

/** The present secret, and the former one while it is valid; null if the present one is unreadable. */
function secretsOf({ secrets }: WebhookRunDependencies, { webhook, builtMs }: Step): StepSecrets | null {
  const { id, secret, formerSecret, formerUntil } = webhook;
  const present = openWebhookSecret(secrets, id, secret);
  if (present === null) return null;
  const isFormerValid = formerSecret !== null && formerUntil !== null && builtMs < formerUntil;
  const former = isFormerValid ? openWebhookSecret(secrets, id, formerSecret) : null;
  return former === null ? [present] : [present, former];
}

async function deliverChanges(
  dependencies: WebhookRunDependencies,
  step: Step,
  secrets: StepSecrets,
): Promise<Continuation> {
  const { webhook, user, headsSum, built } = step;
  const { position, message } = webhook;
  if (built !== null && built.message.id === message?.id && isSameUser(built.user, user))
    return attempt(dependencies, step, { secrets, ...built, isTest: false, due: null });
  const read = await readContent(dependencies, step, { from: position, to: message?.to ?? null });
  if (read === null) {
    count('webhook', 'unread');
    return wait(dependencies, step);
  }
  const { to, hasMore, content, checkedMs, tookMs } = read;
  if (content === null) {
    // Nothing in the range is for this webhook.
    const moved = { position: to, message: null, ...searchAfter(step, to !== position) };
    if (hasMore) return proceed(dependencies, step, { changes: moved });
    const changes = { ...moved, headsSum };
    if (isSearchDue(step, changes)) return deliverDue(dependencies, step, { secrets, changes });
    return finish(dependencies, step, { changes: { ...changes, dueSinceMs: null } });
  }
  const isFixed = message !== null && message.to === to;
  // The position is where it begins.
  const fixed = isFixed ? message : messageOf(step, position, to);
  if (!isFixed && !(await store(dependencies, step, { changes: { message: fixed } }, 'hold')).isStored) return 'end';
  if (tookMs > SLOW_READ_MS && !(await isUnchanged(dependencies, step))) return 'end';
  const attempted = { secrets, content, message: fixed, hasMore, checkedMs, headsSum };
  return attempt(dependencies, step, { ...attempted, isTest: false, due: null });
}

/** The time of the next search for due nodes, after changes or without any. */
function searchAfter({ webhook, builtMs }: Step, hasChanged: boolean): Pick<RunChanges, 'dueSearchMs'> {
  const dueSearchMs = searchMs(webhook, hasChanged, builtMs);
  return dueSearchMs === null ? {} : { dueSearchMs };
}

/** Whether due nodes are to be searched, after changes with this result. */
function isSearchDue({ builtMs }: Step, { dueSearchMs }: Pick<RunChanges, 'dueSearchMs'>): boolean {
  return dueSearchMs !== undefined && dueSearchMs <= builtMs;
}

interface DueDelivery {
  readonly secrets: StepSecrets;
  /** What the look at the changes has found, if there are no more of them; null if there may be. */
  readonly changes: RunChanges | null;
}

/** Delivers the message about due nodes in progress, or searches for those of the next one. */
async function deliverDue(
  dependencies: WebhookRunDependencies,
  step: Step,
  { secrets, changes }: DueDelivery,
): Promise<Continuation> {
  const { webhook, user, builtMs } = step;
  const { id: hook, root, where, duePosition, dueMessage, dueSearch } = webhook;
  if (duePosition === null) {
    // Its filter has not selected due dates before: it receives those from now on.
    const position = { time: new Date(builtMs).toISOString(), id: '' };
    const next = nextSearchMs({ next: position.time }, builtMs);
    return proceed(dependencies, step, { changes: { ...changes, duePosition: position, dueSearchMs: next } });
  }
  if (dueMessage !== null) return deliverDueMessage(dependencies, step, { secrets, changes, message: dueMessage });
  const { to: from = duePosition, until: end = null, nodes: earlier = [], bytes = 0 } = dueSearch ?? {};
  const search = { hook, root, where, from, until: end, count: earlier.length, bytes };
  const found = await dueOrNull(dependencies, step, dependencies.searchDue(user, search));
  if (found === null) return postponeDue(dependencies, step, changes);
  const nodes = [...earlier, ...found.nodes];
  if (found.state === 'continued') {
    const dueSearch = { to: found.to, until: found.until, nodes, bytes: found.bytes };
    // A long search is late no more, so that it alternates with changes.
    const continued = { ...changes, dueSearch, dueSearchMs: builtMs, dueFailures: null };
    return proceed(dependencies, step, { changes: continued });
  }
  const ended = { ...changes, dueSearch: null, dueFailures: null };
  if (nodes.length === 0) {
    // More windows may be over since a continued search began.
    const dueSearchMs = end === null ? nextSearchMs(found, builtMs) : builtMs;
    const moved = { ...ended, duePosition: found.to, dueSearchMs };
    if (changes === null || end !== null) return proceed(dependencies, step, { changes: moved });
    return finish(dependencies, step, { changes: { ...moved, dueSinceMs: null } });
  }
  const until = found.state === 'full' ? found.until : null;
  const message = dueMessageOf(dependencies, step, { nodes, to: found.to, until });
  const fixed = { ...ended, dueMessage: message, dueSearchMs: builtMs };
  if (!(await store(dependencies, step, { changes: fixed }, 'hold')).isStored) return 'end';
  return deliverDueMessage(dependencies, step, { secrets, changes: null, message });
}

async function deliverDueMessage(
  dependencies: WebhookRunDependencies,
  step: Step,
  { secrets, changes, message }: DueDelivery & { readonly message: DueMessage },
): Promise<Continuation> {
  const { webhook, user, headsSum, builtMs } = step;
  const { id: hook, root, where } = webhook;
  const readMs = dependencies.nowMs();
  const reading = dependencies.readDue(user, { hook, root, where, nodes: message.nodes });
  const read = await dueOrNull(dependencies, step, reading);
  if (read === null) return postponeDue(dependencies, step, changes);
  const { content, checkedMs: tookMs, accessEnd } = read;
  const { to, until } = message;
  const dueSearch = until === null ? null : { to, until, nodes: [], bytes: 0 };
  // The next read continues the search, or finds when the next one is due.
  const moved = { dueMessage: null, duePosition: to, dueSearch, dueSearchMs: builtMs, dueFailures: null };
  if (content === null) return proceed(dependencies, step, { changes: { ...changes, ...moved } });
  if (tookMs > SLOW_READ_MS && !(await isUnchanged(dependencies, step))) return 'end';
  const checkedMs = builtMsOf(readMs + tookMs, accessEnd);
  const attempted = { secrets, content, message, hasMore: true, checkedMs, headsSum };
  return attempt(dependencies, step, { ...attempted, isTest: false, due: { ...changes, ...moved } });
}

/** The answer to a read of due nodes; null if it fails in any way. */
function dueOrNull<T>(
  { log }: WebhookRunDependencies,
  { webhook }: Step,
  reading: Promise<T | null>,
): Promise<T | null> {
  return reading.catch((error: unknown) => {
    log.warn({ error, hookId: webhook.id }, 'the due nodes of a webhook could not be read');
    return null;
  });
}

/** After a failed read of due nodes: changes do not wait for the next one, which may fail again. */
function postponeDue(
  dependencies: WebhookRunDependencies,
  step: Step,
  changes: RunChanges | null,
): Promise<Continuation> {
  count('webhook', 'unread');
  const postponed = { ...changes, ...afterFailedRead(step.webhook, dependencies.nowMs()) };
  return (changes === null ? proceed : finish)(dependencies, step, { changes: postponed });
}

/** A new message about these nodes. */
function dueMessageOf(
  { secrets }: WebhookRunDependencies,
  { webhook: { id }, builtMs }: Step,
  { nodes, to, until }: Pick<DueMessage, 'nodes' | 'to' | 'until'>,
): DueMessage {
  // A plain hash would confirm a guess of nodes that the user may not see at the attempt.
  const derived = prove(secrets, 'webhook-due', JSON.stringify([id, nodes.map((node) => [node.time, node.id])]));
  return { ...newMessage(messageId(id, 'due', derived), { from: null, to: '' }, builtMs), nodes, to, until };
}

/** A new message with this range. */
function messageOf({ webhook: { id }, builtMs }: Step, from: string, to: string): MessageInProgress {
  return newMessage(messageId(id, from, to), { from: null, to }, builtMs);
}

function isSameUser(one: ActingUser, other: ActingUser): boolean {
  return (
    one.id === other.id &&
    one.email === other.email &&
    one.username === other.username &&
    one.maintainer === other.maintainer
  );
}

interface ReadContent {
  readonly to: string;
  readonly hasMore: boolean;
  readonly content: MessageContent | null;
  /** When the user's access was checked last, or earlier (`builtMsOf`). */
  readonly checkedMs: number;
  /** From the request of the read until then. */
  readonly tookMs: number;
}

/** The content of a range, as the user of the step sees it now; null if it can't be read. */
async function readContent(
  dependencies: WebhookRunDependencies,
  { webhook, user }: Step,
  { withinMs, ...range }: Pick<WebhookContentRequest, 'from' | 'to'> & { readonly withinMs?: number },
): Promise<ReadContent | null> {
  const { id: hook, root, events, where } = webhook;
  const readMs = dependencies.nowMs();
  const found = await dependencies.read(user, { hook, root, events, where, ...range }, withinMs);
  if (found === null) return null;
  const { checkedMs: tookMs = 0, accessEnd, ...content } = found;
  return { ...content, checkedMs: builtMsOf(readMs + tookMs, accessEnd), tookMs };
}

/** Whether the run still has the webhook, its user and token are valid, and nobody has changed it. */
async function isUnchanged({ database, nowMs }: WebhookRunDependencies, { webhook, run }: Step): Promise<boolean> {
  const { id, runner } = run;
  const found = await leaseWebhook(database, { id, runner, now: new Date(nowMs()).toISOString() }, true);
  return found?.webhook.version === webhook.version;
}

interface Attempt {
  readonly secrets: StepSecrets;
  readonly content: MessageContent;
  readonly message: MessageInProgress | DueMessage;
  /** For a DueMessage, what its success changes; null for others. */
  readonly due: RunChanges | null;
  /** As of a built message. */
  readonly hasMore: boolean;
  readonly checkedMs: number;
  readonly headsSum: string;
  readonly isTest: boolean;
}

async function attempt(dependencies: WebhookRunDependencies, step: Step, attempted: Attempt): Promise<Continuation> {
  const { secrets, content, message, due, hasMore, checkedMs, headsSum, isTest } = attempted;
  const { webhook, mayBuildAgain } = step;
  const { id: hookId, url } = webhook;
  const atMs = dependencies.nowMs();
  // The body is as old as the last check of the access.
  const times = { nowMs: atMs, builtMs: checkedMs };
  const target = { hookId, url, id: message.id, secrets };
  const request = { ...sendRequest(target, content, times), isSlow: mayBeSlow(webhook) };
  const bytes = Buffer.byteLength(request.body);
  if (bytes > WEBHOOK_BODY_BYTES) {
    // No hooks service would send it, and the range would never end.
    dependencies.log.error({ hookId, bytes }, 'a message of a webhook is too long: its receiver reads the graph again');
    return attempt(dependencies, step, { ...attempted, content: { type: 'graph.reset', data: { hook: hookId } } });
  }
  const result = await dependencies.send(request);
  count('webhook', result.outcome);
  const storeOutcome = (answer: WebhookSendAnswer, faultSinceMs: number | null = null) => {
    const row = deliveryOf({ hookId, at: atMs, message, type: content.type }, answer);
    const outcome = { result: answer, row, message, due, hasMore, headsSum, faultSinceMs };
    if (isTest) return storeTest(dependencies, step, outcome);
    const storeResult = answer.outcome === 'delivered' ? storeSuccess : storeFailure;
    return storeResult(dependencies, step, outcome);
  };
  switch (result.outcome) {
    case 'late':
      return mayBuildAgain ? 'again' : wait(dependencies, step);
    case 'absent':
      // It stays due: sender-presence.ts decides when a run begins again.
      return 'end';
    case 'silent':
      // The message may have been sent, but the receiver has not failed.
      return wait(dependencies, step);
    case 'invalid':
    case 'busy': {
      // An invalid request is a fault of the installation too, such as different releases.
      if (result.outcome === 'busy' && result.isFault !== true) return wait(dependencies, step);
      const faultSinceMs = step.faultSinceMs ?? atMs;
      const isReceivers = atMs - faultSinceMs >= FAULT_MS && dependencies.lastDeliveryMs() > faultSinceMs;
      return isReceivers ? storeOutcome(result, faultSinceMs) : wait(dependencies, step, { faultSinceMs });
    }
    case 'stopped':
      // The receiver may still have the message.
      return wait(dependencies, step, {}, STOPPED_WAIT_MS);
    case 'delivered':
    case 'refused':
    case 'unreachable':
      return storeOutcome(result);
  }
}

interface AttemptOutcome extends Pick<Attempt, 'message' | 'due' | 'hasMore'> {
  readonly result: WebhookSendAnswer;
  readonly row: StoredDelivery;
  readonly headsSum: string;
  /** The start of a fault of the installation that counts as one of the receiver; null for none. */
  readonly faultSinceMs: number | null;
}

function deliveryOf(
  { hookId, at, message, type }: Pick<StoredDelivery, 'hookId' | 'at' | 'type'> & Pick<Attempt, 'message'>,
  { outcome, status, durationMs }: WebhookSendAnswer,
): StoredDelivery {
  const isAnswer = outcome === 'delivered' || outcome === 'refused';
  return {
    hookId,
    at,
    messageId: message.id,
    type,
    attempt: message.attempts + 1,
    status: isAnswer ? outcome : 'unreachable',
    code: isAnswer ? (status ?? null) : null,
    durationMs,
  };
}

async function storeSuccess(
  dependencies: WebhookRunDependencies,
  step: Step,
  { row, message, due, hasMore, headsSum }: AttemptOutcome,
): Promise<Continuation> {
  const isPing = step.webhook.state === 'pending';
  const success = { message: null, successMs: row.at, failingSinceMs: null, dueSinceMs: null } as const;
  if (due !== null) return proceed(dependencies, step, { changes: { ...success, ...due }, attempts: [row] });
  if (isPing) return proceed(dependencies, step, { changes: { ...success, state: 'active' }, attempts: [row] });
  const after = message.to as string;
  const moved = { ...success, position: after, ...searchAfter(step, true) };
  if (!hasMore) return endChanges(dependencies, step, { changes: { ...moved, headsSum }, attempts: [row] });
  const next = await buildNext(dependencies, step, { after, row });
  if (next === null) return proceed(dependencies, step, { changes: moved, attempts: [row] });
  if (next.content !== null) {
    const changes = { ...moved, message: next.message };
    return proceed(dependencies, step, { changes, attempts: [row] }, { ...next, content: next.content });
  }
  // Nothing in the next range is for this webhook.
  const changes = { ...moved, position: next.message.to };
  if (next.hasMore) return proceed(dependencies, step, { changes, attempts: [row] });
  return endChanges(dependencies, step, { changes: { ...changes, headsSum: next.headsSum }, attempts: [row] });
}

/** Ends the run after the last change, unless due nodes are to be searched. */
function endChanges(dependencies: WebhookRunDependencies, step: Step, stored: StepChanges): Promise<Continuation> {
  return (isSearchDue(step, stored.changes) ? proceed : finish)(dependencies, step, stored);
}

/**
 * The message after a delivered one, whose success is not stored yet; null if the next step reads it. The time
 * until the success is stored is short: a service that ends meanwhile sends the delivered message again. So
 * nothing about the next message may delay or prevent that the success is stored.
 */
async function buildNext(
  dependencies: WebhookRunDependencies,
  step: Step,
  { after, row }: { readonly after: string; readonly row: StoredDelivery },
): Promise<(Omit<BuiltMessage, 'content'> & { readonly content: MessageContent | null }) | null> {
  const { run, user, headsSum } = step;
  if (row.durationMs > SLOW_ATTEMPT_MS || !run.mayContinue()) return null;
  const reading = readContent(dependencies, step, { from: after, to: null, withinMs: NEXT_READ_MS });
  const read = await within(NEXT_READ_MS, reading).catch((error: unknown) => {
    dependencies.log.warn({ error, hookId: step.webhook.id }, 'the next message of a webhook could not be read');
    return null;
  });
  // An older content would be too old when it is sent.
  if (read === null || dependencies.nowMs() - read.checkedMs > LONGEST_BUILT_MS) return null;
  const { to, tookMs: _, ...found } = read;
  return { ...found, message: messageOf(step, after, to), user, headsSum };
}

/** The result of work; null if it is not there after so many milliseconds. */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function storeFailure(
  dependencies: WebhookRunDependencies,
  step: Step,
  { result, row, message, due, faultSinceMs }: AttemptOutcome,
): Promise<Continuation> {
  const failingSinceMs = step.webhook.failingSinceMs ?? row.at;
  const attempts = message.attempts + 1;
  const delayMs = backoffMs(attempts, result.retryAfterMs ?? 0, dependencies.random());
  const failed = { ...message, attempts, nextMs: dependencies.nowMs() + delayMs };
  const waiting =
    due === null ? { message: failed as MessageInProgress } : { dueMessage: failed as DueMessage, dueFailures: null };
  const changes: RunChanges = { ...waiting, failingSinceMs, faultSinceMs, dueSinceMs: null };
  if (row.code === GONE) return disable(dependencies, step, 'gone', { changes, attempts: [row] });
  if (row.at - failingSinceMs >= FAILING_MS)
    return disable(dependencies, step, 'failing', { changes, attempts: [row] });
  return finish(dependencies, step, { changes, attempts: [row], delayMs });
}

/** The status with which a receiver ends a webhook. */
const GONE = 410;

/** A test is tried once. Its success activates a pending webhook. */
async function storeTest(
  dependencies: WebhookRunDependencies,
  step: Step,
  { result, row, faultSinceMs }: AttemptOutcome,
): Promise<Continuation> {
  const { state, testMs } = step.webhook;
  const message = messageInProgress(step.webhook);
  const activates = state === 'pending' && result.outcome === 'delivered';
  const changes: RunChanges = activates
    ? { state: 'active', message: null, successMs: row.at, failingSinceMs: null, dueSinceMs: null }
    : { faultSinceMs };
  // The message in progress keeps the time of its next attempt.
  const waitMs = activates ? 0 : (message?.nextMs ?? 0) - dependencies.nowMs();
  const delay = waitMs > 0 ? { delayMs: Math.ceil(waitMs) } : {};
  const stored = { changes, attempts: [row], testMs, ...delay };
  return waitMs <= 0 ? proceed(dependencies, step, stored) : finish(dependencies, step, stored);
}

interface StepChanges {
  readonly changes: RunChanges;
  readonly attempts?: readonly StoredDelivery[];
  readonly delayMs?: number;
  readonly testMs?: number | null;
}

/** Stores a step. Each recorded attempt counts for the limit of messages. */
async function store(
  { storeStep, nowMs }: WebhookRunDependencies,
  { webhook, run, minute, builtMs }: Step,
  { changes, attempts = [], ...rest }: StepChanges,
  after: RunStep['after'],
): Promise<StoredStep> {
  const { id, runner } = run;
  const isNewMinute = builtMs - minute.startMs >= MINUTE_MS;
  const counted =
    attempts.length === 0
      ? {}
      : {
          minuteMs: isNewMinute ? builtMs : minute.startMs,
          minuteCount: (isNewMinute ? 0 : minute.count) + 1,
          waits: null,
          faultSinceMs: null,
          isSlow: attempts.some(isSlowAttempt),
        };
  const step = { id, runner, version: webhook.version, changes: { ...counted, ...changes }, attempts, ...rest };
  const stored = await storeStep({ ...step, after, nowMs: nowMs() });
  run.hasLease = after === 'continue' ? stored.next !== null : after === 'hold' && stored.isStored;
  return stored;
}

function isSlowAttempt({ durationMs }: StoredDelivery): boolean {
  return durationMs > SLOW_ATTEMPT_MS;
}

/** Whether the receiver was slow, failed, or has not shown yet that it is neither (HOOK13). */
function mayBeSlow({ isSlow, failingSinceMs, state }: StoredWebhook): boolean {
  return isSlow || failingSinceMs !== null || state !== 'active';
}

/** Stores a step and continues the run, if there is time and it still has the webhook. */
async function proceed(
  dependencies: WebhookRunDependencies,
  step: Step,
  changes: StepChanges,
  built: BuiltMessage | null = null,
): Promise<Continuation> {
  const builtMs = dependencies.nowMs();
  const { attempts = [] } = changes;
  const isSlow = attempts.length > 0 ? attempts.some(isSlowAttempt) : mayBeSlow(step.webhook);
  // After a slow attempt the next one may be slow too.
  if (!attempts.some(isSlowAttempt) && step.run.mayContinue()) {
    const { next } = await store(dependencies, step, changes, 'continue');
    return next === null ? 'end' : { found: next, builtMs, built };
  }
  const { isStored } = await store(dependencies, step, changes, 'release');
  // The sweep adds slow webhooks to the queue of their own: this run may be in that of the others.
  return isStored && !isSlow ? 'more' : 'end';
}

/** Stores the last step of a run. */
async function finish(dependencies: WebhookRunDependencies, step: Step, changes: StepChanges): Promise<Continuation> {
  await store(dependencies, step, changes, 'release');
  return 'end';
}

/** Ends the run without an attempt. */
async function wait(
  dependencies: WebhookRunDependencies,
  step: Step,
  changes: RunChanges = {},
  delayMs?: number,
): Promise<Continuation> {
  const { waits } = step;
  const stored =
    delayMs === undefined
      ? { changes: { ...changes, waits: waits + 1 }, delayMs: shortWaitMs(waits, dependencies.random()) }
      : { changes, delayMs };
  return finish(dependencies, step, stored);
}

async function disable(
  dependencies: WebhookRunDependencies,
  step: Step,
  reason: WebhookReason,
  { changes, ...rest }: StepChanges = { changes: {} },
): Promise<Continuation> {
  const { webhook, user } = step;
  const { id: hookId, url, testMs } = webhook;
  // An unreadable secret also ends a test, which would be repeated otherwise.
  const stored = { ...rest, testMs, changes: { ...changes, state: 'disabled', reason, dueSinceMs: null } as const };
  if (webhook.state === 'disabled') return finish(dependencies, step, { changes: {}, testMs });
  if (!(await store(dependencies, step, stored, 'hold')).isStored) return 'end';
  count('webhook', 'disabled');
  const who = { id: user.id, email: user.email };
  dependencies.audit({
    event: 'hook:disable',
    outcome: 'ok',
    who,
    from: 'jobs',
    what: { hookId, host: hostOfWebhook(url), reason },
  });
  return 'end';
}
