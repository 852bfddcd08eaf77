// A command in a worker, from its arrival to its answer.
import { createHash } from 'node:crypto';
import { type Context, context, trace } from '@opentelemetry/api';
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { type AnyDefinition, type Command, parseCommand } from '@taskgraph/commands/pipeline/command';
import { type CommandMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';

export interface Job extends Command {
  readonly message: CommandMessage;
  /** Rough size in memory, for the mailbox's bound. */
  readonly bytes: number;
  /** Whether this worker may still execute it (lease.ts). Defaults to always. */
  readonly isLeaseHeld?: (() => boolean) | undefined;
  /** Aborts when the worker stops to serve the partition, which waits for the answer. */
  readonly stopping?: AbortSignal | undefined;
  /** Its span; undefined if it is not traced. */
  readonly context?: Context | undefined;
  answer(reply: Reply): void;
}

/** Turns a message into a job, or refuses it. */
export function jobOf(
  message: CommandMessage,
  definition: AnyDefinition | undefined,
  answer: (reply: Reply) => void,
  partition: Pick<Job, 'isLeaseHeld' | 'stopping'> = {},
): Job | Refusal {
  let bytes = 1_000;
  const command = parseCommand(message, definition, (text) => {
    bytes += text.length * 2;
    return createHash('sha256').update(text).digest('base64url');
  });
  return isRefusal(command) ? command : { ...command, ...partition, bytes, context: presentContext(), answer };
}

/**
 * Whether a command must not be executed any more: its sender gave up, or another worker may have
 * answered it (GEN8).
 */
export function isOver({ message, isLeaseHeld }: Pick<Job, 'message' | 'isLeaseHeld'>, nowMs: number): boolean {
  return message.deadline <= nowMs || isLeaseHeld?.() === false;
}

/**
 * The answer to a command whose partition has moved. Another worker may already execute it. The
 * gateway retries on this answer.
 */
export const MOVED = refusalReply(refuse('unavailable', 'Another worker serves this partition.', { outcome: 'moved' }));

/** The span of a command that arrives now; undefined where nothing is traced. */
export function presentContext(): Context | undefined {
  return trace.getActiveSpan() === undefined ? undefined : context.active();
}

/** The given jobs and all later ones of their slots: commands of one slot keep their order. */
export function withFollowers(jobs: readonly Job[], stuck: ReadonlySet<Job>): Job[] {
  const slots = new Set<number>();
  return jobs.filter((job) => {
    if (stuck.has(job)) slots.add(job.slot);
    return slots.has(job.slot);
  });
}
