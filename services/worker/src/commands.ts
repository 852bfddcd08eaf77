// Takes commands from the bus and delivers them to the mailboxes; a retry that arrives while the first is at work shares its answer.

import { definitionOf } from '@taskgraph/commands/catalog';
import { systemDefinitionOf } from '@taskgraph/commands/system-catalog';
import { isRefusal } from '@taskgraph/wire/errors';
import type { CommandMessage, ReplyMessage } from '@taskgraph/wire/messages';
import { isSystem, SYSTEM_ID } from '@taskgraph/wire/system';
import { type AnyCommand, jobOf, refusalReply } from './job.ts';
import type { Mailboxes } from './mailboxes.ts';

/** Makes the handler of command messages. */
export function createCommandHandler(mailboxes: Mailboxes): (message: CommandMessage) => Promise<ReplyMessage> {
  const atWork = new Map<string, Promise<ReplyMessage>>();
  return (message) => {
    const earlier = atWork.get(message.id);
    if (earlier !== undefined) return earlier;
    const work = new Promise<ReplyMessage>((resolve) => {
      const job = jobOf(message, commandOf(message), resolve);
      if (isRefusal(job)) resolve(refusalReply(job));
      else mailboxes.deliver(job);
    }).finally(() => atWork.delete(message.id));
    atWork.set(message.id, work);
    return work;
  };
}

/** The system has commands of its own and no others; to everybody else those do not exist, whatever the bus brings. */
function commandOf({ event, actor }: CommandMessage): AnyCommand | undefined {
  if (isSystem(actor)) return systemDefinitionOf(event);
  const definition = actor.id === SYSTEM_ID ? undefined : definitionOf(event);
  return definition?.kind === 'command' ? definition : undefined;
}
