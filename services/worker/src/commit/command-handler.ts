// Delivers commands from the bus to the mailboxes. A retry that arrives while the first attempt is
// in progress shares its answer.
import type { LeaseCheck } from '@taskgraph/bus/partitions/lease';
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { Sender } from '@taskgraph/bus/requests/serve';
import { definitionOf, systemDefinitionOf } from '@taskgraph/commands/commands';
import type { AnyDefinition } from '@taskgraph/commands/pipeline/command';
import { isSystem, SYSTEM_ID } from '@taskgraph/wire/actor';
import { type CommandMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { isRefusal } from '@taskgraph/wire/errors';
import { createAttemptRegistry, OVERTAKEN, storesNothing } from './attempt-registry.ts';
import type { Scheduler } from './group-scheduler.ts';
import { type Job, jobOf, MOVED } from './job.ts';

/** Runs claims that leave the choice of the node to the service (CLAIM1). */
export interface QueueClaims {
  /** Whether a job is a claim that leaves the choice of the node to the service. */
  concern(job: Job): boolean;
  /** Runs such a claim and answers it. `deliver` passes a job to the mailboxes. Does not reject. */
  run(job: Job, deliver: (job: Job) => void): Promise<void>;
}

/**
 * Creates the handler of command messages. `isLeaseHeld` tells whether a message still belongs to
 * this worker (lease.ts), and `stopping` aborts when the worker stops to serve its partition. `claims` finds the candidates of claims without an id.
 */
export function createCommandHandler(
  scheduler: Pick<Scheduler, 'deliver'>,
  claims: QueueClaims,
): (message: CommandMessage, from: Sender, isLeaseHeld?: LeaseCheck, stopping?: AbortSignal) => Promise<Reply> {
  const atWork = new Map<string, Promise<Reply>>();
  const attempts = createAttemptRegistry();
  return (message, from, isLeaseHeld, stopping) => {
    const earlier = atWork.get(message.id);
    if (earlier !== undefined) return earlier;
    let answer: (reply: Reply) => void = () => undefined;
    const work = new Promise<Reply>((resolve) => {
      // The worker that serves the partition now may execute what this one refuses.
      answer = (reply) => resolve(storesNothing(reply) && isLeaseHeld?.() === false ? MOVED : reply);
    }).finally(() => atWork.delete(message.id));
    atWork.set(message.id, work);
    const job = jobOf(message, commandOf(message, from), answer, { isLeaseHeld, stopping });
    if (isRefusal(job)) {
      answer(refusalReply(job));
      return work;
    }
    const known = from === 'system' ? null : attempts.begin(job, work);
    // A claim waits for its queue before it is decided, so that a later attempt may have overtaken it.
    const decide = (claim: Job) => (attempts.isOvertaken(claim) ? claim.answer(OVERTAKEN) : scheduler.deliver(claim));
    const deliver = () => (claims.concern(job) ? void claims.run(job, decide) : scheduler.deliver(job));
    // Without a microtask in between, so that commands keep the order of their arrival.
    if (known === null) deliver();
    else void known.then((reply) => (reply === null ? deliver() : answer(reply)));
    return work;
  };
}

/**
 * The system has commands of its own and no others, and users do not have those. The NATS subject
 * identifies the system: a message could name any actor.
 */
export function commandOf({ event, actor }: CommandMessage, from: Sender): AnyDefinition | undefined {
  if (from === 'system') return isSystem(actor) ? systemDefinitionOf(event) : undefined;
  return actor.id === SYSTEM_ID ? undefined : definitionOf(event);
}
