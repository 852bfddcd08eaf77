// Validates a call from either transport and sends it to a worker. Rules: GEN3, GEN4, GEN5, GEN8,
// GEN11.
import type { JsonReply, RawReply } from '@taskgraph/bus/requests/raw-reply';
import type { Requester } from '@taskgraph/bus/requests/request';
import { definitionOf } from '@taskgraph/commands/commands';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import type { ActingUser } from '@taskgraph/wire/actor';
import { type CommandMessage, type ReplyMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal, type Refusal, refuse, refuseField } from '@taskgraph/wire/errors';
import { idempotencyKey } from '@taskgraph/wire/fields';
import { partitionOf, slotOf } from '@taskgraph/wire/ids';
import type { Operation } from '@taskgraph/wire/operations/operation';
import {
  isListParameter,
  keyOfDryRun,
  type Mutation,
  type Parsable,
  parseMutation,
  parseMutationQuery,
  parsePayload,
  parseQuery,
} from '@taskgraph/wire/operations/payload-parser';
import { refuseMissingScopes, type TokenScopes } from '@taskgraph/wire/scopes';
import type { CallerToken } from '../auth/caller-token.ts';
import type { QueryString } from '../http/query-string.ts';
import { refuseNodesOfBot } from './bot-check.ts';
import { auditCommand } from './command-audit.ts';
import { refuseOutsideScopes } from './scope-check.ts';

/** The client's input: a JSON value, or the fields of a query string. */
export type Input = { readonly value: unknown } | { readonly query: QueryString };

interface Call {
  readonly operation: Operation;
  readonly input: Input;
  /** Null for an anonymous reader, who may make only reads declared for them (PUB3). */
  readonly user: ActingUser | null;
  /** The scopes of the caller's token (SCOPE1). */
  readonly scopes: TokenScopes;
  /** The caller's token: a command that waits in this gateway is not sent after its end (AUTH2). */
  readonly token?: CallerToken | null;
  /** Some reads have other fields over sockets. Tools of agents have those of REST. */
  readonly transport: 'rest' | 'socket' | 'tool';
  /** The Idempotency-Key as received, or undefined. */
  readonly key: unknown;
  readonly traceId: string;
  /** Milliseconds since 1970; the deadline counts from here. */
  readonly arrivedMs: number;
  /** The client's address. */
  readonly from: string;
  /** The etags of the client's cached pages. */
  readonly etags?: readonly string[];
  /** Whether the answer may be a compressed reply (ZIP2). */
  readonly acceptsCompressed?: boolean;
}

/**
 * The approximate maximum of a page over a socket and for a tool. A socket buffers an answer whole,
 * beside pushes, and too much buffered data closes it. A tool parses its answer.
 */
export const SHORT_PAGE_BYTES = 512 * 1024;

/**
 * Validates and sends a call. Bodies of reads, and of commands that change no access, stay raw
 * JSON. It publishes before its first await, so that the calls of one socket keep their order.
 */
export type Dispatch = (call: Call) => Promise<ReplyMessage | RawReply | Refusal>;

interface DispatchOptions {
  requester: Pick<Requester, 'sendCommandRaw' | 'readRaw'>;
  /** Creates an id in a slot. */
  newId: (slot: number) => string;
  deadlineMs: number;
  audit: Audit;
}

export function createDispatch({ requester, newId, deadlineMs, audit }: DispatchOptions): Dispatch {
  return async (call) => {
    const {
      operation,
      input,
      user,
      scopes,
      token = null,
      transport,
      key,
      traceId,
      arrivedMs,
      from,
      etags = [],
      acceptsCompressed,
    } = call;
    const { name: event } = operation;
    if (user === null && operation.caller !== 'reader') return unauthorized;
    const deadline = arrivedMs + deadlineMs;
    if (operation.kind === 'read') {
      const payload = validatePayload(transport === 'socket' ? ofSockets(operation) : operation, input);
      if (isRefusal(payload)) return payload;
      const refused = refuseOutsideScopes(operation, payload, scopes);
      if (refused !== null) return refused;
      const shorter = transport === 'rest' ? {} : { pageBytes: SHORT_PAGE_BYTES };
      const known = etags.length > 0 ? { etags: [...etags] } : {};
      const message = {
        event,
        payload: ofWorkers(operation, payload),
        actor: user,
        deadline,
        traceId,
        ...shorter,
        ...known,
        ...(acceptsCompressed === true && { acceptsCompressed }),
      };
      return requester.readRaw(message, user === null ? undefined : partitionOf(slotOf(user.id)));
    }
    if (user === null) return unauthorized;
    const definition = definitionOf(event);
    if (definition === undefined) throw new Error(`no command does ${event}`);
    const parsed = validateMutation(operation, input);
    if (isRefusal(parsed)) return parsed;
    const { dryRun } = parsed;
    const refused =
      // A dry run changes nothing, so it needs only the scope `read` (DRY1).
      (dryRun ? refuseMissingScopes(['read'], scopes) : refuseOutsideScopes(operation, parsed.payload, scopes)) ??
      refuseNodesOfBot(event, parsed.payload, user);
    if (refused !== null) {
      auditCommand(audit, { event, payload: parsed.payload, reply: refusalReply(refused), who: user, from, traceId });
      return refused;
    }
    const checkedKey = validateKey(key);
    if (isRefusal(checkedKey)) return checkedKey;
    if (dryRun && checkedKey !== null) return keyOfDryRun;
    const payload = commandPayload(parsed, operation.scope === 'changes' ? scopes : null);
    const command = {
      id: newId(slotOf(user.id)),
      event,
      payload,
      actor: user,
      key: checkedKey,
      deadline,
      traceId,
      // Only a claim waits in a worker for anything but locks (CLAIM1).
      ...(event === 'node:claim' && token !== null ? { callerToken: token.id } : {}),
    };
    const partition = partitionOf(definition.route(parsed.payload, user));
    const { reply, ended } = await sendWhileValid(requester, { partition, command, token });
    if ('json' in reply) return reply;
    auditCommand(audit, { event, payload, reply, who: user, from, traceId });
    return ended === null || reply.ok ? reply : { ...ended, ...definedFields({ details: reply.details }) };
  };
}

interface SentCommand {
  readonly partition: number;
  readonly command: CommandMessage;
  readonly token: CallerToken | null;
}

/** Sends a command, and again only while its caller's token is valid. `ended` says why it was not sent again. */
async function sendWhileValid(
  requester: DispatchOptions['requester'],
  { partition, command, token }: SentCommand,
): Promise<{ readonly reply: ReplyMessage | JsonReply; readonly ended: Refusal | null }> {
  let ended: Refusal | null = null;
  const mayContinue = async () => {
    ended = (await token?.check()) ?? null;
    return ended === null;
  };
  const reply = await requester.sendCommandRaw(partition, command, token === null ? undefined : mayContinue);
  return { reply, ended };
}

const unauthorized = refuse('unauthorized', 'This needs an API token.');

/**
 * The payload of a command for a worker. A worker of the previous release refuses an unknown field
 * and does nothing: it knows no dry runs, and would ignore scopes elsewhere in the message.
 */
function commandPayload({ payload, dryRun }: Mutation, scopes: TokenScopes): Record<string, unknown> {
  if (dryRun) return { ...payload, dryRun };
  return scopes === null ? payload : { ...payload, scopes: [...scopes] };
}

function ofSockets(operation: Operation): Parsable {
  const payload = operation.transports.socket?.payload;
  return payload === undefined ? operation : { ...operation, payload };
}

/** Only gateways wait (LONG1): a worker of the previous release would refuse the field. */
function ofWorkers({ transports }: Operation, payload: Record<string, unknown>): Record<string, unknown> {
  if (transports.rest.waits !== true) return payload;
  const { wait: _wait, ...fields } = payload;
  return fields;
}

/** The validated payload of a call (GEN4). */
export function validatePayload(operation: Parsable, input: Input): Record<string, unknown> | Refusal {
  if ('value' in input) return parsePayload(operation, input.value);
  return onceEach(operation, input.query, parseQuery(operation, input.query.values));
}

/** The validated payload of a mutation. */
function validateMutation(operation: Parsable, input: Input): Mutation | Refusal {
  if ('value' in input) return parseMutation(operation, input.value);
  return onceEach(operation, input.query, parseMutationQuery(operation, input.query.values));
}

/**
 * A repeated field is invalid, except a list. Unknown and missing fields are reported before invalid
 * ones (GEN4).
 */
function onceEach<T>(operation: Parsable, { repeated }: QueryString, parsed: T | Refusal): T | Refusal {
  const twice = repeated.find((name) => !isListParameter(operation, name));
  if (twice === undefined || (isRefusal(parsed) && /\.(unknown_|immutable_|missing_)/.test(parsed.code))) return parsed;
  return refuseField('invalid', twice, `The field ${twice} is given more than once.`);
}

function validateKey(key: unknown): string | null | Refusal {
  if (key === undefined) return null;
  const result = idempotencyKey.safeParse(key);
  if (result.success) return result.data;
  return refuse('bad_request.invalid_idempotencyKey', 'An idempotency key is a text of 1 to 255 characters.', {
    path: 'idempotencyKey',
  });
}
