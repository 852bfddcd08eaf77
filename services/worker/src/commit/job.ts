// A command on its way through a worker.
import { createHash } from 'node:crypto';
import { type Context, context, trace } from '@opentelemetry/api';
import type { Reply } from '@taskgraph/bus/requests/serve';
import type { SystemCommandDefinition } from '@taskgraph/commands/define-command';
import { parsePayload } from '@taskgraph/commands/payload';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { CommandMessage, ReplyMessage } from '@taskgraph/wire/messages';

/** Erases a command's payload type: jobs of all commands stand in one mailbox. */
export type AnyCommand = Omit<SystemCommandDefinition, 'route' | 'readSet' | 'decide'> & {
  // biome-ignore lint/suspicious/noExplicitAny: the payload was parsed by this very definition.
  route(payload: any, actor: CommandMessage['actor']): number;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readSet(payload: any): ReadSet;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  decide(...parameters: any[]): ReturnType<SystemCommandDefinition['decide']>;
};

export interface Job {
  readonly message: CommandMessage;
  readonly definition: AnyCommand;
  readonly payload: Record<string, unknown>;
  readonly slot: number;
  /** What the batch is stored under: `<user>:<Idempotency-Key>`, or the command's id. */
  readonly key: string;
  /** SHA-256 of event and payload: tells a retry from another command under the same key (GEN8). */
  readonly payloadHash: string;
  /** Rough size in memory, for the mailbox's bound. */
  readonly bytes: number;
  /** What it belongs to in traces; undefined where it is not traced. */
  readonly context?: Context | undefined;
  answer(reply: Reply): void;
}

/** Turns a message into a job, or refuses it: payloads are checked here too, since the bus is not trusted with shapes. */
export function jobOf(
  message: CommandMessage,
  definition: AnyCommand | undefined,
  answer: (reply: Reply) => void,
): Job | Refusal {
  if (definition === undefined) return refuse('bad_request.unknown_event', 'There is no such event.');
  const payload = parsePayload(definition, message.payload);
  if (isRefusal(payload)) return payload;
  const text = JSON.stringify(payload);
  return {
    message,
    definition,
    payload,
    slot: definition.route(payload, message.actor),
    key: message.key === null ? message.id : `${message.actor.id}:${message.key}`,
    payloadHash: createHash('sha256').update(`${message.event}\n${text}`).digest('base64url'),
    bytes: text.length * 2 + 1_000,
    context: presentContext(),
    answer,
  };
}

/** What a command that arrives now belongs to; undefined where nothing is traced. */
export function presentContext(): Context | undefined {
  return trace.getActiveSpan() === undefined ? undefined : context.active();
}

/** The reply that says no. */
export function refusalReply(refusal: Refusal): ReplyMessage {
  const { code, message, details } = refusal;
  return details === undefined ? { ok: false, error: code, message } : { ok: false, error: code, message, details };
}
