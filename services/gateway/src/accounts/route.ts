// The handler of an account operation; the table of them is in table.ts. Rules: AUTH1, AUTH2, AUTH4.

import type { AuditEvent, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import type { Refusal } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { type NameOf, OPERATIONS, type PayloadSchema } from '@taskgraph/wire/operations/operations';
import type { z } from 'zod';
import type { Identity } from '../auth/token.ts';
import type { Headers } from '../http/answer.ts';

/** The parts of a request that a route may use. */
export interface Circumstances {
  readonly traceId: string;
  /** Milliseconds since 1970; the deadline counts from here. */
  readonly arrivedMs: number;
  /** The Cookie header, or an empty text. */
  readonly cookie: string;
  /** The Host header, or an empty text. */
  readonly host: string;
  /** What follows the `?` of the address. */
  readonly query: string;
  /** Adds to what the audit log says of this call, also where it is refused in the end. */
  readonly note: (facts: AuditFacts) => void;
  /** The user it turned out to be, for the audit log: nobody was known when the call came. */
  readonly identify: (user: { readonly id: string; readonly email: string }) => void;
}

/** The result of a request: the answer's body without `ok` and `trace_id`, or why not. */
export type RouteResult =
  | Refusal
  | {
      readonly body: Record<string, unknown>;
      readonly headers?: Headers;
      /** A document in place of the body. */
      readonly page?: string;
      /** 200 if not given. */
      readonly status?: number;
    };

/** An account operation (libs/wire/src/operations/account-operations.ts) with its handler. */
export interface AccountRoute extends Operation {
  /** Its name in the audit log; null where it has no line there. */
  readonly audited: AuditEvent | null;
  /** `identity` is null for routes that everybody may call. */
  readonly perform: (
    payload: Record<string, unknown>,
    identity: Identity | null,
    circumstances: Circumstances,
  ) => Promise<RouteResult>;
}

type RouteName = NameOf<'account'>;
type RouteFields<N extends RouteName> = z.infer<PayloadSchema<N>>;

interface Declared<N extends RouteName> {
  readonly name: N;
  readonly audited?: AuditEvent;
}

type OpenName = { [N in RouteName]: (typeof OPERATIONS)[N]['caller'] extends 'anybody' ? N : never }[RouteName];

/** A route that everybody may call. */
export function openRoute<N extends OpenName>(
  { name, audited }: Declared<N>,
  perform: (payload: RouteFields<N>, circumstances: Circumstances) => Promise<RouteResult>,
): AccountRoute {
  return {
    ...(OPERATIONS[name] as Operation),
    audited: audited ?? null,
    perform: (payload, _nobody, circumstances) => perform(payload as RouteFields<N>, circumstances),
  };
}

/** A route of somebody who has signed in, or who has any token. */
export function ownRoute<N extends Exclude<RouteName, OpenName>>(
  { name, audited }: Declared<N>,
  perform: (payload: RouteFields<N>, identity: Identity, circumstances: Circumstances) => Promise<RouteResult>,
): AccountRoute {
  return {
    ...(OPERATIONS[name] as Operation),
    audited: audited ?? null,
    perform: (payload, identity, circumstances) => {
      if (identity === null) throw new Error(`${name} was performed for nobody`);
      return perform(payload as RouteFields<N>, identity, circumstances);
    },
  };
}
