// Sends commands and reads from a gateway to workers and retries until the deadline.

import { createInbox, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import type { CommandMessage, ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Bus } from '../nats/connect.ts';
import { createJoiner, type JoinBudget, type Joiner, PART_BYTES } from '../nats/parts.ts';
import { commandSubject, partitionReadSubject, READ_SUBJECT } from '../nats/subjects.ts';
import { inSendingSpan } from '../nats/tracing.ts';
import { brokenAnswer, parseBody, parseReply, unavailable, withoutCertainty, withoutOutcome } from './answers.ts';
import { createPendingRequest, type PendingRequest } from './pending-request.ts';
import type { JsonReply, RawReply } from './raw-reply.ts';

const MAXIMUM_PENDING = 10_000;
// A stopped process stays subscribed and never replies; after this time another worker may have its
// partition.
const COMMAND_ATTEMPT_MS = 2_000;
const READ_ATTEMPT_MS = 10_000;
const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 250;
/**
 * How long a refusal waits for the replies to the other attempts; live workers reply to each of
 * them.
 */
const LONGEST_HELD_MS = 1_000;
/**
 * How long after the deadline the last attempt waits for NATS to report a missing subscriber,
 * without which its outcome is unknown.
 */
const LAST_WORD_MS = 500;
const NO_RESPONDERS = 503;

/** Sends requests to workers. Expected failures are refusals, not exceptions. */
export interface Requester {
  /**
   * Sends a command to the worker of its partition (0..63), with the same id in each attempt, until
   * `message.deadline`. Then it is refused as `unavailable`; `details.outcome` is `not_done` if no
   * worker can have received it, otherwise `unknown`. A last attempt in flight delays that by up to
   * half a second. A worker's own `not_done` is not forwarded, because another worker may hold the
   * same command.
   */
  sendCommand(partition: number, message: CommandMessage): Promise<ReplyMessage>;
  /**
   * Like `sendCommand`, with the body left encoded if the command changed no grant and no
   * publication. `mayContinue` is asked before each attempt that follows a wait; after `false` there
   * is none.
   */
  sendCommandRaw(
    partition: number,
    message: CommandMessage,
    mayContinue?: () => Promise<boolean>,
  ): Promise<ReplyMessage | JsonReply>;
  /** Sends a read to any worker until `message.deadline`; then it is refused as `unavailable`. */
  read(message: ReadMessage): Promise<ReplyMessage>;
  /**
   * Like `read`, with the body of a success left encoded. If a partition (0..63) is given, the
   * first attempt goes to its worker, whose cache may have the page; otherwise and later, to any
   * worker.
   */
  readRaw(message: ReadMessage, partition?: number): Promise<ReplyMessage | RawReply>;
  /** Refuses all pending requests as `unavailable` and accepts no more. */
  stop(): void;
}

interface RequestState {
  readonly replySubject: string;
  readonly joiner: Joiner;
  readonly pending: PendingRequest;
}

/**
 * Creates a requester with one reply subscription for all its requests, at most 10,000 at a time.
 * `commandsTo` returns the subject for a partition; the default is the subject for commands of
 * users.
 */
export function createRequester(
  bus: Bus,
  commandsTo: (partition: number) => string = commandSubject,
  lastWordMs = LAST_WORD_MS,
): Requester {
  const pendings = new Map<string, RequestState>();
  const budget: JoinBudget = { usedBytes: 0 };
  const inbox = createInbox(bus.inbox);
  let nextToken = 0;
  let stopped = false;

  const subscription = bus.connection.subscribe(`${inbox}.*`, {
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the reply subscription failed');
      const waiting = pendings.get(message.subject.slice(inbox.length + 1));
      if (waiting !== undefined) handleReply(bus, waiting, message);
    },
  });
  const wakeAll = () => {
    for (const { pending } of pendings.values()) pending.wake();
  };
  // Requests in flight when the connection broke never get replies, so retry as soon as it returns.
  const unlisten = bus.onConnection(wakeAll);

  async function exchange(
    subject: string,
    message: { deadline: number },
    { attemptMs, otherwise = subject, isCommand, mayContinue }: ExchangeOptions,
  ): Promise<ReplyMessage | RawReply> {
    if (stopped || pendings.size >= MAXIMUM_PENDING) return unavailable('Too many requests are waiting.', 'not_done');
    // The wall clock may be set during the request.
    const endsAt = performance.now() + message.deadline - Date.now();
    const pending = createPendingRequest(isCommand);
    const encode = () => {
      const times = { sentAt: Date.now(), clockZero: clockZero(), ...(isCommand ? { token: pending.token() } : {}) };
      return Buffer.from(JSON.stringify({ ...message, ...times }));
    };
    const encoded = encode();
    if (encoded.length > PART_BYTES) {
      return { ok: false, error: 'bad_request.too_large', message: `The request is longer than ${PART_BYTES} bytes.` };
    }
    const token = (nextToken++).toString(36);
    const waiting = { replySubject: `${inbox}.${token}`, joiner: createJoiner(budget), pending };
    pendings.set(token, waiting);
    try {
      const attempts = {
        subject,
        otherwise,
        encoded,
        encode,
        attemptMs,
        endsAt,
        lastWordMs,
        stopped: () => stopped,
        mayContinue,
      };
      await inSendingSpan(subject, (headers) => tryUntil(bus, { ...attempts, headers }, waiting));
    } finally {
      pendings.delete(token);
      waiting.joiner.clear();
    }
    const reply = pending.reply();
    if (reply !== null) return withoutCertainty(reply);
    return unavailable('No worker answered in time.', pending.mayBeDone() ? 'unknown' : 'not_done');
  }

  const readRaw: Requester['readRaw'] = async (message, partition) => {
    const subject = partition === undefined ? READ_SUBJECT : partitionReadSubject(partition);
    const attempts = { attemptMs: READ_ATTEMPT_MS, otherwise: READ_SUBJECT, isCommand: false };
    const reply = await exchange(subject, message, attempts);
    const isUnrequested = 'compressed' in reply && message.acceptsCompressed !== true;
    return withoutOutcome(
      isUnrequested ? brokenAnswer(bus, 'compressed, although the read does not ask for it') : reply,
    );
  };

  const sendCommandRaw: Requester['sendCommandRaw'] = async (partition, message, mayContinue) => {
    const attempts = { attemptMs: COMMAND_ATTEMPT_MS, isCommand: true, mayContinue };
    const reply = await exchange(commandsTo(partition), message, attempts);
    return 'keepsAccess' in reply ? reply : parseBody(bus, reply);
  };

  return {
    sendCommand: async (partition, message) => parseBody(bus, await sendCommandRaw(partition, message)),
    sendCommandRaw,
    read: async (message) => parseBody(bus, await readRaw(message)),
    readRaw,
    stop() {
      stopped = true;
      unlisten();
      if (!subscription.isClosed()) subscription.unsubscribe();
      wakeAll();
    },
  };
}

interface ExchangeOptions {
  readonly attemptMs: number;
  /** Subject of the attempts after the first one; as the first one by default. */
  readonly otherwise?: string;
  readonly isCommand: boolean;
  readonly mayContinue?: (() => Promise<boolean>) | undefined;
}

interface AttemptPlan {
  /** Subject of the first attempt; the others go to `otherwise`. */
  subject: string;
  otherwise: string;
  /** The message encoded for the first attempt. */
  encoded: Uint8Array;
  /** Encodes the message with current times. */
  encode(): Uint8Array;
  /** The headers that carry the trace, if there is one. */
  headers: MsgHdrs | undefined;
  attemptMs: number;
  /** The deadline by performance.now(). */
  endsAt: number;
  /** Milliseconds after the deadline in which a report of the last attempt still counts. */
  lastWordMs: number;
  stopped(): boolean;
  /** Whether to publish another attempt after a wait. */
  mayContinue: (() => Promise<boolean>) | undefined;
}

/** Publishes attempts until there is a reply, the deadline passes, or the requester stops. */
async function tryUntil(bus: Bus, attempts: AttemptPlan, { pending, replySubject }: RequestState): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  let encoded: Uint8Array | null = attempts.encoded;
  let isChecked = true;
  for (;;) {
    const leftMs = attempts.endsAt - performance.now();
    // Timers drop fractions: an attempt with less than a millisecond left has no time for a reply.
    if (pending.reply() !== null || attempts.stopped()) return;
    if (pending.isHeld()) return waitForOthers(attempts, pending);
    if (leftMs < 1) return waitForLast(bus, attempts, pending);
    if (!bus.connected()) {
      // Publish nothing during an outage: the client would buffer it without a limit.
      encoded = null;
      isChecked = false;
      await pending.pause(leftMs);
      continue;
    }
    if (!isChecked && attempts.mayContinue !== undefined) {
      // A reply, the deadline or an outage may come first.
      const answer = await Promise.race([attempts.mayContinue(), pending.pause(leftMs).then(() => null)]);
      pending.wake();
      if (answer === false) return;
      isChecked = answer === true;
      continue;
    }
    isChecked = false;
    const undeliveredBefore = pending.undelivered();
    const subject = pending.published() === 0 ? attempts.subject : attempts.otherwise;
    pending.publish();
    const { headers } = attempts;
    const options = { reply: replySubject, ...definedFields({ headers }) };
    bus.publish(subject, encoded ?? attempts.encode(), options);
    encoded = null;
    await pending.pause(Math.min(attempts.attemptMs, leftMs));
    if (pending.reply() === null && pending.undelivered() > undeliveredBefore) {
      if (subject !== attempts.otherwise) continue;
      // The jitter keeps gateways from retrying in step when a partition changes hands.
      await pending.pause(Math.min(waitMs * (0.5 + Math.random() / 2), attempts.endsAt - performance.now()));
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    } else {
      waitMs = FIRST_WAIT_MS;
    }
  }
}

/**
 * Waits for the replies to the other attempts after a refusal. Without a reply in time, an attempt
 * may still be executed by its receiver.
 */
async function waitForOthers({ endsAt, stopped }: AttemptPlan, pending: PendingRequest): Promise<void> {
  const untilMs = Math.min(performance.now() + LONGEST_HELD_MS, endsAt);
  for (;;) {
    const leftMs = untilMs - performance.now();
    if (!pending.isHeld() || leftMs < 1 || stopped()) return;
    await pending.pause(leftMs);
  }
}

/**
 * Waits past the deadline for an attempt published just before it. Ends with the connection, which
 * would carry the reply.
 */
async function waitForLast(bus: Bus, { lastWordMs, stopped }: AttemptPlan, pending: PendingRequest): Promise<void> {
  const untilMs = performance.now() + lastWordMs;
  for (;;) {
    const leftMs = untilMs - performance.now();
    if (!pending.isOpen() || leftMs < 1 || stopped() || !bus.connected()) return;
    await pending.pause(leftMs);
  }
}

/**
 * Wall-clock time at which the monotonic clock was 0. It changes when the clock is set or the
 * machine sleeps.
 */
function clockZero(): number {
  return Math.round(Date.now() - performance.now());
}

/** Handles a message for a pending request. */
function handleReply(bus: Bus, { pending, joiner }: RequestState, message: Msg): void {
  if (message.headers?.code === NO_RESPONDERS && message.data.length === 0) {
    pending.bounce();
    return;
  }
  const joined = joiner.add(message);
  if (joined === null) return;
  if (joined === 'over') {
    bus.log.warn({ subject: message.subject }, 'the replies being joined exceed their byte budget');
    pending.recordReply(unavailable('Too many long answers are under way.', 'unknown'));
  } else {
    pending.recordReply(joined === 'broken' ? brokenAnswer(bus, 'impossible part headers') : parseReply(bus, joined));
  }
}
