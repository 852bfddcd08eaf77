// A parsed command, ready to be decided.
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { CommandMessage } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { keyOfDryRun, parseMutation } from '@taskgraph/wire/operations/payload-parser';
import { scopesOf, type TokenScopes } from '@taskgraph/wire/scopes';
import type { ClaimCandidates, CommandDefinition, Decision } from '../define-command.ts';

/** A definition without its payload type, because one pipeline runs all commands. */
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
  /** Whether the command is only decided and answered (DRY1). */
  readonly dryRun: boolean;
  /** The scopes of the caller's token, if this command's changes decide which it needs (SCOPE2). */
  readonly scopes: TokenScopes;
  readonly slot: number;
  /** The key of the batch: `<user>:<Idempotency-Key>`, or the command's id. */
  readonly key: string;
  /**
   * A digest of event and payload. It distinguishes a retry from another command with the same key
   * (GEN8).
   */
  readonly payloadHash: string;
  /** For a claim without an id: the nodes to try (CLAIM1). */
  readonly candidates?: ClaimCandidates | undefined;
}

/**
 * Parses a message into a command, or refuses it. Payloads are checked again, because the bus is
 * not trusted with their shape.
 */
export function parseCommand<M extends Message>(
  message: M,
  definition: AnyDefinition | undefined,
  digest: (text: string) => string,
): (Command & { readonly message: M }) | Refusal {
  if (definition === undefined) return refuse('bad_request.unknown_event', 'There is no such event.');
  const { sent, scopes } = separateScopes(message, definition);
  const parsed = parseMutation(definition, sent);
  if (isRefusal(parsed)) return parsed;
  const { payload, dryRun } = parsed;
  if (dryRun && message.key !== null) return keyOfDryRun;
  return {
    message,
    definition,
    payload,
    dryRun,
    scopes,
    slot: definition.route(payload, message.actor),
    key: message.key === null ? message.id : `${message.actor.id}:${message.key}`,
    payloadHash: digest(`${message.event}\n${JSON.stringify(payload, inOrder)}`),
  };
}

/**
 * Gateways add the scopes to the payload of an undo or redo: a worker of the previous release
 * refuses the unknown field. Gateways refuse this field from clients. A value that is no list
 * allows only reads.
 */
function separateScopes(
  { payload }: Message,
  { scope }: AnyDefinition,
): { sent: Message['payload']; scopes: TokenScopes } {
  if (scope !== 'changes' || !Object.hasOwn(payload, 'scopes')) return { sent: payload, scopes: null };
  const { scopes, ...sent } = payload;
  return { sent, scopes: scopesOf({ readOnly: true, scopes: scopes }) };
}

/** Sorts fields by name, at all levels, so that equal payloads have equal digests. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
