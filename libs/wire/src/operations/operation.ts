// The declaration of an operation. Routes, events, documents, the SDK's types, the command line's
// catalog and the checks of answers derive from it.
import type { z } from 'zod';
import type { Resource } from '../entities.ts';
import type { ERRORS } from '../error-codes.ts';
import type { Refusal } from '../errors.ts';
import type { Scope } from '../scopes.ts';
import type { PushName } from './pushes.ts';

/** The route of an operation over REST. */
export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base URL. */
  readonly path: string;
  /**
   * Whether a POST makes the same call, for a read whose fields do not fit into a query string or do
   * not belong into a URL. A path of its own if another operation has POST.
   */
  readonly alsoPost?: true | string;
  /**
   * Set if a DELETE is described with a body, because its fields do not belong into a URL, which
   * proxies log. The service accepts them in either place (GEN5).
   */
  readonly describedBody?: true;
  /** Fields that only a body can contain. */
  readonly onlyInBody?: readonly string[];
  /**
   * Whether `wait` delays an answer without changes, by some seconds. Only gateways read this
   * field.
   */
  readonly waits?: true;
  /** A field whose members are parameters of the query (`flatFields`). */
  readonly flattened?: string;
  /** Whether the query may contain unknown fields, because another party writes it. */
  readonly anyQuery?: true;
}

/** Whether the route is described with a body; otherwise its fields are in the query string. */
export function hasBody({ method, describedBody }: RestRoute): boolean {
  return method === 'POST' || method === 'PUT' || describedBody === true;
}

/** The methods and paths of an operation, its own first. */
export function routesOf({ transports }: Pick<Operation, 'transports'>): Pick<RestRoute, 'method' | 'path'>[] {
  const { method, path, alsoPost } = transports.rest;
  if (alsoPost === undefined) return [{ method, path }];
  return [
    { method, path },
    { method: 'POST', path: alsoPost === true ? path : alsoPost },
  ];
}

/** The event over sockets. It is the operation's name. */
interface SocketEvent {
  /**
   * The payload, if it differs from that of REST. Every accepted value also fits the operation's
   * `payload`.
   */
  readonly payload?: z.ZodObject;
  /**
   * A field that an anonymous socket may omit. The gateway sets it to the socket's public token.
   */
  readonly implied?: string;
}

/** Every operation has a route. Operations on the graph also have an event. */
interface Transports {
  readonly rest: RestRoute;
  readonly socket?: SocketEvent;
}

/** A code of the table; `<field>` stands for a field name of the operation. */
export type ErrorName = keyof typeof ERRORS;

/** The minimum level of the caller. */
interface RequiredLevel {
  /** Null if only the sentence can express it. */
  readonly least: 'viewer' | 'editor' | 'admin' | 'owner' | null;
  /** A sentence for people. */
  readonly say: string;
}

/** The notice that an operation will be removed. */
export interface Deprecation {
  /** The day of the first release that announces it, such as `2027-01-31`. */
  readonly since: string;
  /** The first day on which a release may lack it; absent while no day is fixed. */
  readonly sunset?: string;
}

/** An operation: a command or a read on the graph, or an operation on accounts. */
export interface Operation {
  /** Unique. It is the event over sockets, and the name in limits, metrics and traces. */
  readonly name: string;
  /** Workers decide commands and answer reads. Gateways handle account operations. */
  readonly kind: 'command' | 'read' | 'account';
  readonly transports: Transports;
  /** One sentence. */
  readonly summary: string;
  /** A few more sentences for the caller. */
  readonly description: string;
  /**
   * The callers: everyone, readers with a public token or an account, users with any token, or
   * sessions only.
   */
  readonly caller: 'anybody' | 'reader' | 'token' | 'session';
  /**
   * Whether it changes data. Read-only tokens may not call it, nor may pages of other sites with a
   * cookie.
   */
  readonly changes: boolean;
  /**
   * The scope that an API token needs (SCOPE1). `operations`: the scopes of the operations that the
   * payload contains. `changes`: those of the changes that a revert makes. `none`: it needs no
   * scope, or a session.
   */
  readonly scope: Scope | 'operations' | 'changes' | 'none';
  /**
   * Further scopes that it needs: `read` if it answers more than its own changes, and those of changes that
   * it prepares.
   */
  readonly moreScopes?: readonly Scope[];
  /**
   * The entity that a mutation writes. It distinguishes immutable fields from unknown ones (GEN4). A
   * read has none: all its unknown fields are unknown (GEN4).
   */
  readonly resource?: Resource;
  /** Closed, without the idempotency key. */
  readonly payload: z.ZodObject;
  /**
   * Refuses a payload that fits its schema but that no state could permit, such as a link from a
   * node to itself (GEN3).
   */
  check?(payload: Record<string, unknown>): Refusal | null;
  /** The body of a success, a document, or the status of a redirect. */
  readonly answer: z.ZodType | 'document' | 302 | 303;
  /**
   * Whether answers over REST may be compressed (ZIP1). Never for an answer that has a secret next to
   * texts that others choose: the compressed length would reveal the secret (BREACH). The gateway
   * itself leaves answers with public tokens plain.
   */
  readonly compress?: true;
  /** The operation's own codes; `errorsOf` adds the shared ones. */
  readonly errors: readonly ErrorName[];
  /** The pushes that it may cause. */
  readonly pushes: readonly PushName[];
  readonly level: RequiredLevel;
  /** Set if clients should no longer make the call (docs/versions.md). */
  readonly deprecated?: Deprecation;
  /** Ids of docs/rules.md. */
  readonly rules: readonly string[];
  /** A payload, which a test sends (libs/wire/src/operations/examples.ts). */
  readonly example: Readonly<Record<string, unknown>>;
}

const SCOPE_SENTENCES: Readonly<Partial<Record<Operation['scope'], string>>> = {
  none: '',
  operations: ' Scopes: those of its operations.',
  changes: ' Scopes: those of the changes that it makes.',
};

/** The needed level and the needed scope, in sentences. */
export function requirementsOf({
  level,
  scope,
  moreScopes = [],
}: Pick<Operation, 'level' | 'scope' | 'moreScopes'>): string {
  const named = moreScopes.length === 0 ? ` Scope: ${scope}.` : ` Scopes: ${[scope, ...moreScopes].join(' and ')}.`;
  return level.say + (SCOPE_SENTENCES[scope] ?? named);
}

/** The common parts of commands and of reads. */
export const COMMAND = { kind: 'command', caller: 'token', changes: true, compress: true } as const;
export const READ = {
  kind: 'read',
  caller: 'token',
  changes: false,
  scope: 'read',
  compress: true,
  pushes: [],
} as const;

/** Codes of a command on one existing entity. */
export const ON_ENTITY = ['not_found', 'forbidden', 'version_conflict'] as const;

/** Codes that every operation may answer. */
const SHARED_ERRORS: readonly ErrorName[] = [
  'bad_request',
  'bad_request.invalid_body',
  'bad_request.unknown_field',
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

/** Codes of one transport. */
const TRANSPORT_ERRORS: Readonly<Record<keyof Transports, readonly ErrorName[]>> = {
  rest: ['bad_request.invalid_json', 'bad_request.invalid_content_type', 'forbidden.origin'],
  socket: ['forbidden'],
};

/** Codes of every command: about its idempotency key, and about read-only tokens. */
const COMMAND_ERRORS: readonly ErrorName[] = [
  'bad_request.invalid_idempotencyKey',
  'bad_request.dry_run_key',
  'forbidden.read_only',
  'conflict.idempotency_key',
];

/** Codes of every operation that needs a scope. */
const SCOPE_ERRORS: readonly ErrorName[] = ['forbidden.scope'];

type ErrorContext = Pick<Operation, 'kind' | 'errors' | 'caller' | 'changes' | 'resource' | 'scope'>;

/** All codes that an operation may answer over a transport, each once. */
export function errorsOf(operation: ErrorContext, transport: keyof Transports): ErrorName[] {
  const shared =
    operation.kind === 'account' ? accountErrors(operation) : operation.kind === 'command' ? COMMAND_ERRORS : [];
  const written: readonly ErrorName[] = operation.resource === undefined ? [] : ['bad_request.immutable_field'];
  const scoped = operation.scope === 'none' ? [] : SCOPE_ERRORS;
  const ofKind = [...written, ...TRANSPORT_ERRORS[transport], ...shared, ...scoped];
  return [...new Set([...operation.errors, ...SHARED_ERRORS, ...ofKind])];
}

function accountErrors({ caller, changes }: ErrorContext): readonly ErrorName[] {
  const session: readonly ErrorName[] = caller === 'session' ? ['forbidden.session_required'] : [];
  const readOnly: readonly ErrorName[] = changes && caller !== 'anybody' ? ['forbidden.read_only'] : [];
  return ['internal.unproven', ...session, ...readOnly];
}
