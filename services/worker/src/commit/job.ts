// A command on its way through a worker.
import { createHash } from 'node:crypto';
import { type Context, context, trace } from '@opentelemetry/api';
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { type AnyDefinition, type Command, parseCommand } from '@taskgraph/commands/pipeline/command';
import { isRefusal, type Refusal, refusalReply, refuse } from '@taskgraph/wire/errors';
import type { CommandMessage } from '@taskgraph/wire/messages';

export interface Job extends Command {
  readonly message: CommandMessage;
  /** Rough size in memory, for the mailbox's bound. */
  readonly bytes: number;
  /** Whether it may still be done here (lease.ts); it always may if not given. */
  readonly stands?: (() => boolean) | undefined;
  /** Its span in traces; undefined where it is not traced. */
  readonly context?: Context | undefined;
  answer(reply: Reply): void;
}

/** Turns a message into a job, or refuses it. */
export function jobOf(
  message: CommandMessage,
  definition: AnyDefinition | undefined,
  answer: (reply: Reply) => void,
  stands?: () => boolean,
): Job | Refusal {
  let bytes = 1_000;
  const command = parseCommand(message, definition, (text) => {
    bytes += text.length * 2;
    return createHash('sha256').update(text).digest('base64url');
  });
  return isRefusal(command) ? command : { ...command, bytes, context: presentContext(), stands, answer };
}

/** Whether a command must not be done any more: its sender gave up, or another worker may have answered it (GEN8). */
export function isOver({ message, stands }: Pick<Job, 'message' | 'stands'>, nowMs: number): boolean {
  return message.deadline <= nowMs || stands?.() === false;
}

/**
 * The answer to a command that is not this worker's any more: a try of it may be at work where its partition is now. It is for the gateway, which
 * tries again.
 */
export const MOVED = refusalReply(refuse('unavailable', 'Another worker has it.', { outcome: 'moved' }));

/** The span of a command that arrives now; undefined where nothing is traced. */
export function presentContext(): Context | undefined {
  return trace.getActiveSpan() === undefined ? undefined : context.active();
}
