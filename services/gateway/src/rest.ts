// The REST side: from a request to an answer, judged in the order of rule GEN3.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type AccountReply, performRoute } from './accounts/performing.ts';
import type { AccountRoute } from './accounts/route.ts';
import { type Answer, answerOf, answerOfFailure } from './answer.ts';
import type { Authenticate, Identity } from './authentication.ts';
import { parseBody, readBody } from './body.ts';
import { credentialOf, refuseForgery } from './credential.ts';
import { type Dispatch, type Input, isAnonymous } from './dispatch.ts';
import { type Arrived, copyRequest, openExchange } from './exchange.ts';
import type { InFlight } from './in-flight.ts';
import { refuseOrigin } from './origin.ts';
import { parseQueryString } from './query-string.ts';
import { type Methods, type Routable, routesOf } from './routes.ts';
import { traceIdOf } from './trace.ts';
import type { App, Response } from './uws.ts';

interface Options {
  authenticate: Authenticate;
  dispatch: Dispatch;
  accountRoutes: readonly AccountRoute[];
  allowedOrigins: readonly string[];
  /** Why the service is not up, or null where it is. */
  problem: () => string | null;
  isStopping: () => boolean;
  inFlight: InFlight;
  log: { error(fields: object, message: string): void };
}

const HEALTH_PATH = '/api/health';

/** Answers all HTTP requests that nothing else of the app takes. */
export function serveRest(app: App, options: Options): void {
  const routes = routesOf(options.accountRoutes);
  app.any('/*', (response, request) => {
    const arrived = copyRequest(request);
    const traceId = traceIdOf(arrived.header('traceparent'));
    const exchange = openExchange(response, { method: arrived.method, isLast: options.isStopping });
    const origin = arrived.header('origin');
    const refusedOrigin = refuseOrigin(origin, arrived.header('host'), options.allowedOrigins);
    if (refusedOrigin !== null) return exchange.send(answerOf(refusedOrigin, traceId));
    const headers = originHeaders(origin);
    const methods = routes.get(arrived.path);
    if (arrived.method === 'OPTIONS') return exchange.sendHead({ ...headers, ...preflightHeaders(methods) });
    if (arrived.path === HEALTH_PATH && (arrived.method === 'GET' || arrived.method === 'HEAD')) {
      return exchange.send(healthAnswer(options.problem(), traceId), headers);
    }
    const definition = methods?.get(arrived.method);
    if (definition === undefined) {
      const allow = methods === undefined ? {} : { Allow: [...methods.keys()].join(', ') };
      return exchange.send(answerOf(notFound, traceId), { ...headers, ...allow });
    }
    const finished = options.inFlight.begin();
    void answer(options, response, { arrived, definition, traceId })
      .then(({ answer, headers: own }) => exchange.send(answer, { ...headers, ...own }))
      .catch((error: unknown) => exchange.send(answerOfFailure(error, traceId, options.log), headers))
      .finally(finished);
  });
}

const notFound = refuse('not_found', 'There is no such path, or not with this method.');

interface Routed {
  readonly arrived: Arrived;
  readonly definition: Routable;
  readonly traceId: string;
}

async function answer(
  options: Options,
  response: Response,
  routed: Routed,
): Promise<{ answer: Answer; headers: AccountReply['headers'] }> {
  const { reply, headers, status } = await judge(options, response, routed);
  const answered = answerOf(reply, routed.traceId);
  return { answer: status === undefined ? answered : { ...answered, status }, headers };
}

async function judge(options: Options, response: Response, routed: Routed): Promise<AccountReply> {
  const { arrived, definition, traceId } = routed;
  const arrivedMs = Date.now();
  const hasBody = arrived.method !== 'GET';
  const body = hasBody ? await readBody(response, arrived.header('content-length')) : null;
  if (isRefusal(body)) return { reply: body };
  const identity = await identify(options, routed);
  if (isRefusal(identity)) return { reply: identity };
  const input = inputOf(arrived, body);
  if (isRefusal(input)) return { reply: input };
  if (definition.kind === 'account') {
    return performRoute(definition, { input, identity, arrived, traceId, arrivedMs });
  }
  // An empty header can't be told from a missing one here.
  const key = arrived.header('idempotency-key') || undefined;
  const caller = { user: identity?.user ?? null, readOnly: identity?.token.readOnly === true };
  const call = { definition, input, ...caller, transport: 'rest', key, traceId, arrivedMs } as const;
  return { reply: await options.dispatch(call) };
}

/** Nobody where a call that allows it comes without a token (PUB3); a wrong one is refused there too. */
async function identify(
  options: Options,
  { arrived, definition, traceId }: Routed,
): Promise<Identity | null | Refusal> {
  const mayBeNobody = definition.kind === 'account' ? definition.caller === 'anybody' : isAnonymous(definition);
  // Signing in must not fail for a token from before.
  if (definition.kind === 'account' && mayBeNobody) return null;
  const authorization = arrived.header('authorization');
  const { token, isCookie } = credentialOf(authorization, arrived.header('cookie'));
  if (authorization === '' && token === null && mayBeNobody) return null;
  const forged =
    isCookie && changes(definition) ? refuseForgery(arrived.header('origin'), arrived.header('sec-fetch-site')) : null;
  if (forged !== null) return forged;
  const identity = await options.authenticate(token, traceId);
  // A browser sends the cookie of a session that has ended by itself: its user is nobody then.
  return isRefusal(identity) && identity.code === 'unauthorized' && isCookie && mayBeNobody ? null : identity;
}

function changes(definition: Routable): boolean {
  return definition.kind === 'account' ? definition.changes : definition.kind === 'command';
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

/** Lets the pages of an origin that was allowed see the answers (CORS). */
function originHeaders(origin: string): Record<string, string> {
  return origin === ''
    ? {}
    : {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        Vary: 'Origin',
      };
}

function preflightHeaders(methods: Methods | undefined): Record<string, string> {
  const allowed = [...(methods?.keys() ?? ['GET'])].join(', ');
  return {
    Allow: allowed,
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, Traceparent',
    'Access-Control-Max-Age': '600',
  };
}
