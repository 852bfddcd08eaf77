// The REST side: from a request to an answer, judged in the order of rule GEN3, within the limits of LIM1.
import { type LimitName, limitsOf, weightOf } from '@taskgraph/commands/rate-limits';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type AccountReply, performRoute } from '../accounts/performing.ts';
import type { AccountRoute } from '../accounts/route.ts';
import type { Authenticate } from '../auth/authentication.ts';
import { credentialOf, refuseForgery } from '../auth/credential.ts';
import { type CookieSettings, refuseOrigin } from '../auth/origin.ts';
import type { Identity } from '../auth/token.ts';
import type { Dispatch, Input } from '../calls/dispatch.ts';
import type { InFlight } from '../calls/in-flight.ts';
import type { Observe } from '../calls/observing.ts';
import { nameOf } from '../calls/observing.ts';
import { fileAnswer, type ServedFile } from '../docs/files.ts';
import { type Answer, answerOf, answerOfFailure, retryHeaders } from '../http/answer.ts';
import { parseBody, readBody } from '../http/body.ts';
import { etagsIn } from '../http/etags.ts';
import { type Arrived, copyRequest, openExchange } from '../http/exchange.ts';
import type { OpenRequest, OpenRequests } from '../http/open-requests.ts';
import { parseQueryString } from '../http/query-string.ts';
import { securityHeaders } from '../http/security-headers.ts';
import type { App, Response } from '../http/uws.ts';
import type { Limits } from '../limits/limits.ts';
import { withQuery } from './body-query.ts';
import { originHeaders, preflightHeaders } from './cors.ts';
import { answerWithin } from './limited.ts';
import { withOutcome, withRouteOutcome } from './outcome.ts';
import { type Methods, type Routable, routesOf } from './routes.ts';

interface Options {
  authenticate: Authenticate;
  dispatch: Dispatch;
  limits: Pick<Limits, 'take'>;
  /** The client's address, of the connection's other end and its X-Forwarded-For. */
  addressOf: (remote: string, forwarded: string) => string;
  /** Served as they are, by their paths. */
  files: ReadonlyMap<string, ServedFile>;
  /** Bounds what is open at once. */
  requests: Pick<OpenRequests, 'begin'>;
  accountRoutes: readonly AccountRoute[];
  /** The callers that are counted for a call that names an account: the account, or a device that it is known on (AUTH4). */
  shareOf: (email: string, request: { cookie: string; host: string }) => string;
  audit: Audit;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  /** Seconds for which browsers shall come back over HTTPS alone; 0 says nothing of it. */
  hstsSeconds: number;
  /** Why the service is not up, or null where it is. */
  problem: () => string | null;
  isStopping: () => boolean;
  inFlight: InFlight;
  observe: Observe;
  log: { error(fields: object, message: string): void };
}

const HEALTH_PATH = '/api/health';
const HEALTH_LIMITS = ['health:minute', 'health:hour'] as const;

/** Answers all HTTP requests that nothing else of the app takes. */
export function serveRest(app: App, options: Options): void {
  const routes = routesOf(options.accountRoutes);
  app.any('/*', (response, request) => {
    const arrived = copyRequest(request, response);
    const methods = routes.get(arrived.path);
    const operation = methods?.get(arrived.method);
    const traceParent = arrived.header('traceparent');
    const call = options.observe({ ...nameOf(operation), transport: 'rest', traceParent });
    const { traceId } = call;
    const origin = arrived.header('origin');
    const refusedOrigin = refuseOrigin(origin, arrived.header('host'), options);
    const ip = options.addressOf(arrived.remoteAddress, arrived.header('x-forwarded-for'));
    const { request: open, refusal: refusedOpen } = options.requests.begin(ip);
    const exchange = openExchange(response, {
      ...{ request: open, method: arrived.method, isLast: options.isStopping },
      isProxied: arrived.header('x-forwarded-for') !== '',
    });
    const headers = {
      ...securityHeaders(origin, options),
      ...(refusedOrigin === null ? originHeaders(origin) : {}),
    };
    const respond = (answering: () => Promise<Answer>, more: Record<string, string> = {}) => {
      const finished = options.inFlight.begin();
      const send = (result: Answer, all: Record<string, string>) => {
        exchange.send(result, all);
        call.end(result.status);
      };
      void call
        .within(answering)
        .then((result) => send(result, { ...headers, ...more }))
        .catch((error: unknown) => send(answerOfFailure(error, traceId, options.log), headers))
        .finally(finished);
    };
    const within = (names: readonly LimitName[], answer: () => Answer) => () =>
      answerWithin(options, { names, traceId, ip }, answer);
    if (refusedOpen !== null)
      return respond(
        within(['rest'], () => withOutcome(answerOf(refusedOpen, traceId), operation)),
        retryHeaders(refusedOpen),
      );
    if (refusedOrigin !== null) return respond(within(['rest'], () => answerOf(refusedOrigin, traceId)));
    if (arrived.method === 'OPTIONS') {
      exchange.sendHead({ ...headers, ...preflightHeaders(methods) });
      return call.end(200);
    }
    if (arrived.path === HEALTH_PATH && (arrived.method === 'GET' || arrived.method === 'HEAD')) {
      return respond(within(HEALTH_LIMITS, () => healthAnswer(options.problem(), traceId)));
    }
    if (operation === undefined) {
      const file = arrived.method === 'GET' || arrived.method === 'HEAD' ? options.files.get(arrived.path) : undefined;
      if (file !== undefined) return respond(within(['rest'], () => fileAnswer(file, arrived.header('if-none-match'))));
      const allowed = methodsAt(arrived.path, methods, options.files);
      return respond(
        within(['rest'], () => answerOf(allowed === null ? notFound : wrongMethod, traceId)),
        allowed === null ? {} : { Allow: allowed },
      );
    }
    respond(async () => {
      const routed = { arrived, operation, traceId, ip, open };
      return withOutcome(await answer(options, response, routed), operation);
    });
  });
}

const notFound = refuse('not_found', 'There is no such path.');
const wrongMethod = refuse(
  'bad_request.method',
  'The path does not support this method; the header `Allow` lists the supported ones.',
);

/** The methods of a path, as the header `Allow` has them; null where there is no such path. */
function methodsAt(path: string, methods: Methods | undefined, files: Options['files']): string | null {
  if (methods !== undefined) return [...methods.keys()].join(', ');
  return path === HEALTH_PATH || files.has(path) ? 'GET, HEAD' : null;
}

interface Routed {
  readonly arrived: Arrived;
  readonly operation: Routable;
  readonly traceId: string;
  /** The client's address. */
  readonly ip: string;
  readonly open: Pick<OpenRequest, 'keepBody'>;
}

/** Limits come after the token, since they are the user's; whoever has no valid one counts by their address. */
async function answer(options: Options, response: Response, routed: Routed): Promise<Answer> {
  const { arrived, operation, traceId, ip, open } = routed;
  const arrivedMs = Date.now();
  const hasBody = arrived.method !== 'GET';
  const body = hasBody ? await readBody(response, arrived.header('content-length'), open.keepBody) : null;
  const identity = isRefusal(body) ? body : await identify(options, routed);
  // Where nobody can say who calls, they must not use up what their address has for strangers.
  if (isRefusal(identity) && httpStatusOf(identity.code) >= 500) return answerOf(identity, traceId);
  const input = isRefusal(body) ? body : withQuery(inputOf(arrived, body), arrived.query, operation);
  const user = isRefusal(identity) ? null : (identity?.user ?? null);
  const call = operation.name;
  // A known caller is counted as themselves, whatever else they name.
  const email = user?.email ?? accountIn(input);
  const headed = { cookie: arrived.header('cookie'), host: arrived.header('host') };
  const account = email === undefined ? undefined : options.shareOf(email, headed);
  const weight = isRefusal(input) || !('value' in input) ? 1 : weightOf(call, input.value);
  const caller = { ip, user: user?.id ?? null, call, weight, ...(account === undefined ? {} : { account }) };
  return answerWithin(options, { names: limitsOf('rest', call), traceId, ...caller }, async () => {
    if (isRefusal(identity)) return { ...answerOf(identity, traceId), headers: retryHeaders(identity) };
    if (isRefusal(input)) return answerOf(input, traceId);
    const { reply, headers, status, page } = await perform(options, routed, { input, identity, arrivedMs });
    const answered = answerOf(reply, traceId);
    const more = { ...(headers && { headers }), ...(page !== undefined && { page }) };
    return { ...answered, status: status ?? answered.status, ...more };
  });
}

/** The account that somebody tries to sign in to, or to make: the limits of those calls count for each (AUTH1). */
function accountIn(input: Input | Refusal): string | undefined {
  const email = 'value' in input ? (input.value as { email?: unknown } | null)?.email : undefined;
  return typeof email === 'string' ? email : undefined;
}

interface Identified {
  readonly input: Input;
  readonly identity: Identity | null;
  readonly arrivedMs: number;
}

async function perform(
  options: Options,
  { arrived, operation, traceId, ip }: Routed,
  { input, identity, arrivedMs }: Identified,
): Promise<AccountReply> {
  if ('perform' in operation) {
    const request = { input, identity, arrived, traceId, arrivedMs, ip };
    return withRouteOutcome(await performRoute(operation, request, options.audit), operation);
  }
  const key = arrived.header('idempotency-key') || (arrived.hasEmptyKey ? '' : undefined);
  const caller = { user: identity?.user ?? null, readOnly: identity?.token.readOnly === true };
  const etags = etagsIn(arrived.header('if-none-match'));
  const call = { operation, input, ...caller, transport: 'rest', key, traceId, arrivedMs, from: ip, etags } as const;
  return { reply: await options.dispatch(call) };
}

/** Nobody where a call that allows it comes without a token (PUB3); a wrong one is refused there too. */
async function identify(options: Options, { arrived, operation, ip }: Routed): Promise<Identity | null | Refusal> {
  // Signing in must not fail for a token from before.
  if (operation.caller === 'anybody') return null;
  const mayBeNobody = operation.caller === 'reader';
  const authorization = arrived.header('authorization');
  const [cookie, host] = [arrived.header('cookie'), arrived.header('host')];
  const { token, isCookie } = credentialOf({ authorization, cookie, host }, options.cookies);
  if (authorization === '' && token === null && mayBeNobody) return null;
  const forged =
    isCookie && operation.changes ? refuseForgery(arrived.header('origin'), arrived.header('sec-fetch-site')) : null;
  if (forged !== null) return forged;
  const identity = await options.authenticate(token, ip);
  // A browser sends the cookie of a session that has ended by itself: its user is nobody then.
  return isRefusal(identity) && identity.code === 'unauthorized' && isCookie && mayBeNobody ? null : identity;
}

/** Reads and DELETE without a body have their fields in the query (GEN5); any other empty body is an object without fields. */
function inputOf(arrived: Arrived, body: Uint8Array | null): Input | Refusal {
  if (body !== null && body.length > 0) return parseBody(body, arrived.header('content-type'));
  if (body !== null && arrived.method !== 'DELETE') return { value: {} };
  const query = parseQueryString(arrived.query);
  return isRefusal(query) ? query : { query };
}

function healthAnswer(problem: string | null, traceId: string): Answer {
  if (problem !== null) return answerOf(refuse('internal', problem), traceId);
  return answerOf({ ok: true, body: { status: 'up' } }, traceId);
}
