// The declaration of a route of accounts; the table of them is in table.ts. Rules: AUTH1, AUTH2, AUTH4.
import type { RestRoute } from '@taskgraph/commands/define-command';
import type { AuditEvent, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import type { Resource } from '@taskgraph/wire/entities';
import type { Refusal } from '@taskgraph/wire/errors';
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

/** A route of accounts. It is for REST alone. */
export interface AccountRoute {
  readonly kind: 'account';
  /** Its own name, by which limits know it. */
  readonly name: string;
  readonly rest: RestRoute;
  /** Its callers: everybody, whoever has a token, or a session alone (`forbidden.session_required`). */
  readonly caller: 'anybody' | 'token' | 'session';
  /** Whether it changes something, which read-only tokens may not do, nor pages of others by a cookie. */
  readonly changes: boolean;
  readonly resource: Resource;
  /** Its name in the audit log; null where it has no line there. */
  readonly audited: AuditEvent | null;
  /** The fields; null where somebody else says what comes in the query. */
  readonly payload: z.ZodObject | null;
  /** `identity` is null for routes that everybody may call. */
  readonly perform: (
    payload: Record<string, unknown>,
    identity: Identity | null,
    circumstances: Circumstances,
  ) => Promise<RouteResult>;
}

interface Declared<S extends z.ZodObject> {
  readonly name: string;
  readonly rest: RestRoute;
  readonly changes?: boolean;
  readonly resource?: Resource;
  readonly audited?: AuditEvent;
  readonly payload: S;
}

/** A route that everybody may call. */
export function openRoute<S extends z.ZodObject>(
  declared: Omit<Declared<S>, 'payload'> & { readonly payload: S | null },
  perform: (payload: z.infer<S>, circumstances: Circumstances) => Promise<RouteResult>,
): AccountRoute {
  return {
    ...{ kind: 'account', caller: 'anybody', changes: false, resource: 'user', audited: null },
    ...declared,
    perform: (payload, _nobody, circumstances) => perform(payload as z.infer<S>, circumstances),
  };
}

/** A route of somebody who has signed in, or who has any token. */
export function ownRoute<S extends z.ZodObject>(
  declared: Declared<S> & { readonly caller: 'token' | 'session' },
  perform: (payload: z.infer<S>, identity: Identity, circumstances: Circumstances) => Promise<RouteResult>,
): AccountRoute {
  return {
    ...{ kind: 'account', changes: false, resource: 'user', audited: null },
    ...declared,
    perform: (payload, identity, circumstances) => {
      if (identity === null) throw new Error(`${declared.name} was performed for nobody`);
      return perform(payload as z.infer<S>, identity, circumstances);
    },
  };
}
