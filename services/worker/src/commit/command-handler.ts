// Takes commands from the bus and delivers them to the mailboxes; a retry that arrives while the first is at work shares its answer.

import type { Stands } from '@taskgraph/bus/partitions/lease';
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { Speaker } from '@taskgraph/bus/requests/serve';
import { definitionOf } from '@taskgraph/commands/catalog';
import type { AnyDefinition } from '@taskgraph/commands/pipeline/command';
import { systemDefinitionOf } from '@taskgraph/commands/system-catalog';
import { isRefusal, refusalReply } from '@taskgraph/wire/errors';
import type { CommandMessage } from '@taskgraph/wire/messages';
import { isSystem, SYSTEM_ID } from '@taskgraph/wire/system';
import { jobOf, MOVED } from './job.ts';
import type { Scheduler } from './scheduler.ts';
import { createTries, storesNothing } from './tries.ts';

/** Makes the handler of command messages. `stands` tells whether a message is still this worker's (lease.ts). */
export function createCommandHandler(
  scheduler: Scheduler,
): (message: CommandMessage, from: Speaker, stands?: Stands) => Promise<Reply> {
  const atWork = new Map<string, Promise<Reply>>();
  const tries = createTries();
  return (message, from, stands) => {
    const earlier = atWork.get(message.id);
    if (earlier !== undefined) return earlier;
    let answer: (reply: Reply) => void = () => undefined;
    const work = new Promise<Reply>((resolve) => {
      // The worker that has the partition now may do what this one refuses.
      answer = (reply) => resolve(storesNothing(reply) && stands?.() === false ? MOVED : reply);
    }).finally(() => atWork.delete(message.id));
    atWork.set(message.id, work);
    const job = jobOf(message, commandOf(message, from), answer, stands);
    if (isRefusal(job)) {
      answer(refusalReply(job));
      return work;
    }
    const known = from === 'system' ? null : tries.begin(job, work);
    // At once where nothing is in the way: commands keep the order in which they come.
    if (known === null) scheduler.deliver(job);
    else void known.then((reply) => (reply === null ? scheduler.deliver(job) : answer(reply)));
    return work;
  };
}

/**
 * The system has commands of its own and no others; to everybody else those do not exist, whatever the bus brings. The system is
 * recognised by the NATS subject: a message alone could name any actor.
 */
export function commandOf({ event, actor }: CommandMessage, from: Speaker): AnyDefinition | undefined {
  if (from === 'system') return isSystem(actor) ? systemDefinitionOf(event) : undefined;
  const definition = actor.id === SYSTEM_ID ? undefined : definitionOf(event);
  return definition?.kind === 'command' ? definition : undefined;
}
