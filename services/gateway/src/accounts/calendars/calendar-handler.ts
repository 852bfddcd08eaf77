// Answers calendar programs, which read the address of a calendar without any other credential.
// Rules: ICAL1, ICAL2.
import { createHash } from 'node:crypto';
import { type ConcurrencyLimit, createConcurrencyLimit } from '@taskgraph/runtime/concurrency-limit';
import { type CalendarMatches, calendarMatches } from '@taskgraph/wire/bus/gateway-reads';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { hashOf } from '../../auth/token.ts';
import type { WrongTokens } from '../../auth/wrong-tokens.ts';
import { createBatchLoader } from '../../batch-loader.ts';
import type { Dispatch } from '../../calls/dispatch.ts';
import { answerOf, type CallAnswer, retryHeaders } from '../../http/answer.ts';
import { etagsIn } from '../../http/etags.ts';
import type { ReceivedRequest } from '../../http/exchange.ts';
import { answerWithin } from '../../limits/call-limits.ts';
import type { Limits } from '../../limits/limits.ts';
import { type AskWorkers, systemCaller } from '../../worker-client.ts';
import { secretIn } from './calendar-address.ts';
import { type CalendarRequest, gone, readCalendar } from './calendar-read.ts';

/** Most calendars that are read at once, and that wait; each user has one turn. */
const AT_ONCE = 8;
const WAITING = 200;
const WAITING_OF_USER = 20;
const ADDRESSES_A_QUERY = 200;
const ETAG_CHARACTERS = 27;
/** nginx's status for a client that closed its connection. It is no failure of the service. */
const CLIENT_GONE = 499;

const HEADERS = {
  'Content-Type': 'text/calendar; charset=utf-8',
  'Cache-Control': 'private, no-cache',
};

export interface CalendarHandlerOptions {
  readonly askWorkers: AskWorkers;
  /** Milliseconds for a look-up. */
  readonly deadlineMs: number;
  readonly wrongAddresses: Pick<WrongTokens, 'within'>;
  readonly dispatch: Dispatch;
  readonly limits: Pick<Limits, 'take'>;
  readonly baseOf: (host: string) => string;
  /** Whether nodes have pages for people. */
  readonly hasConsole: boolean;
  readonly log: { error(fields: object, message: string): void };
}

interface CalendarHttpRequest {
  readonly received: Pick<ReceivedRequest, 'path' | 'header'>;
  /** The client's address. */
  readonly ip: string;
  readonly traceId: string;
  /** Whether the client has gone. */
  readonly isGone: () => boolean;
}

export interface CalendarHandler {
  answer(request: CalendarHttpRequest): Promise<CallAnswer>;
}

type CalendarMatch = CalendarMatches['found'][number];

export function createCalendarHandler(options: CalendarHandlerOptions): CalendarHandler {
  const { askWorkers, deadlineMs, wrongAddresses, dispatch, limits, baseOf, hasConsole, log } = options;
  const withReadLimit = createReadLimits();
  const resolve = createBatchLoader<null, CalendarMatch>({
    most: ADDRESSES_A_QUERY,
    async load(hashes) {
      const payload = { hashes: [...hashes.keys()] };
      const resolved = await askWorkers('calendars:resolve', payload, calendarMatches, systemCaller(deadlineMs));
      // Any refusal, such as that of a worker of the previous release, decides nothing about the address.
      if (isRefusal(resolved)) return unavailable;
      return new Map(resolved.found.map((each) => [each.hash, each]));
    },
  });

  /** Every invalid address gets the same answer. */
  async function find({ received, ip }: CalendarHttpRequest): Promise<CalendarMatch | Refusal> {
    const secret = secretIn(received.path);
    if (secret === null) return unknown;
    const hash = hashOf(secret);
    const found = await wrongAddresses.within(hash, ip, async () => (await resolve(hash, null)) ?? wrong);
    return found === wrong ? unknown : found;
  }

  /** Null while the address is valid. */
  async function recheck(hash: string): Promise<Refusal | null> {
    const found = (await resolve(hash, null)) ?? unknown;
    return isRefusal(found) ? found : null;
  }

  /** An address may end while its request waits, and while it is read: then nothing is sent. */
  async function read(hash: string, request: CalendarRequest): Promise<string | Refusal> {
    if (request.isGone()) return gone;
    const ended = await recheck(hash);
    if (ended !== null) return ended;
    const text = await readCalendar(dispatch, request);
    return (await recheck(hash)) ?? text;
  }

  async function answer(request: CalendarHttpRequest): Promise<CallAnswer> {
    const { received, ip, traceId, isGone } = request;
    const arrivedMs = Date.now();
    const found = await find(request);
    if (isRefusal(found)) {
      const refused = { ...answerOf(found, traceId), headers: retryHeaders(found) };
      // If no worker can look up the address, the request must not count for `rest`.
      if (httpStatusOf(found.code) >= 500) return refused;
      return answerWithin({ limits, log }, { names: ['rest'], traceId, ip }, () => refused);
    }
    const { hash, user, calendar } = found;
    const base = baseOf(received.header('host'));
    const pageUrlOf = (id: string) => (hasConsole ? `${base}/task/${id}` : null);
    const caller = { ip, user: user.id, calendar: hash };
    return answerWithin({ limits, log }, { ...caller, names: ['calendar'], traceId }, async () => {
      // All calendars of a user share a limit: else each would multiply the user's limits. Requests
      // past the limit of their own address do not count for it.
      const shared = await limits.take(['calendar:user'], caller);
      if (shared.refusal !== null) return { ...answerOf(shared.refusal, traceId), headers: shared.headers };
      const calendarRequest = { user, calendar, traceId, arrivedMs, from: ip, pageUrlOf, isGone };
      const text = await withReadLimit(user.id, () => read(hash, calendarRequest));
      if (text === gone) return { ...answerOf(gone, traceId), observedStatus: CLIENT_GONE };
      if (isRefusal(text)) return { ...answerOf(text, traceId), headers: retryHeaders(text) };
      return answerOfText(text, { traceId, ifNoneMatch: received.header('if-none-match') });
    });
  }

  return { answer };
}

/** The etag is weak, because it is the same for all codings of the text (RFC 9110, 8.8.3.3). */
function answerOfText(page: string, { traceId, ifNoneMatch }: { traceId: string; ifNoneMatch: string }): CallAnswer {
  const etag = createHash('sha256').update(page).digest('base64url').slice(0, ETAG_CHARACTERS);
  const status = etagsIn(ifNoneMatch).includes(etag) ? 304 : 200;
  const headers = { ...HEADERS, ETag: `W/"${etag}"` };
  return { status, body: { ok: true, trace_id: traceId }, page, isExact: true, headers };
}

/** One calendar of a user at once, so that one user cannot delay others. */
function createReadLimits() {
  const all = createConcurrencyLimit({ atOnce: AT_ONCE, waiting: WAITING });
  const users = new Map<string, { readonly limit: ConcurrencyLimit; requests: number }>();
  return async <T>(user: string, work: () => Promise<T>): Promise<T | Refusal> => {
    const limit = createConcurrencyLimit({ atOnce: 1, waiting: WAITING_OF_USER });
    const own = users.get(user) ?? { limit, requests: 0 };
    users.set(user, own);
    own.requests++;
    try {
      return await own.limit(() => all(work));
    } finally {
      own.requests--;
      if (own.requests === 0) users.delete(user);
    }
  };
}

const unknown = refuse('not_found', 'There is no such calendar.');
const wrong = refuse('unauthorized', 'The address is wrong or no longer valid.');
const unavailable = refuse('unavailable', 'The address could not be looked up; try again.');
