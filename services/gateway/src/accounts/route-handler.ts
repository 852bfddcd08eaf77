// Runs an account route: validates the request in the order of rule GEN3, calls the route, writes
// the audit log. Rules: GEN3, AUTH2, AUTH4.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import type { Audit, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { scopesOf } from '@taskgraph/wire/scopes';
import type { Identity } from '../auth/token.ts';
import { type Input, validatePayload } from '../calls/dispatch.ts';
import { refuseOutsideScopes } from '../calls/scope-check.ts';
import type { Headers } from '../http/answer.ts';
import { etagsIn } from '../http/etags.ts';
import type { ReceivedRequest } from '../http/exchange.ts';
import type { AccountRoute, RequestContext } from './route.ts';

/** The answer over REST; `status` overrides that of the reply. */
export interface AccountReply {
  readonly reply: ReplyMessage | RawReply | Refusal;
  readonly headers?: Headers | undefined;
  readonly status?: number | undefined;
  readonly page?: string | undefined;
}

interface RouteRequest {
  readonly input: Input;
  readonly identity: Identity | null;
  readonly received: Pick<ReceivedRequest, 'query' | 'header'>;
  readonly traceId: string;
  readonly arrivedMs: number;
  /** The client's address. */
  readonly ip: string;
}

/**
 * Runs a route for the identified caller and writes its audit line. The line does not wait until the answer may be
 * given: the service may stop meanwhile.
 */
export async function performRoute(route: AccountRoute, request: RouteRequest, audit: Audit): Promise<AccountReply> {
  const { input, identity, received, traceId, arrivedMs, ip } = request;
  const payload = route.transports.rest.anyQuery ? {} : validatePayload(route, input);
  if (isRefusal(payload)) return { reply: payload };
  let who = identity?.user ?? null;
  // This event covers several routes. The fact precedes all refusals.
  let what: AuditFacts = route.audited === 'admin:read' ? { call: route.name } : {};
  let answerFromMs = 0;
  const written = (outcome: string) => {
    if (route.audited !== null) audit({ event: route.audited, outcome, who, from: ip, what, traceId });
  };
  const refused = identity === null ? null : refuseToken(route, identity, payload);
  const context: RequestContext = {
    traceId,
    arrivedMs,
    query: received.query,
    cookie: received.header('cookie'),
    host: received.header('host'),
    etags: etagsIn(received.header('if-none-match')),
    note: (facts) => {
      what = { ...what, ...facts };
    },
    answerFrom: (ms) => {
      answerFromMs = Math.max(answerFromMs, ms);
    },
    identify: (user) => {
      who = { username: '', ...user };
    },
  };
  const outcome =
    refused ??
    (await route.perform(payload, identity, context).catch((error: unknown) => {
      written('internal.exception');
      throw error;
    }));
  written(isRefusal(outcome) ? outcome.code : 'ok');
  const waitMs = answerFromMs - performance.now();
  if (waitMs > 0) await sleep(Math.ceil(waitMs));
  if (isRefusal(outcome)) return { reply: outcome, headers: retryHeaders(outcome) };
  const { body, headers, status, page } = outcome;
  return { reply: { ok: true, body }, headers, status, page };
}

/** Tells a limited caller how long to wait (LIM2). */
function retryHeaders({ code, details }: Refusal): Headers | undefined {
  const retryAfterMs = code === 'rate_limited' ? Number(details?.retryAfterMs) : Number.NaN;
  return retryAfterMs > 0 ? { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) } : undefined;
}

function refuseToken(route: AccountRoute, { token }: Identity, payload: Record<string, unknown>): Refusal | null {
  if (route.caller === 'session' && token.kind !== 'session') {
    return refuse('forbidden.session_required', 'This needs a session: sign in.');
  }
  return refuseOutsideScopes(route, payload, scopesOf(token));
}
