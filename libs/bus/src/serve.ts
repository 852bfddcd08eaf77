// The worker's side of requests: takes commands of a partition, and reads, and answers them.

import type { Msg } from '@nats-io/transport-node';
import {
  type CommandMessage,
  commandMessage,
  type ReadMessage,
  type ReplyMessage,
  readMessage,
} from '@taskgraph/wire/messages';
import type { Bus } from './connect.ts';
import { JOIN_BYTES, splitAnswer } from './parts.ts';
import { commandSubject, INBOXES, READ_QUEUE, READ_SUBJECT, systemSubject } from './subjects.ts';
import { inReceivingSpan } from './tracing.ts';

/** Requests that one subscription works on at once; past it they are refused, because memory is not endless. */
const MAXIMUM_IN_FLIGHT = 10_000;
/** Parts of one answer that are sent before waiting for NATS to have them: 8 MB, so that a long answer does not fill its buffers. */
const PARTS_AT_ONCE = 16;

/** Who speaks on a subject for commands: gateways for users, or jobs as the system. */
export type Speaker = 'users' | 'system';

/** A running subscription. */
export interface Serving {
  /** Drains: takes nothing more, and resolves when all that was taken is answered. */
  stop(): Promise<void>;
}

/** The part of a zod schema that is needed here. */
interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };
}
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface Kind<T> {
  subject: string;
  queue?: string;
  schema: Schema<T>;
  handler: (message: T) => Promise<ReplyMessage>;
}

/**
 * Takes the commands of a partition (0..63), and tells the handler who may speak where each came from. Broken ones are answered with `bad_request`, those past their deadline are dropped. A handler
 * that rejects is a bug: it is logged, and the client learns no more than `internal.exception`.
 */
export function serveCommands(
  bus: Bus,
  partition: number,
  handler: (message: CommandMessage, from: Speaker) => Promise<ReplyMessage>,
): Serving {
  const take = (subject: string, from: Speaker) =>
    serve(bus, { subject, schema: commandMessage, handler: (message) => handler(message, from) });
  const servings = [take(commandSubject(partition), 'users'), take(systemSubject(partition), 'system')];
  return {
    async stop() {
      await Promise.all(servings.map((serving) => serving.stop()));
    },
  };
}

/** Takes reads, shared with all other workers; else like `serveCommands`. */
export function serveReads(bus: Bus, handler: (message: ReadMessage) => Promise<ReplyMessage>): Serving {
  return serve(bus, { subject: READ_SUBJECT, queue: READ_QUEUE, schema: readMessage, handler });
}

function serve<T extends { deadline: number; traceId: string }>(bus: Bus, kind: Kind<T>): Serving {
  const inFlight = new Set<Promise<void>>();
  const subscription = bus.connection.subscribe(kind.subject, {
    ...(kind.queue === undefined ? {} : { queue: kind.queue }),
    callback(error, message) {
      if (error) return bus.log.error({ error, subject: kind.subject }, 'a subscription failed');
      if (inFlight.size >= MAXIMUM_IN_FLIGHT) return void answer(bus, message, tooBusy);
      const work = inReceivingSpan(`process ${kind.subject}`, message, () => handle(bus, kind, message)).finally(() =>
        inFlight.delete(work),
      );
      inFlight.add(work);
    },
  });
  return {
    async stop() {
      // A lost connection ends the subscription as well as a drain does, so that failure of the drain is none of ours.
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
      await Promise.all(inFlight);
    },
  };
}

// It may be a second try of a command that is being worked on, so that nothing can be said about the outcome.
const tooBusy: ReplyMessage = {
  ok: false,
  error: 'unavailable',
  message: 'The worker has too much to do.',
  details: { outcome: 'unknown' },
};

/** Works on one message. It never rejects: whatever fails is answered or logged. */
async function handle<T extends { deadline: number; traceId: string }>(bus: Bus, kind: Kind<T>, message: Msg) {
  const parsed = parse(kind.schema, message);
  if ('problem' in parsed) {
    bus.log.warn({ subject: kind.subject, problem: parsed.problem }, 'a broken message came');
    const reply = { ok: false, error: 'bad_request', message: `The message is broken: ${parsed.problem}` } as const;
    return answer(bus, message, reply);
  }
  const { traceId, deadline } = parsed.data;
  if (deadline <= Date.now()) return bus.log.debug({ subject: kind.subject, traceId }, 'dropped: past its deadline');
  try {
    await answer(bus, message, await kind.handler(parsed.data));
  } catch (error) {
    bus.log.error({ error, subject: kind.subject, traceId }, 'a handler failed');
    await answer(bus, message, { ok: false, error: 'internal.exception', message: 'Something went wrong.' });
  }
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

/** Sends a reply, in parts where it is long. A reply that can't be sent is lost: the gateway asks again. */
async function answer(bus: Bus, message: Msg, reply: ReplyMessage): Promise<void> {
  const replySubject = message.reply;
  if (replySubject === undefined || replySubject === '') return;
  // Whoever asks names the subject: a worker must not be led to speak where it may and they may not, such as in the bucket of leases.
  if (!replySubject.startsWith(`${INBOXES}.`)) {
    bus.log.warn({ subject: message.subject, replySubject }, 'an answer was asked for where nobody waits for answers');
    return;
  }
  let content = Buffer.from(JSON.stringify(reply));
  if (content.length > JOIN_BYTES) {
    bus.log.error({ subject: message.subject, bytes: content.length }, 'an answer is too long to send');
    const refusal: ReplyMessage = {
      ok: false,
      error: 'internal.too_large',
      message: 'The answer is too long to send.',
    };
    content = Buffer.from(JSON.stringify(refusal));
  }
  try {
    for (const [index, part] of splitAnswer(content).entries()) {
      if (index > 0 && index % PARTS_AT_ONCE === 0) await bus.connection.flush();
      bus.connection.publish(replySubject, part.data, part.headers === undefined ? {} : { headers: part.headers });
    }
  } catch (error) {
    bus.log.warn({ error, subject: message.subject }, 'an answer could not be sent');
  }
}
