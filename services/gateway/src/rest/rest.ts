// REST: from a request to its answer, with checks in the order of rule GEN3. Rules: GEN3, LIM1.

import { type LimitName, limitsOf, weightOf } from '@taskgraph/commands/rate-limits';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { AccountRoute } from '../accounts/route.ts';
import { type AccountReply, performRoute } from '../accounts/route-handler.ts';
import type { Authenticate } from '../auth/authentication.ts';
import { credentialOf, refuseForgery } from '../auth/credential.ts';
import { type CookieSettings, refuseOrigin } from '../auth/origin.ts';
import type { Identity } from '../auth/token.ts';
import type { Observe } from '../calls/call-observer.ts';
import { nameOf } from '../calls/call-observer.ts';
import type { Dispatch, Input } from '../calls/dispatch.ts';
import type { InFlight } from '../calls/in-flight.ts';
import { fileAnswer, type ServedFile } from '../docs/files.ts';
import { answerOf, answerOfFailure, type CallAnswer, retryHeaders } from '../http/answer.ts';
import { parseBody, readBody } from '../http/body.ts';
import { etagsIn } from '../http/etags.ts';
import { copyRequest, openExchange, type ReceivedRequest } from '../http/exchange.ts';
import type { OpenRequest, OpenRequests } from '../http/open-requests.ts';
import { parseQueryString } from '../http/query-string.ts';
import { securityHeaders } from '../http/security-headers.ts';
import type { App, Response } from '../http/uws.ts';
import type { Limits } from '../limits/limits.ts';
import { withQuery } from './body-query.ts';
import { answerWithin } from './call-limits.ts';
import { originHeaders, preflightHeaders } from './cors.ts';
import { deprecationHeaders } from './deprecation.ts';
import { withOutcome, withRouteOutcome } from './outcome.ts';
import { type Methods, type Routable, routeTable } from './route-table.ts';

interface RestOptions {
  authenticate: Authenticate;
  dispatch: Dispatch;
  limits: Pick<Limits, 'take'>;
  /** Derives the client's address from the remote address and X-Forwarded-For. */
  addressOf: (remote: string, forwarded: string) => string;
  /** Static files, by their paths. */
  files: ReadonlyMap<string, ServedFile>;
  /** Bounds the open requests. */
  requests: Pick<OpenRequests, 'begin'>;
  accountRoutes: readonly AccountRoute[];
  /** The subject counted for an account's name: the account, or its known device (AUTH4). */
  shareOf: (email: string, request: { cookie: string; host: string }) => string;
  audit: Audit;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  /** Seconds for which browsers must use HTTPS; 0 leaves the header out. */
  hstsSeconds: number;
  /** Why the gateway is not ready, or null. */
  problem: () => string | null;
  isStopping: () => boolean;
  inFlight: InFlight;
  observe: Observe;
  log: { error(fields: object, message: string): void };
}

const HEALTH_PATH = '/api/health';
const HEALTH_LIMITS = ['health:minute', 'health:hour'] as const;

/** Answers all HTTP requests that the app has no other handler for. */
export function serveRest(app: App, options: RestOptions): void {
  const routes = routeTable(options.accountRoutes);
  app.any('/*', (response, request) => {
    const received = copyRequest(request, response);
    const methods = routes.get(received.path);
    const operation = methods?.get(received.method);
    const traceParent = received.header('traceparent');
    const call = options.observe({ ...nameOf(operation), transport: 'rest', traceParent });
    const { traceId } = call;
    const origin = received.header('origin');
    const refusedOrigin = refuseOrigin(origin, received.header('host'), options);
    const ip = options.addressOf(received.remoteAddress, received.header('x-forwarded-for'));
    const { request: open, refusal: refusedOpen } = options.requests.begin(ip);
    const exchange = openExchange(response, {
      request: open,
      method: received.method,
      isLast: options.isStopping,
      isProxied: received.header('x-forwarded-for') !== '',
    });
    const headers = {
      ...securityHeaders(origin, options),
      ...(refusedOrigin === null ? originHeaders(origin) : {}),
      ...deprecationHeaders(operation),
    };
    const respond = (answering: () => Promise<CallAnswer>, more: Record<string, string> = {}) => {
      const finished = options.inFlight.begin();
      const send = (result: CallAnswer, all: Record<string, string>) => {
        exchange.send(result, all);
        call.end(result.status);
      };
      void call
        .within(answering)
        .then((result) => send(result, { ...headers, ...more }))
        .catch((error: unknown) => send(answerOfFailure(error, traceId, options.log), headers))
        .finally(finished);
    };
    const within = (names: readonly LimitName[], answer: () => CallAnswer) => () =>
      answerWithin(options, { names, traceId, ip }, answer);
    if (refusedOpen !== null)
      return respond(
        within(['rest'], () => withOutcome(answerOf(refusedOpen, traceId), operation)),
        retryHeaders(refusedOpen),
      );
    if (refusedOrigin !== null) return respond(within(['rest'], () => answerOf(refusedOrigin, traceId)));
    if (received.method === 'OPTIONS') {
      exchange.sendHead({ ...headers, ...preflightHeaders(methods) });
      return call.end(200);
    }
    if (received.path === HEALTH_PATH && (received.method === 'GET' || received.method === 'HEAD')) {
      return respond(within(HEALTH_LIMITS, () => healthAnswer(options.problem(), traceId)));
    }
    if (operation === undefined) {
      const file =
        received.method === 'GET' || received.method === 'HEAD' ? options.files.get(received.path) : undefined;
      if (file !== undefined)
        return respond(within(['rest'], () => fileAnswer(file, received.header('if-none-match'))));
      const allowed = methodsAt(received.path, methods, options.files);
      return respond(
        within(['rest'], () => answerOf(allowed === null ? notFound : wrongMethod, traceId)),
        allowed === null ? {} : { Allow: allowed },
      );
    }
    respond(async () => {
      const routed = { received, operation, traceId, ip, open };
      return withOutcome(await answer(options, response, routed), operation);
    });
  });
}

const notFound = refuse('not_found', 'There is no such path.');
const wrongMethod = refuse(
  'bad_request.method',
  'The path does not support this method; the header `Allow` lists the supported ones.',
);

/** The value of `Allow` for a path; null if the path does not exist. */
function methodsAt(path: string, methods: Methods | undefined, files: RestOptions['files']): string | null {
  if (methods !== undefined) return [...methods.keys()].join(', ');
  return path === HEALTH_PATH || files.has(path) ? 'GET, HEAD' : null;
}

interface RoutedRequest {
  readonly received: ReceivedRequest;
  readonly operation: Routable;
  readonly traceId: string;
  /** The client's address. */
  readonly ip: string;
  readonly open: Pick<OpenRequest, 'keepBody'>;
}

/** Resolves the token before the limits, which count by user, else by address. */
async function answer(options: RestOptions, response: Response, routed: RoutedRequest): Promise<CallAnswer> {
  const { received, operation, traceId, ip, open } = routed;
  const arrivedMs = Date.now();
  const hasBody = received.method !== 'GET';
  const body = hasBody ? await readBody(response, received.header('content-length'), open.keepBody) : null;
  const identity = isRefusal(body) ? body : await identify(options, routed);
  // If no worker can identify the caller, the call must not count for the address.
  if (isRefusal(identity) && httpStatusOf(identity.code) >= 500) return answerOf(identity, traceId);
  const input = isRefusal(body) ? body : withQuery(inputOf(received, body), received.query, operation);
  const user = isRefusal(identity) ? null : (identity?.user ?? null);
  const call = operation.name;
  // A known caller counts as their own account, whichever account they name.
  const email = user?.email ?? accountIn(input);
  const headed = { cookie: received.header('cookie'), host: received.header('host') };
  const account = email === undefined ? undefined : options.shareOf(email, headed);
  const weight = isRefusal(input) || !('value' in input) ? 1 : weightOf(call, input.value);
  const caller = { ip, user: user?.id ?? null, call, weight, ...definedFields({ account }) };
  return answerWithin(options, { names: limitsOf('rest', call), traceId, ...caller }, async () => {
    if (isRefusal(identity)) return { ...answerOf(identity, traceId), headers: retryHeaders(identity) };
    if (isRefusal(input)) return answerOf(input, traceId);
    const { reply, headers, status, page } = await perform(options, routed, { input, identity, arrivedMs });
    const answered = answerOf(reply, traceId);
    const more = { ...(headers && { headers }), ...definedFields({ page }) };
    return { ...answered, status: status ?? answered.status, ...more };
  });
}

/** The account that a sign-in or registration names: its limits count by account (AUTH1). */
function accountIn(input: Input | Refusal): string | undefined {
  const email = 'value' in input ? (input.value as { email?: unknown } | null)?.email : undefined;
  return typeof email === 'string' ? email : undefined;
}

interface IdentifiedRequest {
  readonly input: Input;
  readonly identity: Identity | null;
  readonly arrivedMs: number;
}

async function perform(
  options: RestOptions,
  { received, operation, traceId, ip }: RoutedRequest,
  { input, identity, arrivedMs }: IdentifiedRequest,
): Promise<AccountReply> {
  if ('perform' in operation) {
    const request = { input, identity, received, traceId, arrivedMs, ip };
    return withRouteOutcome(await performRoute(operation, request, options.audit), operation);
  }
  const key = received.header('idempotency-key') || (received.hasEmptyKey ? '' : undefined);
  const caller = { user: identity?.user ?? null, readOnly: identity?.token.readOnly === true };
  const etags = etagsIn(received.header('if-none-match'));
  const call = { operation, input, ...caller, transport: 'rest', key, traceId, arrivedMs, from: ip, etags } as const;
  return { reply: await options.dispatch(call) };
}

/**
 * Null for an anonymous call that has no token and needs none (PUB3). A wrong token is refused even
 * there.
 */
async function identify(
  options: RestOptions,
  { received, operation, ip }: RoutedRequest,
): Promise<Identity | null | Refusal> {
  // An old token must not make a sign-in fail.
  if (operation.caller === 'anybody') return null;
  const mayBeAnonymous = operation.caller === 'reader';
  const authorization = received.header('authorization');
  const [cookie, host] = [received.header('cookie'), received.header('host')];
  const { token, isCookie } = credentialOf({ authorization, cookie, host }, options.cookies);
  if (authorization === '' && token === null && mayBeAnonymous) return null;
  const forged =
    isCookie && operation.changes ? refuseForgery(received.header('origin'), received.header('sec-fetch-site')) : null;
  if (forged !== null) return forged;
  const identity = await options.authenticate(token, ip);
  // A browser still sends the cookie of an ended session: the call is anonymous then.
  return isRefusal(identity) && identity.code === 'unauthorized' && isCookie && mayBeAnonymous ? null : identity;
}

/**
 * Reads, and DELETE without a body, have their fields in the query (GEN5). Any other empty body is
 * an empty object.
 */
function inputOf(received: ReceivedRequest, body: Uint8Array | null): Input | Refusal {
  if (body !== null && body.length > 0) return parseBody(body, received.header('content-type'));
  if (body !== null && received.method !== 'DELETE') return { value: {} };
  const query = parseQueryString(received.query);
  return isRefusal(query) ? query : { query };
}

function healthAnswer(problem: string | null, traceId: string): CallAnswer {
  if (problem !== null) return answerOf(refuse('internal', problem), traceId);
  return answerOf({ ok: true, body: { status: 'up' } }, traceId);
}
