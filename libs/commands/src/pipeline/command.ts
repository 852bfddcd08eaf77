// A command that is ready to be decided.
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { CommandMessage } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { keyOfDryRun, parseMutation } from '@taskgraph/wire/operations/payload-parser';
import type { CommandDefinition, Decision } from '../define-command.ts';

/** Erases a definition's payload type: all commands go through one pipeline. */
export type AnyDefinition = Omit<CommandDefinition, 'route' | 'readSet' | 'decide'> & {
  // biome-ignore lint/suspicious/noExplicitAny: the payload was parsed by this very definition.
  route(payload: any, actor: CommandMessage['actor']): number;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readSet(payload: any): ReadSet;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  decide?(...parameters: any[]): Decision;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  decideInSteps?(...parameters: any[]): Decision;
};

type Message = Pick<CommandMessage, 'id' | 'event' | 'payload' | 'actor' | 'key'>;

export interface Command {
  readonly message: Message;
  readonly definition: AnyDefinition;
  readonly payload: Record<string, unknown>;
  /** Whether it is only decided and answered (DRY1). */
  readonly dryRun: boolean;
  readonly slot: number;
  /** The key of the batch: `<user>:<Idempotency-Key>`, or the command's id. */
  readonly key: string;
  /** A digest of event and payload: tells a retry from another command under the same key (GEN8). */
  readonly payloadHash: string;
}

/** Makes a command of a message, or refuses it: payloads are checked here too, since the bus is not trusted with shapes. */
export function parseCommand<M extends Message>(
  message: M,
  definition: AnyDefinition | undefined,
  digest: (text: string) => string,
): (Command & { readonly message: M }) | Refusal {
  if (definition === undefined) return refuse('bad_request.unknown_event', 'There is no such event.');
  const parsed = parseMutation(definition, message.payload);
  if (isRefusal(parsed)) return parsed;
  const { payload, dryRun } = parsed;
  if (dryRun && message.key !== null) return keyOfDryRun;
  return {
    message,
    definition,
    payload,
    dryRun,
    slot: definition.route(payload, message.actor),
    key: message.key === null ? message.id : `${message.actor.id}:${message.key}`,
    payloadHash: digest(`${message.event}\n${JSON.stringify(payload, inOrder)}`),
  };
}

/** Fields in order of their names: objects that differ in it alone say the same, those in operations of a batch too. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
