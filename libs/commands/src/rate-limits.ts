// The rate limits. The gateway's counters, its settings and the documents derive from this table.
// Rules: LIM1, LIM3, LIM6, AUTH1, WALK1.

import { MAXIMUM_OPERATIONS, OPERATIONS_OF_A_CALL } from '@taskgraph/wire/operations/batch-operations';

/** A number of calls in a period, which begins with the first call. */
export interface Rate {
  readonly points: number;
  readonly seconds: number;
}

/**
 * The calls that share a counter: those of a user (without an account, of an address), of an
 * address, those that name one account, or the requests of one calendar address.
 */
export type LimitSubject = 'user' | 'ip' | 'account' | 'calendar';

export interface Limit extends Rate {
  readonly name: string;
  /** The calls that the limit counts, for documents; events are listed by name. */
  readonly counted?: string;
  readonly transport: 'rest' | 'socket';
  /** Each subject has a counter of its own. */
  readonly subjects: readonly LimitSubject[];
  /** All calls together, each call separately, or the named calls together. */
  readonly calls: 'all' | 'each' | readonly string[];
  /**
   * Whether its calls are refused while gateways cannot count together (LIM3). Otherwise each
   * gateway allows a share of the limit.
   */
  readonly closes?: true;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** All limits with their defaults. */
export const LIMITS = [
  {
    name: 'rest',
    counted: 'all over REST, except pages with `after`',
    transport: 'rest',
    subjects: ['user'],
    calls: 'all',
    points: 2_000,
    seconds: HOUR,
  },
  {
    name: 'rest:call',
    counted: 'over REST, each call on its own',
    transport: 'rest',
    subjects: ['user'],
    calls: 'each',
    points: 300,
    seconds: MINUTE,
  },
  {
    name: 'health:minute',
    counted: '`GET /api/health`',
    transport: 'rest',
    subjects: ['ip'],
    calls: ['health'],
    points: 120,
    seconds: MINUTE,
  },
  {
    name: 'health:hour',
    counted: '`GET /api/health`',
    transport: 'rest',
    subjects: ['ip'],
    calls: ['health'],
    points: 10_000,
    seconds: HOUR,
  },
  {
    name: 'files',
    counted: 'the files of the console and of `/docs`, `/openapi.json` and `/asyncapi.json`',
    transport: 'rest',
    subjects: ['ip'],
    calls: ['files'],
    points: 1_200,
    seconds: MINUTE,
  },
  {
    name: 'login',
    counted: 'logging in',
    transport: 'rest',
    subjects: ['ip', 'account'],
    calls: ['login', 'login:link', 'password', 'oidc:login', 'oidc:callback', 'register:verify', 'password:reset'],
    points: 10,
    seconds: MINUTE,
    closes: true,
  },
  {
    name: 'register',
    counted: 'registering',
    transport: 'rest',
    subjects: ['ip', 'account'],
    calls: ['register', 'password:forgot'],
    points: 10,
    seconds: MINUTE,
    closes: true,
  },
  {
    name: 'mail',
    counted: 'mails to one address, for registrations and forgotten passwords',
    transport: 'rest',
    subjects: ['account'],
    calls: ['register', 'password:forgot'],
    points: 10,
    seconds: DAY,
    closes: true,
  },
  {
    name: 'token:create',
    counted: 'creating tokens, bots, webhooks with their secrets, and the addresses of calendars',
    transport: 'rest',
    subjects: ['user'],
    calls: [
      'token:create',
      'token:rotate',
      'bot:create',
      'calendar:create',
      'calendar:rotate',
      'hook:add',
      'hook:rotate',
    ],
    points: 10,
    seconds: MINUTE,
    closes: true,
  },
  {
    name: 'bot:create',
    counted: 'creating bots, also removed ones',
    transport: 'rest',
    subjects: ['user'],
    calls: ['bot:create'],
    points: 40,
    seconds: DAY,
    closes: true,
  },
  {
    name: 'hook:replay',
    counted: 'replays and tests of webhooks',
    transport: 'rest',
    subjects: ['user'],
    calls: ['hook:replay', 'hook:test'],
    points: 20,
    seconds: MINUTE,
  },
  {
    name: 'admin:status',
    counted: 'the status of the services',
    transport: 'rest',
    subjects: ['user'],
    calls: ['admin:status'],
    points: 30,
    seconds: MINUTE,
  },
  {
    name: 'calendar',
    counted: 'reading a calendar from its address',
    transport: 'rest',
    subjects: ['calendar'],
    calls: ['calendar'],
    points: 60,
    seconds: HOUR,
  },
  {
    name: 'calendar:user',
    counted: 'reading the calendars of a user, all together',
    transport: 'rest',
    subjects: ['user'],
    calls: ['calendar'],
    points: 240,
    seconds: HOUR,
  },
  {
    name: 'connect',
    counted: 'connecting a socket',
    transport: 'socket',
    subjects: ['ip'],
    calls: ['connect'],
    points: 10,
    seconds: MINUTE,
  },
  {
    name: 'upgrade',
    counted: 'requesting a WebSocket',
    transport: 'socket',
    subjects: ['ip'],
    calls: ['upgrade'],
    points: 60,
    seconds: MINUTE,
  },
  {
    name: 'socket',
    counted: 'all over sockets, and pages with `after` over REST',
    transport: 'socket',
    subjects: ['user'],
    calls: 'all',
    points: 3_600,
    seconds: HOUR,
  },
  { name: 'node:get', transport: 'socket', subjects: ['user'], calls: ['node:get'], points: 30, seconds: 10 },
  { name: 'node:find', transport: 'socket', subjects: ['user'], calls: ['node:find'], points: 10, seconds: 10 },
  { name: 'graph:get', transport: 'socket', subjects: ['user'], calls: ['graph:get'], points: 5, seconds: 10 },
  { name: 'branch:get', transport: 'socket', subjects: ['user'], calls: ['branch:get'], points: 5, seconds: 10 },
  {
    name: 'graph:walk',
    counted: 'pages of `graph:get` and `branch:get` with `after`',
    transport: 'socket',
    subjects: ['user'],
    calls: ['graph:walk'],
    points: 80,
    seconds: 10,
  },
  { name: 'trash:page', transport: 'socket', subjects: ['user'], calls: ['trash:page'], points: 5, seconds: 10 },
  { name: 'history:page', transport: 'socket', subjects: ['user'], calls: ['history:page'], points: 5, seconds: 10 },
  { name: 'changes:get', transport: 'socket', subjects: ['user'], calls: ['changes:get'], points: 30, seconds: 10 },
  { name: 'graph:plan', transport: 'socket', subjects: ['user'], calls: ['graph:plan'], points: 5, seconds: 10 },
  { name: 'node:claim', transport: 'socket', subjects: ['user'], calls: ['node:claim'], points: 100, seconds: 10 },
  { name: 'node:why', transport: 'socket', subjects: ['user'], calls: ['node:why'], points: 30, seconds: 10 },
  { name: 'link:swap', transport: 'socket', subjects: ['user'], calls: ['link:swap'], points: 30, seconds: 10 },
  { name: 'batch:run', transport: 'socket', subjects: ['user'], calls: ['batch:run'], points: 30, seconds: 10 },
] as const satisfies readonly Limit[];

export type LimitName = (typeof LIMITS)[number]['name'];

/** The configured rates, by limit. */
export type Rates = Readonly<Record<LimitName, Rate>>;

/** The limits that count an event over a transport, even an unknown event. */
export function limitsOf(transport: Limit['transport'], event: string): readonly LimitName[] {
  const all: readonly (Limit & { readonly name: LimitName })[] = LIMITS;
  return all
    .filter((limit) => limit.transport === transport)
    .filter(({ calls }) => calls === 'all' || calls === 'each' || calls.includes(event))
    .map(({ name }) => name);
}

/** The reads whose further pages have a limit of their own, so that a first load fits (WALK1). */
export const WALKED: readonly string[] = ['graph:get', 'branch:get'];

/**
 * The limits that count a call over a socket, by its payload as received. A page with `after` counts
 * for `graph:walk` in place of its event's own limit.
 */
export function limitsOfSocketCall(event: string, payload: unknown): readonly LimitName[] {
  return limitsOf('socket', isWalkPage(event, payload) ? 'graph:walk' : event);
}

/**
 * The limits that count a call over REST, by its query or body as received. A page with `after`
 * counts for the limits of a page over a socket in place of `rest`, because replicas read pages
 * over both.
 */
export function limitsOfRestCall(event: string, payload: unknown): readonly LimitName[] {
  const limits = limitsOf('rest', event);
  if (!isWalkPage(event, payload)) return limits;
  return [...limits.filter((name) => name !== limitOfAll('rest')), ...limitsOfSocketCall(event, payload)];
}

function isWalkPage(event: string, payload: unknown): boolean {
  return WALKED.includes(event) && typeof (payload as { after?: unknown } | null)?.after === 'string';
}

/** The limit that counts all calls over a transport together. */
export function limitOfAll(transport: Limit['transport']): LimitName {
  const all: readonly (Limit & { readonly name: LimitName })[] = LIMITS;
  const found = all.find((limit) => limit.transport === transport && limit.calls === 'all');
  if (found === undefined) throw new Error(`there is no limit for all calls over ${transport}`);
  return found.name;
}

/**
 * The number of calls that a call counts as, where all calls are counted together. A composite
 * counts by its number of operations, as received (BAT7).
 */
export function weightOf(event: string, payload: unknown): number {
  const operations = event === 'batch:run' ? (payload as { operations?: unknown } | null)?.operations : null;
  if (!Array.isArray(operations)) return 1;
  return Math.max(1, Math.ceil(Math.min(operations.length, MAXIMUM_OPERATIONS) / OPERATIONS_OF_A_CALL));
}

/** The work of one call, in changes: about that of a batch whose operations count as one call. */
export const WORK_OF_A_CALL = 250;

/** The number of further calls that a call's work counts as, beyond `counted`. */
export function furtherCallsFor(work: number, counted: number): number {
  return Math.max(0, Math.ceil(work / WORK_OF_A_CALL) - counted);
}

/** The environment variable that configures a limit, such as `LIMIT_GRAPH_GET`. */
export function variableOf(name: string): `LIMIT_${string}` {
  return `LIMIT_${name.toUpperCase().replaceAll(':', '_')}`;
}
