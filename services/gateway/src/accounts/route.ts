// The type of an account route: an account operation with its handler. table.ts lists all routes.
// Rules: AUTH1, AUTH2, AUTH4.

import type { AuditEvent, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import type { Refusal } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { type NameOf, OPERATIONS, type PayloadSchema } from '@taskgraph/wire/operations/operations';
import type { z } from 'zod';
import type { Identity } from '../auth/token.ts';
import type { Headers } from '../http/answer.ts';

/** The parts of a request that a route uses besides its payload. */
export interface RequestContext {
  readonly traceId: string;
  /** Milliseconds since 1970; the deadline counts from here. */
  readonly arrivedMs: number;
  /** The Cookie header, or an empty text. */
  readonly cookie: string;
  /** The Host header, or an empty text. */
  readonly host: string;
  /** The query string. */
  readonly query: string;
  /** The etags in If-None-Match, without quotes. */
  readonly etags: readonly string[];
  /** Adds facts to the call's audit line, which is written even if the call is refused. */
  readonly note: (facts: AuditFacts) => void;
  /** Delays the answer until this time of the monotonic clock (`performance.now()`); the latest one counts. */
  readonly answerFrom: (ms: number) => void;
  /** Names the user of an anonymous call for the audit log. */
  readonly identify: (user: { readonly id: string; readonly email: string }) => void;
}

/** The answer's body without `ok` and `trace_id`, or a refusal. */
export type RouteResult =
  | Refusal
  | {
      readonly body: Record<string, unknown>;
      readonly headers?: Headers;
      /** A document instead of the body. */
      readonly page?: string;
      /** 200 by default. */
      readonly status?: number;
    };

/** An account operation (libs/wire/src/operations/account-operations.ts) with its handler. */
export interface AccountRoute extends Operation {
  /** Its event in the audit log; null without an audit line. */
  readonly audited: AuditEvent | null;
  /** `identity` is null for public routes. */
  readonly perform: (
    payload: Record<string, unknown>,
    identity: Identity | null,
    context: RequestContext,
  ) => Promise<RouteResult>;
}

type RouteName = NameOf<'account'>;
type RouteFields<N extends RouteName> = z.infer<PayloadSchema<N>>;

interface RouteDeclaration<N extends RouteName> {
  readonly name: N;
  readonly audited?: AuditEvent;
}

type PublicRouteName = {
  [N in RouteName]: (typeof OPERATIONS)[N]['caller'] extends 'anybody' ? N : never;
}[RouteName];

/** A route that needs no token. */
export function publicRoute<N extends PublicRouteName>(
  { name, audited }: RouteDeclaration<N>,
  perform: (payload: RouteFields<N>, context: RequestContext) => Promise<RouteResult>,
): AccountRoute {
  return {
    ...(OPERATIONS[name] as Operation),
    audited: audited ?? null,
    perform: (payload, _identity, context) => perform(payload as RouteFields<N>, context),
  };
}

/** A route that needs a session or a token. */
export function authenticatedRoute<N extends Exclude<RouteName, PublicRouteName>>(
  { name, audited }: RouteDeclaration<N>,
  perform: (payload: RouteFields<N>, identity: Identity, context: RequestContext) => Promise<RouteResult>,
): AccountRoute {
  return {
    ...(OPERATIONS[name] as Operation),
    audited: audited ?? null,
    perform: (payload, identity, context) => {
      if (identity === null) throw new Error(`${name} was called without an identity`);
      return perform(payload as RouteFields<N>, identity, context);
    },
  };
}
