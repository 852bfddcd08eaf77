// The declaration of a call: all that a client must know of it. Documents, types of the SDK and checks of answers come from it.
import type { z } from 'zod';
import type { Resource } from '../entities.ts';
import type { ERRORS } from '../error-codes.ts';
import type { PushName } from './pushes.ts';

/** How a REST client calls it; `path` is below the base URL. */
export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Whether POST stands for GET too, for a read whose fields may be too long for a query string. */
  readonly alsoPost?: true;
}

/** A code of the table; `<field>` stands for the name of a field of the call. */
export type ErrorName = keyof typeof ERRORS;

/** The least that a caller must have. */
interface Needed {
  /** The level, or null where a sentence alone can say it. */
  readonly least: 'viewer' | 'editor' | 'admin' | 'owner' | null;
  /** A sentence for people. */
  readonly say: string;
}

/** A call over either transport. */
export interface Call {
  readonly kind: 'command' | 'read';
  /** The socket event. */
  readonly event: string;
  readonly rest: RestRoute;
  /** One sentence. */
  readonly summary: string;
  /** The rest of what a caller should know, in a few sentences. */
  readonly description: string;
  /** The entity whose fields the payload names: tells immutable fields from unknown ones (GEN4). */
  readonly resource: Resource;
  /** Closed, without the idempotency key. */
  readonly payload: z.ZodObject;
  /** The payload over sockets where it differs. All that it lets through also fits `payload`. */
  readonly socketPayload?: z.ZodObject;
  /** A field that an anonymous socket may leave out: its public token stands for it. */
  readonly implied?: string;
  /** Fields that no query string can hold. */
  readonly onlyInBody?: readonly string[];
  /** Whether readers without an account may ask it (PUB3). */
  readonly anonymous?: true;
  /** The whole answer where it was done. */
  readonly answer: z.ZodType;
  /** The codes of its own; `errorsOf` adds those of every call. */
  readonly errors: readonly ErrorName[];
  /** The pushes that it may lead to, for its caller and others. */
  readonly pushes: readonly PushName[];
  readonly level: Needed;
  /** Ids of docs/rules.md. */
  readonly rules: readonly string[];
  /** A payload; a test makes the call with it (libs/wire/src/calls/examples.ts). */
  readonly example: Readonly<Record<string, unknown>>;
}

/** Codes that any call may be answered. */
const EVERY: readonly ErrorName[] = [
  'bad_request',
  'bad_request.invalid_body',
  'bad_request.unknown_field',
  'bad_request.immutable_field',
  'bad_request.missing_<field>',
  'bad_request.invalid_<field>',
  'bad_request.invalid_uuid',
  'bad_request.out_of_range',
  'bad_request.too_large',
  'unauthorized',
  'rate_limited',
  'internal.exception',
  'internal.broken_answer',
  'internal.too_large',
  'unavailable',
];

/** Codes that come over REST alone. */
export const OVER_REST: readonly ErrorName[] = [
  'bad_request.invalid_json',
  'bad_request.invalid_content_type',
  'forbidden.origin',
];

/** Codes of every mutation: of its key, and of tokens that only read. */
const OF_COMMANDS: readonly ErrorName[] = [
  'bad_request.invalid_idempotencyKey',
  'bad_request.dry_run_key',
  'forbidden.read_only',
  'conflict.idempotency_key',
];

/** All codes that a call may be answered over a transport, each once. */
export function errorsOf({ kind, errors }: Pick<Call, 'kind' | 'errors'>, transport: 'rest' | 'socket'): ErrorName[] {
  const shared = [
    ...EVERY,
    ...(transport === 'rest' ? OVER_REST : (['forbidden'] as const)),
    ...(kind === 'command' ? OF_COMMANDS : []),
  ];
  return [...new Set([...errors, ...shared])];
}

/** The same of an account's route. */
export function errorsOfRoute(route: {
  readonly errors: readonly ErrorName[];
  readonly caller: 'anybody' | 'token' | 'session';
  readonly changes: boolean;
}): ErrorName[] {
  const session: readonly ErrorName[] = route.caller === 'session' ? ['forbidden.session_required'] : [];
  const readOnly: readonly ErrorName[] = route.changes && route.caller !== 'anybody' ? ['forbidden.read_only'] : [];
  return [...new Set([...route.errors, ...EVERY, ...OVER_REST, 'internal.unproven' as const, ...session, ...readOnly])];
}
