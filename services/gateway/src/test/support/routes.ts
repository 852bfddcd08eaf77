// Hand-made routes with defaults.
import type { AuditEvent } from '@taskgraph/runtime/telemetry/audit';
import type { Deprecation, Operation, RestRoute } from '@taskgraph/wire/operations/operation';
import type { z } from 'zod';
import type { AccountRoute, RequestContext, RouteResult } from '../../accounts/route.ts';
import type { Identity } from '../../auth/token.ts';

interface Declared<S extends z.ZodObject> {
  readonly name: string;
  readonly rest: RestRoute;
  readonly payload: S;
  readonly caller?: 'token' | 'session';
  readonly scope?: Operation['scope'];
  readonly changes?: boolean;
  readonly audited?: AuditEvent;
  readonly deprecated?: Deprecation;
}

/** A route of somebody, or of everybody where it names no caller; `identity` is null then. */
export function madeRoute<S extends z.ZodObject>(
  { rest, caller, changes = false, audited, ...declared }: Declared<S>,
  perform: (payload: z.infer<S>, identity: Identity | null, context: RequestContext) => Promise<RouteResult>,
): AccountRoute {
  return {
    kind: 'account',
    caller: caller ?? 'anybody',
    changes,
    scope: 'none',
    resource: 'user',
    audited: audited ?? null,
    summary: '',
    description: '',
    answer: 'document',
    errors: [],
    pushes: [],
    rules: [],
    example: {},
    level: { least: null, say: '' },
    transports: { rest },
    ...declared,
    perform: (payload, identity, context) => perform(payload as z.infer<S>, identity, context),
  };
}
