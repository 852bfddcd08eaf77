// One run of a webhook: delivers its messages in order, one at a time, until there is none or one
// fails. Rules: HOOK6, HOOK7, HOOK8, HOOK12, HOOK13.
//
// 1. Each attempt begins with the present state of the webhook and its user, and builds its body anew.
// 2. The range of a message is stored before its first attempt, and the position moves after a 2xx.
// 3. A step is stored only under the lease and the version that it began with. A run that has lost
//    either stops.
import type { WebhookSend, WebhookSendResult } from '@taskgraph/bus/requests/webhook-requests';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { MessageInProgress, StoredDelivery } from '@taskgraph/graph-store/webhooks/webhook-rows';
import {
  leaseWebhook,
  type RunChanges,
  type RunnableWebhook,
  releaseWebhook,
  storeRunStep,
} from '@taskgraph/graph-store/webhooks/webhook-runs';
import type { Secrets } from '@taskgraph/runtime/security/signed-text';
import { openWebhookSecret } from '@taskgraph/runtime/security/webhook-secret';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { WebhookContent } from '@taskgraph/wire/bus/gateway-reads';
import { WEBHOOK_TIMEOUT_MS } from '@taskgraph/wire/bus/webhook-messages';
import { MESSAGES_A_MINUTE, type WebhookReason } from '@taskgraph/wire/webhooks/webhook-fields';
import { hostOfWebhook } from '@taskgraph/wire/webhooks/webhook-url';
import { count } from '../metrics.ts';
import { backoffMs, FAILING_MS, shortWaitMs } from './backoff.ts';
import { type MessageContent, messageId, sendRequest } from './message.ts';

/** Steps of one run, which is a message or an empty range; the sweep continues the webhook. */
const MOST_STEPS = 50;
/** How long a run continues with further messages, so that slow receivers take turns with others. */
const MOST_RUN_MS = 2_000;
/** Attempts to build a body that is still young when it is sent. */
const MOST_BUILDS = 5;
/** After a longer read, the webhook and its user are checked again. */
const SLOW_READ_MS = 200;
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

export interface WebhookRunDependencies {
  readonly database: Database;
  /** Reads a message as this user sees it; null if that is not possible now. */
  readonly read: (user: ActingUser, request: WebhookContentRequest) => Promise<WebhookContent | null>;
  /** Sends a message; `stopped` if the service stops before the outcome is known. */
  readonly send: (request: WebhookSend) => Promise<WebhookSendResult | { readonly outcome: 'stopped' }>;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly log: Log;
  readonly nowMs: () => number;
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly newRunner: () => string;
  readonly stopping: AbortSignal;
}

/** A step's result: look for more, build the body again, or end the run. */
type Continuation = 'next' | 'again' | 'end';

export async function runWebhook(dependencies: WebhookRunDependencies, id: string): Promise<void> {
  const { database, nowMs, newRunner, stopping } = dependencies;
  const run = { id, runner: newRunner() };
  let [hasLease, builds] = [false, 0];
  const untilMs = nowMs() + MOST_RUN_MS;
  try {
    for (let steps = 0; steps < MOST_STEPS && !stopping.aborted; steps++) {
      const builtMs = nowMs();
      if (builtMs >= untilMs) return;
      const found = await leaseWebhook(database, { ...run, now: new Date(builtMs).toISOString() }, hasLease);
      if (found === null) return;
      hasLease = true;
      builds++;
      const step = { ...found, ...run, builtMs, mayBuildAgain: builds < MOST_BUILDS };
      const next = await takeStep(dependencies, step);
      if (next === 'end') return;
      if (next === 'next') builds = 0;
    }
  } finally {
    if (hasLease) await releaseWebhook(database, run);
  }
}

interface Step extends RunnableWebhook {
  readonly runner: string;
  /** Before anything of the step was read. */
  readonly builtMs: number;
  readonly mayBuildAgain: boolean;
}

type StepSecrets = readonly [string, ...string[]];

async function takeStep(dependencies: WebhookRunDependencies, step: Step): Promise<Continuation> {
  const { webhook, minute, builtMs } = step;
  const { id, state, version, testMs, message } = webhook;
  const secrets = secretsOf(dependencies, step);
  if (secrets === null) return disable(dependencies, step, 'unreadable_secret');
  if (builtMs - minute.startMs < MINUTE_MS && minute.count >= MESSAGES_A_MINUTE) {
    count('webhook', 'limited');
    return wait(dependencies, step, minute.startMs + MINUTE_MS - builtMs);
  }
  if (testMs !== null && builtMs - testMs > TEST_MS)
    return (await store(dependencies, step, { changes: {}, testMs })) ? 'next' : 'end';
  if (testMs !== null) {
    const content = pingOf(id);
    const test = { id: messageId(id, 'test', testMs), from: null, to: '', firstMs: builtMs, attempts: 0, nextMs: 0 };
    return attempt(dependencies, step, { secrets, content, message: test, hasMore: true, isTest: true });
  }
  if (state === 'disabled') return 'end';
  if (state === 'pending') {
    const ping = message ?? newMessage(messageId(id, 'ping', version), { from: null, to: '' }, builtMs);
    if (isEarly(step)) return wait(dependencies, step, ping.nextMs - builtMs);
    return attempt(dependencies, step, { secrets, content: pingOf(id), message: ping, hasMore: true, isTest: false });
  }
  if (message !== null && isEarly(step)) return wait(dependencies, step, message.nextMs - builtMs);
  return deliverChanges(dependencies, step, secrets);
}

/** Whether the message in progress waits for its next attempt: a test or a rotation makes a webhook due. */
function isEarly({ webhook: { message }, builtMs }: Step): boolean {
  return message !== null && message.nextMs > builtMs;
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
  const { webhook, user, headsSum, builtMs } = step;
  const { id: hook, root, events, where, position, message } = webhook;
  const range = { from: position, to: message?.to ?? null };
  const askedMs = dependencies.nowMs();
  const found = await dependencies.read(user, { hook, root, events, where, ...range });
  if (found === null) {
    count('webhook', 'unread');
    return wait(dependencies, step);
  }
  const { to, hasMore, content, checkedMs = 0 } = found;
  if (content === null) {
    // Nothing in the range is for this webhook.
    const changes = { position: to, message: null, ...(hasMore ? {} : { headsSum, dueSinceMs: null }) };
    return (await store(dependencies, step, { changes })) && hasMore ? 'next' : 'end';
  }
  const isFixed = message !== null && message.to === to;
  // The position is where it begins.
  const fixed = isFixed ? message : newMessage(messageId(hook, position, to), { from: null, to }, builtMs);
  if (!isFixed && !(await store(dependencies, step, { changes: { message: fixed } }))) return 'end';
  if (checkedMs > SLOW_READ_MS && !(await isUnchanged(dependencies, step))) return 'end';
  // The body is as old as the last check of the access.
  const checked = { ...step, builtMs: Math.max(builtMs, askedMs + checkedMs) };
  return attempt(dependencies, checked, { secrets, content, message: fixed, hasMore, isTest: false });
}

/** Whether the run still has the webhook, its user and token are valid, and nobody has changed it. */
async function isUnchanged({ database, nowMs }: WebhookRunDependencies, { webhook, runner }: Step): Promise<boolean> {
  const { id, version } = webhook;
  const found = await leaseWebhook(database, { id, runner, now: new Date(nowMs()).toISOString() }, true);
  return found?.webhook.version === version;
}

interface Attempt {
  readonly secrets: StepSecrets;
  readonly content: MessageContent;
  readonly message: MessageInProgress;
  /** Whether there may be more to deliver after the message. */
  readonly hasMore: boolean;
  readonly isTest: boolean;
}

async function attempt(
  dependencies: WebhookRunDependencies,
  step: Step,
  { secrets, content, message, hasMore, isTest }: Attempt,
): Promise<Continuation> {
  const { webhook, builtMs, mayBuildAgain } = step;
  const { id: hookId, url } = webhook;
  const atMs = dependencies.nowMs();
  const request = sendRequest({ hookId, url, id: message.id, secrets }, content, { nowMs: atMs, builtMs });
  const result = await dependencies.send(request);
  count('webhook', result.outcome);
  switch (result.outcome) {
    case 'late':
      return mayBuildAgain ? 'again' : wait(dependencies, step);
    case 'absent':
      // It stays due: sender-presence.ts decides when a run begins again.
      return 'end';
    case 'busy':
      return wait(dependencies, step);
    case 'stopped':
      // The receiver may still have the message.
      return wait(dependencies, step, STOPPED_WAIT_MS);
    case 'delivered':
    case 'refused':
    case 'unreachable':
    case 'silent': {
      const row = deliveryOf({ hookId, at: atMs, message, type: content.type }, result, dependencies.nowMs() - atMs);
      const outcome = { result, row, message, hasMore };
      if (isTest) return storeTest(dependencies, step, outcome);
      return result.outcome === 'delivered'
        ? storeSuccess(dependencies, step, outcome)
        : storeFailure(dependencies, step, outcome);
    }
  }
}

interface AttemptOutcome {
  readonly result: WebhookSendResult;
  readonly row: StoredDelivery;
  readonly message: MessageInProgress;
  readonly hasMore: boolean;
}

function deliveryOf(
  { hookId, at, message, type }: Pick<StoredDelivery, 'hookId' | 'at' | 'type'> & { message: MessageInProgress },
  result: WebhookSendResult,
  tookMs: number,
): StoredDelivery {
  const { outcome } = result;
  const isAnswer = outcome === 'delivered' || outcome === 'refused';
  return {
    hookId,
    at,
    messageId: message.id,
    type,
    attempt: message.attempts + 1,
    status: isAnswer ? outcome : 'unreachable',
    code: isAnswer ? (result.status ?? null) : null,
    durationMs: 'durationMs' in result ? result.durationMs : Math.round(tookMs),
  };
}

async function storeSuccess(
  dependencies: WebhookRunDependencies,
  step: Step,
  { row, message, hasMore }: AttemptOutcome,
): Promise<Continuation> {
  const isPing = step.webhook.state === 'pending';
  const changes: RunChanges = {
    ...(isPing ? { state: 'active' } : { position: message.to }),
    message: null,
    successMs: row.at,
    failingSinceMs: null,
    dueSinceMs: null,
    ...(hasMore ? {} : { headsSum: step.headsSum }),
  };
  return (await store(dependencies, step, { changes, attempts: [row] })) && hasMore ? 'next' : 'end';
}

async function storeFailure(
  dependencies: WebhookRunDependencies,
  step: Step,
  { result, row, message }: AttemptOutcome,
): Promise<Continuation> {
  const failingSinceMs = step.webhook.failingSinceMs ?? row.at;
  const attempts = message.attempts + 1;
  const retryAfterMs = 'retryAfterMs' in result ? (result.retryAfterMs ?? 0) : 0;
  const delayMs = backoffMs(attempts, retryAfterMs, dependencies.random());
  const failed = { ...message, attempts, nextMs: dependencies.nowMs() + delayMs };
  const changes: RunChanges = { message: failed, failingSinceMs, dueSinceMs: null };
  if (row.code === GONE) return disable(dependencies, step, 'gone', { changes, attempts: [row] });
  if (row.at - failingSinceMs >= FAILING_MS)
    return disable(dependencies, step, 'failing', { changes, attempts: [row] });
  await store(dependencies, step, { changes, attempts: [row], delayMs });
  return 'end';
}

/** The status with which a receiver ends a webhook. */
const GONE = 410;

/** A test is tried once. Its success activates a pending webhook. */
async function storeTest(
  dependencies: WebhookRunDependencies,
  step: Step,
  { result, row }: AttemptOutcome,
): Promise<Continuation> {
  const { state, testMs, message } = step.webhook;
  const activates = state === 'pending' && result.outcome === 'delivered';
  const changes: RunChanges = activates
    ? { state: 'active', message: null, successMs: row.at, failingSinceMs: null, dueSinceMs: null }
    : {};
  // The message in progress keeps the time of its next attempt.
  const waitMs = activates ? 0 : (message?.nextMs ?? 0) - dependencies.nowMs();
  const delay = waitMs > 0 ? { delayMs: Math.ceil(waitMs) } : {};
  return (await store(dependencies, step, { changes, attempts: [row], testMs, ...delay })) && waitMs <= 0
    ? 'next'
    : 'end';
}

interface StoredStep {
  readonly changes: RunChanges;
  readonly attempts?: readonly StoredDelivery[];
  readonly delayMs?: number;
  readonly testMs?: number | null;
}

/** False if the run has lost the webhook. Each recorded attempt counts for the limit of messages. */
function store(
  { database, nowMs }: WebhookRunDependencies,
  { webhook, runner, minute, builtMs }: Step,
  { changes, attempts = [], ...rest }: StoredStep,
): Promise<boolean> {
  const { id, version } = webhook;
  const isNewMinute = builtMs - minute.startMs >= MINUTE_MS;
  const counted =
    attempts.length === 0
      ? {}
      : {
          minuteMs: isNewMinute ? builtMs : minute.startMs,
          minuteCount: (isNewMinute ? 0 : minute.count) + 1,
          waits: null,
          isSlow: attempts.some(({ durationMs }) => durationMs > SLOW_ATTEMPT_MS),
        };
  const all = { ...changes, ...counted };
  return storeRunStep(database, { id, runner, version, changes: all, attempts, nowMs: nowMs(), ...rest });
}

/** Ends the run without an attempt. */
async function wait(dependencies: WebhookRunDependencies, step: Step, delayMs?: number): Promise<Continuation> {
  const { waits } = step;
  const isTimed = delayMs !== undefined;
  const changes = isTimed ? {} : { waits: waits + 1 };
  await store(dependencies, step, { changes, delayMs: delayMs ?? shortWaitMs(waits, dependencies.random()) });
  return 'end';
}

async function disable(
  dependencies: WebhookRunDependencies,
  step: Step,
  reason: WebhookReason,
  { changes, ...rest }: StoredStep = { changes: {} },
): Promise<Continuation> {
  const { webhook, user } = step;
  const { id: hookId, url, testMs } = webhook;
  // An unreadable secret also ends a test, which would be repeated otherwise.
  const stored = { ...rest, testMs, changes: { ...changes, state: 'disabled', reason, dueSinceMs: null } as const };
  if (webhook.state === 'disabled') {
    await store(dependencies, step, { changes: {}, testMs });
    return 'end';
  }
  if (!(await store(dependencies, step, stored))) return 'end';
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
