// REST: from a request to its answer, with checks in the order of rule GEN3. Rules: GEN3, LIM1.

import { type LimitName, limitsOfRestCall, weightOf } from '@taskgraph/commands/rate-limits';
import type { Audit } from '@taskgraph/runtime/telemetry/audit';
import { countedUser } from '@taskgraph/wire/actor';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { scopesOf } from '@taskgraph/wire/scopes';
import { CALENDAR_CALL, isCalendarPath, NOT_INDEXED } from '../accounts/calendars/calendar-address.ts';
import type { CalendarHandler } from '../accounts/calendars/calendar-handler.ts';
import type { AccountRoute } from '../accounts/route.ts';
import { type AccountReply, performRoute } from '../accounts/route-handler.ts';
import { AGENT_METHODS, AGENT_PATH, answerAgent } from '../agents/agent-handler.ts';
import type { Authenticate } from '../auth/authentication.ts';
import { type CallerToken, createCallerToken } from '../auth/caller-token.ts';
import { credentialOf, refuseForgery } from '../auth/credential.ts';
import { type CookieSettings, refuseOrigin } from '../auth/origin.ts';
import type { Identity } from '../auth/token.ts';
import { nameOf, type Observe, type ObservedCall } from '../calls/call-observer.ts';
import type { Dispatch, Input } from '../calls/dispatch.ts';
import type { InFlight } from '../calls/in-flight.ts';

import { fileAnswer, type ServedFiles } from '../files/served-file.ts';
import { answerOf, answerOfFailure, type CallAnswer, retryHeaders } from '../http/answer.ts';

import { parseBody, readBody } from '../http/body.ts';
import type { Compression, EncodingRequest } from '../http/compression.ts';
import { etagsIn } from '../http/etags.ts';
import { copyRequest, type Exchange, openExchange, type ReceivedRequest } from '../http/exchange.ts';
import { applyGuard, withGuard } from '../http/guarded-answer.ts';
import type { OpenRequest, OpenRequests } from '../http/open-requests.ts';
import { parseQueryString } from '../http/query-string.ts';
import { securityHeaders } from '../http/security-headers.ts';
import type { App, Response } from '../http/uws.ts';
import { answerWithin } from '../limits/call-limits.ts';
import type { Limits } from '../limits/limits.ts';
import { requestedWaitOf } from '../long-poll/wait-field.ts';
import type { WaitedReply } from '../long-poll/waiting-call.ts';
import type { Wait, WaitingCalls } from '../long-poll/waiting-calls.ts';
import type { TokenWatch } from '../realtime/token-watch.ts';
import { createAnswerGuard } from './answer-guard.ts';
import { withQuery } from './body-query.ts';
import { originHeaders, preflightHeaders, varyHeader } from './cors.ts';
import { deprecationHeaders } from './deprecation.ts';
import { withOutcome, withRouteOutcome } from './outcome.ts';
import { withSignInPage } from './refused-navigation.ts';
import { type Methods, type Routable, routeTable } from './route-table.ts';

interface RestOptions {
  authenticate: Authenticate;
  dispatch: Dispatch;
  /** Answers calls that wait for a change (LONG1). */
  waitingCalls: Pick<WaitingCalls, 'waitAfter' | 'answer'>;
  /** Ends the answers that are being sent when their tokens end (AUTH2). */
  tokens: Pick<TokenWatch, 'enter' | 'leave'>;
  limits: Pick<Limits, 'take'>;
  /** Derives the client's address from the remote address and X-Forwarded-For. */
  addressOf: (remote: string, forwarded: string) => string;
  files: ServedFiles;
  compression: Compression;
  /** Bounds the open requests. */
  requests: Pick<OpenRequests, 'begin'>;
  accountRoutes: readonly AccountRoute[];
  /** Answers calendar programs; without it their addresses are unknown paths. */
  calendars?: CalendarHandler;
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
  /** Whether agents are served at `/mcp`. */
  agents: boolean;
  log: { error(fields: object, message: string): void };
}

const HEALTH_PATH = '/api/health';
const HEALTH_LIMITS = ['health:minute', 'health:hour'] as const;

/** Answers all HTTP requests that the app has no other handler for. */
export function serveRest(app: App, options: RestOptions): void {
  const routes = routeTable(options.accountRoutes);
  const { compression, calendars } = options;
  app.any('/*', (response, request) => {
    const received = copyRequest(request, response);
    const methods = routes.get(received.path);
    const isForAgents = options.agents && received.path === AGENT_PATH;
    const operation = methods?.get(received.method);
    const traceParent = received.header('traceparent');
    const isRead = received.method === 'GET' || received.method === 'HEAD';
    const calendarHandler = isCalendarPath(received.path) ? calendars : undefined;
    const isCalendarRead = isRead && calendarHandler !== undefined;
    const name = !isCalendarRead ? nameOf(operation) : CALENDAR_CALL;
    const call = options.observe({ ...name, transport: 'rest', traceParent });
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
    const file = operation === undefined && isRead ? options.files.get(received.path) : undefined;
    const isAllowed = operation?.compress === true || file !== undefined || isCalendarRead;
    const headers = {
      ...securityHeaders(origin, options),
      ...(refusedOrigin === null ? originHeaders(origin) : {}),
      ...varyHeader({ origin: refusedOrigin === null ? origin : '', isCompressible: compression.isOn && isAllowed }),
      ...deprecationHeaders(operation),
      ...(calendarHandler === undefined ? {} : NOT_INDEXED),
    };
    const encoding = { accepted: received.header('accept-encoding'), isAllowed, isOpen: exchange.isOpen };
    const respond = createRespond(options, { call, exchange, headers, encoding });
    const within = (names: readonly LimitName[], answer: () => CallAnswer) => () =>
      answerWithin(options, { names, traceId, ip }, answer);
    if (refusedOpen !== null)
      return respond(
        within(['rest'], () => withOutcome(answerOf(refusedOpen, traceId), operation)),
        retryHeaders(refusedOpen),
      );
    if (refusedOrigin !== null) return respond(within(['rest'], () => answerOf(refusedOrigin, traceId)));
    if (received.method === 'OPTIONS') {
      const allowed = isForAgents ? AGENT_METHODS : methodsAt(received.path, methods, options);
      exchange.sendHead({ ...headers, ...preflightHeaders(allowed ?? READ_METHODS) });
      return call.end(200);
    }
    if (received.path === HEALTH_PATH && isRead) {
      return respond(within(HEALTH_LIMITS, () => healthAnswer(options.problem(), traceId)));
    }
    if (isCalendarRead)
      return respond(() => calendarHandler.answer({ received, ip, traceId, isGone: exchange.isGone }));
    if (isForAgents && received.method === 'POST') {
      return respond(() => answerAgent(options, response, { received, traceId, ip, open }));
    }
    if (operation === undefined) {
      if (file !== undefined)
        return respond(within(['files'], () => fileAnswer(file, received.header('if-none-match'))));
      const allowed = isForAgents ? AGENT_METHODS : methodsAt(received.path, methods, options);
      return respond(
        within(['rest'], () => answerOf(allowed === null ? notFound : wrongMethod, traceId)),
        allowed === null ? {} : { Allow: allowed.join(', ') },
      );
    }
    respond(async () => {
      const routed = { received, operation, call, traceId, ip, open, client: exchange };
      const answered = withOutcome(await answer(options, response, routed), operation);
      const hasFile = (path: string) => options.files.get(path) !== undefined;
      return withSignInPage(answered, { operation, accept: received.header('accept'), hasFile });
    });
  });
}

interface RespondOptions {
  readonly call: ObservedCall;
  readonly exchange: Exchange;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoding: EncodingRequest;
}

type Respond = (answering: () => Promise<CallAnswer>, more?: Record<string, string>) => void;

/** A separate function, so that the memory of a request is released while its call waits. */
function createRespond(
  { inFlight, compression, log }: Pick<RestOptions, 'inFlight' | 'compression' | 'log'>,
  { call, exchange, headers, encoding }: RespondOptions,
): Respond {
  return (answering, more = {}) => {
    const finished = inFlight.begin();
    const send = (result: CallAnswer, all: Record<string, string>) => {
      exchange.send(result, all);
      call.end(result.observedStatus ?? result.status, result.waitedMs);
    };
    void call
      .within(answering)
      .then(({ later, ...result }) => (later === undefined ? result : withHead(later(), result)))
      .then((result) => compression.encode(result, encoding))
      .then(applyGuard)
      .then((result) => send(result, { ...headers, ...more }))
      .catch((error: unknown) => send(answerOfFailure(error, call.traceId, log), headers))
      .finally(finished);
  };
}

async function withHead(
  later: Promise<CallAnswer>,
  { headers, guard }: Pick<CallAnswer, 'headers' | 'guard'>,
): Promise<CallAnswer> {
  const answer = await later;
  return { ...answer, headers: { ...headers, ...answer.headers }, ...definedFields({ guard }) };
}

const notFound = refuse('not_found', 'There is no such path.');
const wrongMethod = refuse(
  'bad_request.method',
  'The path does not support this method; the header `Allow` lists the supported ones.',
);

const READ_METHODS = ['GET', 'HEAD'];

/** The methods of a path; null if the path does not exist. */
function methodsAt(
  path: string,
  methods: Methods | undefined,
  { files, calendars }: Pick<RestOptions, 'files' | 'calendars'>,
): readonly string[] | null {
  if (methods !== undefined) return [...methods.keys()];
  const isCalendar = calendars !== undefined && isCalendarPath(path);
  return path === HEALTH_PATH || isCalendar || files.get(path) !== undefined ? READ_METHODS : null;
}

interface RoutedRequest {
  readonly received: ReceivedRequest;
  readonly operation: Routable;
  readonly call: Pick<ObservedCall, 'within'>;
  readonly traceId: string;
  /** The client's address. */
  readonly ip: string;
  readonly open: Pick<OpenRequest, 'keepBody' | 'pause'>;
  readonly client: Pick<Exchange, 'isGone' | 'onGone'>;
}

/** Resolves the token before the limits, which count by user, else by address. */
async function answer(options: RestOptions, response: Response, routed: RoutedRequest): Promise<CallAnswer> {
  const { received, operation, traceId, ip } = routed;
  const arrivedMs = Date.now();
  const { identity, input } = await receive(options, response, routed);
  // If no worker can identify the caller, the call must not count for the address.
  if (isRefusal(identity) && httpStatusOf(identity.code) >= 500) return answerOf(identity, traceId);
  const user = isRefusal(identity) ? null : (identity?.user ?? null);
  const call = operation.name;
  // A known caller counts as their own account, whichever account they name.
  const email = user?.email ?? accountIn(input);
  const headed = { cookie: received.header('cookie'), host: received.header('host') };
  const account = email === undefined ? undefined : options.shareOf(email, headed);
  const weight = isRefusal(input) || !('value' in input) ? 1 : weightOf(call, input.value);
  const caller = { ip, user: user === null ? null : countedUser(user), call, weight, ...definedFields({ account }) };
  return answerWithin(options, { names: limitsOfRestCall(call, fieldsOf(input)), traceId, ...caller }, async () => {
    if (isRefusal(identity)) return { ...answerOf(identity, traceId), headers: retryHeaders(identity) };
    if (isRefusal(input)) return answerOf(input, traceId);
    const token = identity === null ? null : callerTokenOf(options, routed, identity);
    // The call may have waited for its limits.
    const ended = (await token?.check()) ?? null;
    if (ended !== null) return { ...answerOf(ended, traceId), headers: retryHeaders(ended) };
    const performed = await perform(options, routed, { input, identity, token, arrivedMs });
    const { reply, headers, status, page, wait = null } = performed;
    const answered = answerOf(reply, traceId);
    const later = wait === null ? undefined : () => answerAfter(options.waitingCalls.answer(wait), traceId);
    const reader = operation.kind === 'read' && user !== null ? { 'Taskgraph-User': user.id } : {};
    const own = { headers: { ...answered.headers, ...headers, ...reader }, ...definedFields({ page, later }) };
    const guard = identity === null || token === null ? null : guardOf(options, routed, { identity, token });
    return withGuard({ ...answered, status: status ?? answered.status, ...own }, guard);
  });
}

function callerTokenOf(options: RestOptions, { received, ip }: RoutedRequest, identity: Identity): CallerToken {
  const text = credentialIn(received, options.cookies).token;
  return createCallerToken(options.authenticate, identity, { text, ip });
}

function guardOf(
  { tokens }: RestOptions,
  { operation, traceId }: RoutedRequest,
  caller: { readonly identity: Identity; readonly token: CallerToken },
) {
  return createAnswerGuard(tokens, { ...caller, operation, traceId });
}

interface ReceivedCall {
  readonly identity: Identity | null | Refusal;
  readonly input: Input | Refusal;
}

async function answerAfter(waited: Promise<WaitedReply>, traceId: string): Promise<CallAnswer> {
  const { reply, waitedMs } = await waited;
  return { ...answerOf(reply, traceId), waitedMs, ...(isRefusal(reply) ? { headers: retryHeaders(reply) } : {}) };
}

async function receive(options: RestOptions, response: Response, routed: RoutedRequest): Promise<ReceivedCall> {
  const { received, operation, open } = routed;
  const hasBody = received.method !== 'GET';
  const body = hasBody ? await readBody(response, received.header('content-length'), open.keepBody) : null;
  if (isRefusal(body)) return { identity: body, input: body };
  const identity = await identify(options, routed);
  return { identity, input: withQuery(inputOf(received, body), received.query, operation) };
}

/** The fields of an input as received, for its limits. */
function fieldsOf(input: Input | Refusal): unknown {
  if (isRefusal(input)) return null;
  return 'query' in input ? input.query.values : input.value;
}

/** The account that a sign-in or registration names: its limits count by account (AUTH1). */
function accountIn(input: Input | Refusal): string | undefined {
  const email = 'value' in input ? (input.value as { email?: unknown } | null)?.email : undefined;
  return typeof email === 'string' ? email : undefined;
}

interface IdentifiedRequest {
  readonly input: Input;
  readonly identity: Identity | null;
  /** Null for an anonymous call. */
  readonly token: CallerToken | null;
  readonly arrivedMs: number;
}

interface PerformedCall extends AccountReply {
  /** The call waits for a change before its answer. */
  readonly wait?: Wait | null;
}

async function perform(
  options: RestOptions,
  routed: RoutedRequest,
  { input, identity, token, arrivedMs }: IdentifiedRequest,
): Promise<PerformedCall> {
  const { received, operation, traceId, ip } = routed;
  if ('perform' in operation) {
    const request = { input, identity, received, traceId, arrivedMs, ip };
    return withRouteOutcome(await performRoute(operation, request, options.audit), operation);
  }
  const key = received.header('idempotency-key') || (received.hasEmptyKey ? '' : undefined);
  const caller = { user: identity?.user ?? null, scopes: identity === null ? null : scopesOf(identity.token) };
  const etags = etagsIn(received.header('if-none-match'));
  const request = {
    operation,
    input,
    ...caller,
    token,
    transport: 'rest',
    key,
    traceId,
    arrivedMs,
    from: ip,
    etags,
  } as const;
  const accepted = received.header('accept-encoding');
  const acceptsCompressed = options.compression.acceptsCompressed({ accepted, isAllowed: operation.compress === true });
  const startedMs = performance.now();
  const reply = await options.dispatch({ ...request, acceptsCompressed });
  const wait = identity === null ? null : waitOf(options, routed, { operation, input, identity, startedMs }, reply);
  return { reply, headers: isReplayed(reply) ? { 'Idempotency-Replayed': 'true' } : undefined, wait };
}

interface WaitRequest {
  readonly operation: Operation;
  readonly input: Input;
  readonly identity: Identity;
  readonly startedMs: number;
}

/** Null for a call that does not wait. */
function waitOf(
  { waitingCalls, cookies }: RestOptions,
  { received, call, traceId, ip, open, client }: RoutedRequest,
  { operation, input, identity, startedMs }: WaitRequest,
  reply: PerformedCall['reply'],
): Wait | null {
  const requested = requestedWaitOf(operation, input);
  if (requested === null) return null;
  const { token } = credentialIn(received, cookies);
  const { waitMs, fields } = requested;
  const caller = { identity, token, ip, traceId, within: call.within, open, client };
  return waitingCalls.waitAfter(reply, { operation, fields, untilMs: startedMs + waitMs, ...caller });
}

/** Whether the answer is that of an earlier call with the same idempotency key (GEN8). */
function isReplayed(reply: Awaited<ReturnType<Dispatch>>): boolean {
  return !isRefusal(reply) && reply.ok && reply.replayed === true;
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
  const { token, isCookie } = credentialIn(received, options.cookies);
  if (authorization === '' && token === null && mayBeAnonymous) return null;
  const forged =
    isCookie && operation.changes ? refuseForgery(received.header('origin'), received.header('sec-fetch-site')) : null;
  if (forged !== null) return forged;
  const identity = await options.authenticate(token, ip);
  // A browser still sends the cookie of an ended session: the call is anonymous then.
  return isRefusal(identity) && identity.code === 'unauthorized' && isCookie && mayBeAnonymous ? null : identity;
}

function credentialIn(received: ReceivedRequest, cookies: CookieSettings): ReturnType<typeof credentialOf> {
  const [authorization, cookie, host] = (['authorization', 'cookie', 'host'] as const).map(received.header);
  return credentialOf({ authorization, cookie, host }, cookies);
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
