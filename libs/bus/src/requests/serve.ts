// Receives the commands of a partition, and reads, in a worker and replies to them.

import type { Msg } from '@nats-io/transport-node';
import {
  type CommandMessage,
  commandMessage,
  type ReadMessage,
  type ReplyMessage,
  readMessage,
} from '@taskgraph/wire/bus/calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Bus } from '../nats/connect.ts';
import { splitAnswer } from '../nats/parts.ts';
import {
  commandSubject,
  INBOX_PREFIX,
  partitionReadSubject,
  READ_QUEUE,
  READ_SUBJECT,
  systemSubject,
} from '../nats/subjects.ts';
import { inReceivingSpan } from '../nats/tracing.ts';
import { contentOf, type Reply, tooLong, withoutLists } from './reply-encoding.ts';
import { createSenderClocks, type SenderClocks } from './sender-clocks.ts';

/** Requests that one subscription processes at once; further ones are refused to bound memory. */
const MAXIMUM_IN_FLIGHT = 10_000;
/**
 * Parts of a reply sent before waiting for NATS: 1 MB, so that a long reply does not fill its
 * buffers.
 */
const PARTS_AT_ONCE = 16;

/** The sender on a subject for commands: gateways for users, or jobs for the system. */
export type Sender = 'users' | 'system';

/** A running subscription. */
export interface RunningSubscription {
  /** Drains: stops receiving, and resolves when every received request is answered. */
  stop(): Promise<void>;
}

/** The used part of a zod schema. */
interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };
}
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface RequestKind<T> {
  subject: string;
  queue?: string;
  schema: Schema<T>;
  handler: Handler<T>;
  /** The reply if the actual one is too long to send. */
  shorten: (reply: ReplyMessage) => ReplyMessage;
}

/** State that all subscriptions of a worker share. */
export interface ServeOptions {
  /** The clock offsets of senders; private to the subscription if absent. */
  readonly clocks?: SenderClocks;
  /** The clock for deadlines, in milliseconds since 1970; defaults to the system's. */
  readonly nowMs?: () => number;
  /** Called for each message received after its deadline. */
  readonly onLate?: () => void;
}

/** The fields of a message that serving reads. */
interface MessageTimes {
  readonly deadline: number;
  readonly sentAt?: number | undefined;
  readonly clockZero?: number | undefined;
  /** Only commands have it: a late read does no harm. */
  readonly token?: string | null | undefined;
  readonly traceId: string;
}

/** The fields of a message besides its content. */
export interface Received {
  /** The original deadline, if the sender's clock differs: signatures cover this one. */
  readonly signedDeadline?: number;
}

/**
 * Handles a message and returns its reply. `answered` resolves when the reply was sent or could not
 * be.
 */
type Handler<T> = (message: T & Received, answered: Promise<void>) => Promise<Reply>;

/**
 * Subscribes to the commands of a partition (0..63). Invalid messages are refused as `bad_request`,
 * late ones as `unavailable`. The handler receives the deadline in the worker's own time. A handler
 * that rejects is a bug: it is logged, and the client only receives `internal.exception`.
 */
export function serveCommands(
  bus: Bus,
  partition: number,
  handler: (message: CommandMessage, from: Sender) => Promise<Reply>,
  options: ServeOptions = {},
): RunningSubscription {
  const shared = { ...options, clocks: options.clocks ?? createSenderClocks() };
  const take = (subject: string, from: Sender) => {
    const kind = { subject, schema: commandMessage, shorten: withoutLists };
    return serve(bus, { ...kind, handler: (message: CommandMessage) => handler(message, from) }, shared);
  };
  const servings = [take(commandSubject(partition), 'users'), take(systemSubject(partition), 'system')];
  return {
    async stop() {
      await Promise.all(servings.map((serving) => serving.stop()));
    },
  };
}

/**
 * Subscribes to reads shared with all workers, or to those of one partition's users (0..63).
 * Otherwise like `serveCommands`.
 */
export function serveReads(
  bus: Bus,
  handler: Handler<ReadMessage>,
  options: ServeOptions & { readonly partition?: number } = {},
): RunningSubscription {
  const subject = options.partition === undefined ? READ_SUBJECT : partitionReadSubject(options.partition);
  const kind = { subject, queue: READ_QUEUE, schema: readMessage, handler, shorten: () => tooLong };
  return serve(bus, kind, options);
}

function serve<T extends MessageTimes>(bus: Bus, kind: RequestKind<T>, options: ServeOptions): RunningSubscription {
  const clocks = options.clocks ?? createSenderClocks();
  const inFlight = new Set<Promise<void>>();
  const subscription = bus.connection.subscribe(kind.subject, {
    ...definedFields({ queue: kind.queue }),
    callback(error, message) {
      if (error) return bus.log.error({ error, subject: kind.subject }, 'a subscription failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT) return void answer(bus, kind, message, busyReply);
      const work = inReceivingSpan(`process ${kind.subject}`, message, () =>
        handle(bus, kind, message, { ...options, clocks }),
      ).finally(() => inFlight.delete(work));
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      // A lost connection ends the subscription as well as a drain does, so ignore the failed
      // drain.
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
      await Promise.all(inFlight);
    },
  };
}

// `not_done` covers this attempt only: another worker may execute an earlier one, and the gateway
// waits for that.
const busyReply: ReplyMessage = {
  ok: false,
  error: 'unavailable',
  message: 'The worker has too much to do.',
  details: { outcome: 'not_done' },
};

// The sender usually gave up at the deadline. If the clocks differ by an unknown offset, a refusal
// is better than silence.
const lateReply: ReplyMessage = {
  ok: false,
  error: 'unavailable',
  message: 'The request came past its deadline.',
  details: { outcome: 'not_done' },
};

/**
 * The clock offset is not known yet (sender-clocks.ts). As when the partition has moved, nothing
 * was executed and a new attempt is worthwhile.
 */
function repeatReply(token: string): ReplyMessage {
  const details = { outcome: 'moved', token };
  return { ok: false, error: 'unavailable', message: 'The clock of the sender is not known yet.', details };
}

/** Processes one message. It never rejects: failures are answered or logged. */
async function handle<T extends MessageTimes>(
  bus: Bus,
  kind: RequestKind<T>,
  message: Msg,
  { clocks, onLate, nowMs: clock = Date.now }: ServeOptions & { clocks: SenderClocks },
) {
  const parsed = parse(kind.schema, message);
  if ('problem' in parsed) {
    bus.log.warn({ subject: kind.subject, problem: parsed.problem }, 'an invalid message was received');
    const reply = { ok: false, error: 'bad_request', message: `The message is broken: ${parsed.problem}` } as const;
    return answer(bus, kind, message, reply);
  }
  const { traceId, sentAt, clockZero = 0, token } = parsed.data;
  const nowMs = clock();
  const origins = { theirs: clockZero, ours: nowMs - performance.now() };
  const known = { aheadMs: 0, question: null };
  const { aheadMs, question } =
    sentAt === undefined ? known : clocks.offsetOf(senderOf(message), { sentAt, nowMs, origins, token });
  if (question !== null) return answer(bus, kind, message, repeatReply(question));
  const deadline = parsed.data.deadline + aheadMs;
  if (deadline <= nowMs) {
    onLate?.();
    bus.log.warn({ subject: kind.subject, traceId, lateMs: nowMs - deadline, aheadMs }, 'dropped: past its deadline');
    return answer(bus, kind, message, lateReply);
  }
  let settle = () => {};
  const answered = new Promise<void>((resolve) => {
    settle = resolve;
  });
  try {
    const there = aheadMs === 0 ? {} : { signedDeadline: parsed.data.deadline };
    await answer(bus, kind, message, await kind.handler({ ...parsed.data, deadline, ...there }, answered));
  } catch (error) {
    bus.log.error({ error, subject: kind.subject, traceId }, 'a handler failed');
    await answer(bus, kind, message, { ok: false, error: 'internal.exception', message: 'Something went wrong.' });
  } finally {
    settle();
  }
}

/** The inbox identifies the requester; each request appends one token to it. */
function senderOf({ reply = '' }: Msg): string {
  return reply.slice(0, reply.lastIndexOf('.'));
}

function parse<T>(schema: Schema<T>, message: Msg): { data: T } | { problem: string } {
  let value: unknown;
  try {
    value = message.json();
  } catch {
    return { problem: 'it is not JSON' };
  }
  const result = schema.safeParse(value);
  if (result.success) return { data: result.data };
  return { problem: result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ') };
}

/**
 * Sends a reply, in parts if it is long. A reply that can't be sent is lost, and the gateway
 * retries.
 */
async function answer<T>(bus: Bus, kind: RequestKind<T>, message: Msg, reply: Reply): Promise<void> {
  const replySubject = message.reply;
  if (replySubject === undefined || replySubject === '') return;
  // The sender chooses the reply subject. It must not make a worker publish on other subjects, such
  // as those of the lease bucket.
  if (!replySubject.startsWith(`${INBOX_PREFIX}.`)) {
    bus.log.warn({ subject: message.subject, replySubject }, 'a request names a reply subject outside of the inboxes');
    return;
  }
  try {
    for (const [index, part] of splitAnswer(contentOf(bus.log, reply, kind.shorten)).entries()) {
      if (index > 0 && index % PARTS_AT_ONCE === 0) await bus.flush();
      bus.publish(replySubject, part.data, part.headers === undefined ? {} : { headers: part.headers });
    }
  } catch (error) {
    bus.log.warn({ error, subject: message.subject }, 'a reply could not be sent');
  }
}
