// The one way from a request, whichever transport it came by, to the workers. Rules: GEN3, GEN4, GEN5, GEN8, GEN11.
import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import type { Requester } from '@taskgraph/bus/requests/request';
import { definitionOf } from '@taskgraph/commands/commands';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import { isRefusal, type Refusal, refuse, refuseField } from '@taskgraph/wire/errors';
import { idempotencyKey } from '@taskgraph/wire/fields';
import { partitionOf, slotOf } from '@taskgraph/wire/ids';
import type { ActingUser, ReplyMessage } from '@taskgraph/wire/messages';
import type { Operation } from '@taskgraph/wire/operations/operation';
import {
  keyOfDryRun,
  type Mutation,
  type Parsable,
  parseMutation,
  parseMutationQuery,
  parsePayload,
  parseQuery,
} from '@taskgraph/wire/operations/payload-parser';
import type { QueryString } from '../http/query-string.ts';
import { auditCommand } from './auditing.ts';

/** The client's input: a JSON value, or the fields of a query string. */
export type Input = { readonly value: unknown } | { readonly query: QueryString };

interface Call {
  readonly operation: Operation;
  readonly input: Input;
  /** Null for an anonymous reader, who may ask what is declared so (PUB3). */
  readonly user: ActingUser | null;
  /** Whether the caller's token may only read (AUTH2). */
  readonly readOnly: boolean;
  /** Sockets are asked for other fields here and there. */
  readonly transport: 'rest' | 'socket';
  /** The Idempotency-Key as it came; undefined where there is none. */
  readonly key: unknown;
  readonly traceId: string;
  /** Milliseconds since 1970; the deadline counts from here. */
  readonly arrivedMs: number;
  /** The client's address. */
  readonly from: string;
  /** The etags of pages that the client has. */
  readonly etags?: readonly string[];
}

/**
 * About the most bytes of a page over a socket: an answer waits there as a whole while the client reads it, beside pushes, and too much that
 * waits ends the connection.
 */
const SOCKET_PAGE_BYTES = 512 * 1024;

/** Judges and sends; the body of what was read, or done without a change of access, stays as it came. It publishes before it returns, so that the calls of one socket go out in the order in which they came. */
export type Dispatch = (call: Call) => Promise<ReplyMessage | RawReply | Refusal>;

interface Options {
  requester: Pick<Requester, 'sendCommandRaw' | 'readRaw'>;
  /** Makes an id in a slot. */
  newId: (slot: number) => string;
  deadlineMs: number;
  audit: Audit;
}

export function createDispatch({ requester, newId, deadlineMs, audit }: Options): Dispatch {
  return async (call) => {
    const { operation, input, user, readOnly, transport, key, traceId, arrivedMs, from, etags = [] } = call;
    const { name: event } = operation;
    if (user === null && operation.caller !== 'reader') return unauthorized;
    const deadline = arrivedMs + deadlineMs;
    if (operation.kind === 'read') {
      const payload = validatePayload(transport === 'socket' ? ofSockets(operation) : operation, input);
      if (isRefusal(payload)) return payload;
      const shorter = transport === 'socket' ? { pageBytes: SOCKET_PAGE_BYTES } : {};
      const known = etags.length > 0 ? { etags: [...etags] } : {};
      const message = { event, payload, actor: user, deadline, traceId, ...shorter, ...known };
      return requester.readRaw(message, user === null ? undefined : partitionOf(slotOf(user.id)));
    }
    if (user === null) return unauthorized;
    const definition = definitionOf(event);
    if (definition === undefined) throw new Error(`no command does ${event}`);
    const parsed = validateMutation(operation, input);
    if (isRefusal(parsed)) return parsed;
    const { dryRun } = parsed;
    // A dry run is a read by what it does.
    if (readOnly && !dryRun) return onlyReading;
    const checkedKey = validateKey(key);
    if (isRefusal(checkedKey)) return checkedKey;
    if (dryRun && checkedKey !== null) return keyOfDryRun;
    // A worker of the release before knows no such field, and refuses it instead of doing it.
    const payload = dryRun ? { ...parsed.payload, dryRun } : parsed.payload;
    const command = { id: newId(slotOf(user.id)), event, payload, actor: user, key: checkedKey, deadline, traceId };
    const reply = await requester.sendCommandRaw(partitionOf(definition.route(parsed.payload, user)), command);
    if ('json' in reply) return reply;
    auditCommand(audit, { event, payload, reply, who: user, from, traceId });
    return reply;
  };
}

const unauthorized = refuse('unauthorized', 'This needs an API token.');
const onlyReading = refuse('forbidden.read_only', 'This token is read-only.');

function ofSockets(operation: Operation): Parsable {
  const payload = operation.transports.socket?.payload;
  return payload === undefined ? operation : { ...operation, payload };
}

/** The payload of a call, or why it is none (GEN4). */
export function validatePayload(operation: Parsable, input: Input): Record<string, unknown> | Refusal {
  if ('value' in input) return parsePayload(operation, input.value);
  return onceEach(operation, input.query, parseQuery(operation, input.query.values));
}

/** The same of a mutation. */
function validateMutation(operation: Parsable, input: Input): Mutation | Refusal {
  if ('value' in input) return parseMutation(operation, input.value);
  return onceEach(operation, input.query, parseMutationQuery(operation, input.query.values));
}

/** Unknown and missing fields are judged before invalid ones (GEN4), and a field that is there twice is an invalid one. */
function onceEach<T>({ payload }: Parsable, { repeated }: QueryString, parsed: T | Refusal): T | Refusal {
  const twice = repeated.find((name) => Object.hasOwn(payload.shape, name) || name === 'dryRun');
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
