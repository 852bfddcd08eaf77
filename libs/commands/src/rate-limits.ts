// The rate limits, in one table: the gateway's counting, its settings and the documents are made from it. Rules: LIM1, LIM3, LIM6, AUTH1.

import { MAXIMUM_OPERATIONS, OPERATIONS_OF_A_CALL } from '@taskgraph/wire/operations/batch-operations';

/** So many calls in so many seconds; the seconds begin with the first call. */
export interface Rate {
  readonly points: number;
  readonly seconds: number;
}

/**
 * The calls that are counted together: those of a user (of an address, where the caller has no account), of an address, or those that name
 * one account, whoever makes them.
 */
export type Scope = 'user' | 'ip' | 'account';

export interface Limit extends Rate {
  readonly name: string;
  /** The calls that it counts, for documents, unless they are events. */
  readonly counted?: string;
  readonly transport: 'rest' | 'socket';
  /** It is counted for each of them on its own. */
  readonly scopes: readonly Scope[];
  /** All calls together; each call on its own; or the calls that are named, together. */
  readonly calls: 'all' | 'each' | readonly string[];
  /** Whether its calls are refused while limits can't be counted across gateways (LIM3); else a share of it holds in each. */
  readonly closes?: true;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Every limit; its numbers are what holds where nothing else is configured. */
export const LIMITS = [
  {
    name: 'rest',
    counted: 'all over REST',
    transport: 'rest',
    scopes: ['user'],
    calls: 'all',
    points: 2_000,
    seconds: HOUR,
  },
  {
    name: 'rest:call',
    counted: 'over REST, each call on its own',
    transport: 'rest',
    scopes: ['user'],
    calls: 'each',
    points: 300,
    seconds: MINUTE,
  },
  {
    name: 'health:minute',
    counted: '`GET /api/health`',
    transport: 'rest',
    scopes: ['ip'],
    calls: ['health'],
    points: 120,
    seconds: MINUTE,
  },
  {
    name: 'health:hour',
    counted: '`GET /api/health`',
    transport: 'rest',
    scopes: ['ip'],
    calls: ['health'],
    points: 10_000,
    seconds: HOUR,
  },
  {
    name: 'login',
    counted: 'logging in',
    transport: 'rest',
    scopes: ['ip', 'account'],
    calls: ['login', 'password', 'oidc:login', 'oidc:callback', 'register:verify', 'password:reset'],
    points: 10,
    seconds: MINUTE,
    closes: true,
  },
  {
    name: 'register',
    counted: 'registering',
    transport: 'rest',
    scopes: ['ip', 'account'],
    calls: ['register', 'password:forgot'],
    points: 10,
    seconds: MINUTE,
    closes: true,
  },
  {
    name: 'mail',
    counted: 'mails to one address, for registrations and forgotten passwords',
    transport: 'rest',
    scopes: ['account'],
    calls: ['register', 'password:forgot'],
    points: 10,
    seconds: DAY,
    closes: true,
  },
  {
    name: 'token:create',
    counted: 'creating tokens',
    transport: 'rest',
    scopes: ['user'],
    calls: ['token:create', 'token:rotate'],
    points: 10,
    seconds: MINUTE,
    closes: true,
  },
  {
    name: 'connect',
    counted: 'connecting a socket',
    transport: 'socket',
    scopes: ['ip'],
    calls: ['connect'],
    points: 10,
    seconds: MINUTE,
  },
  {
    name: 'upgrade',
    counted: 'requesting a WebSocket',
    transport: 'socket',
    scopes: ['ip'],
    calls: ['upgrade'],
    points: 60,
    seconds: MINUTE,
  },
  {
    name: 'socket',
    counted: 'all over sockets',
    transport: 'socket',
    scopes: ['user'],
    calls: 'all',
    points: 3_600,
    seconds: HOUR,
  },
  { name: 'node:get', transport: 'socket', scopes: ['user'], calls: ['node:get'], points: 30, seconds: 10 },
  { name: 'graph:get', transport: 'socket', scopes: ['user'], calls: ['graph:get'], points: 5, seconds: 10 },
  { name: 'branch:get', transport: 'socket', scopes: ['user'], calls: ['branch:get'], points: 5, seconds: 10 },
  { name: 'trash:page', transport: 'socket', scopes: ['user'], calls: ['trash:page'], points: 5, seconds: 10 },
  { name: 'history:page', transport: 'socket', scopes: ['user'], calls: ['history:page'], points: 5, seconds: 10 },
  { name: 'changes:get', transport: 'socket', scopes: ['user'], calls: ['changes:get'], points: 30, seconds: 10 },
  { name: 'graph:plan', transport: 'socket', scopes: ['user'], calls: ['graph:plan'], points: 5, seconds: 10 },
  { name: 'node:why', transport: 'socket', scopes: ['user'], calls: ['node:why'], points: 30, seconds: 10 },
  { name: 'link:swap', transport: 'socket', scopes: ['user'], calls: ['link:swap'], points: 30, seconds: 10 },
  { name: 'batch:run', transport: 'socket', scopes: ['user'], calls: ['batch:run'], points: 30, seconds: 10 },
] as const satisfies readonly Limit[];

export type LimitName = (typeof LIMITS)[number]['name'];

/** The numbers that hold, by limit. */
export type Rates = Readonly<Record<LimitName, Rate>>;

/** The limits that an event of the catalog counts for, over one of the transports; an event that is none counts like any other. */
export function limitsOf(transport: Limit['transport'], event: string): readonly LimitName[] {
  const all: readonly (Limit & { readonly name: LimitName })[] = LIMITS;
  return all
    .filter((limit) => limit.transport === transport)
    .filter(({ calls }) => calls === 'all' || calls === 'each' || calls.includes(event))
    .map(({ name }) => name);
}

/** The limit for which all calls over a transport count together. */
export function limitOfAll(transport: Limit['transport']): LimitName {
  const all: readonly (Limit & { readonly name: LimitName })[] = LIMITS;
  const found = all.find((limit) => limit.transport === transport && limit.calls === 'all');
  if (found === undefined) throw new Error(`there is no limit for all calls over ${transport}`);
  return found.name;
}

/** How many calls a call counts as where all are counted together: a composite one for so many of its operations, judged as it came (BAT7). */
export function weightOf(event: string, payload: unknown): number {
  const operations = event === 'batch:run' ? (payload as { operations?: unknown } | null)?.operations : null;
  if (!Array.isArray(operations)) return 1;
  return Math.max(1, Math.ceil(Math.min(operations.length, MAXIMUM_OPERATIONS) / OPERATIONS_OF_A_CALL));
}

/** So much work, as a number of changes, is one call's worth: what a batch of as many operations as count for one call mostly comes to. */
export const WORK_OF_A_CALL = 250;

/** How many calls the work that was done for a call comes to, beyond those that it has counted as. */
export function furtherCallsFor(work: number, counted: number): number {
  return Math.max(0, Math.ceil(work / WORK_OF_A_CALL) - counted);
}

/** The variable of the environment by which a limit is configured, such as `LIMIT_GRAPH_GET`. */
export function variableOf(name: string): `LIMIT_${string}` {
  return `LIMIT_${name.toUpperCase().replaceAll(':', '_')}`;
}
