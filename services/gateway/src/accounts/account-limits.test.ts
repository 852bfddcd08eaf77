// The limits that account routes count: the real table, with limits that only record their
// requests.
import { createIdFactory } from '@taskgraph/runtime/ids';
import { refuse } from '@taskgraph/wire/errors';
import type { RestRoute } from '@taskgraph/wire/operations/operation';
import { expect, it } from 'vitest';
import type { Identity } from '../auth/token.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { createCompression } from '../http/compression.ts';
import type { App } from '../http/uws.ts';
import { noBackOff } from '../limits/back-off.ts';
import type { Caller } from '../limits/limits.ts';
import { serveRest } from '../rest/rest.ts';
import { anyRequests, lastingTokens, withoutWaiting } from '../test/support/open-requests.ts';
import { unobserved } from '../test/support/unobserved.ts';
import type { AccountRoute } from './route.ts';
import { createAccounts } from './table.ts';

const ANN = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const SESSION = {
  id: '01890000-0000-7000-8000-00000000000a',
  kind: 'session',
  readOnly: false,
  expires: null,
} as const;
const identity: Identity = { user: ANN, token: SESSION };
/** Routes that attackers may use to sign in, and routes that create full access. */
const GUESSING = [
  'login',
  'login:link',
  'password',
  'oidc:login',
  'oidc:callback',
  'register:verify',
  'password:reset',
];
/** Routes that send mail, which have a daily bound besides. */
const MAILING = ['register', 'password:forgot'];
const LIMITED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(GUESSING.map((name) => [name, ['login']])),
  ...Object.fromEntries(MAILING.map((name) => [name, ['register', 'mail']])),
  'token:create': ['token:create'],
  'token:rotate': ['token:create'],
  'bot:create': ['token:create', 'bot:create'],
  'calendar:create': ['token:create'],
  'calendar:rotate': ['token:create'],
  'hook:add': ['token:create'],
  'hook:rotate': ['token:create'],
  'hook:test': ['hook:replay'],
  'hook:replay': ['hook:replay'],
  'admin:status': ['admin:status'],
};

const SECRET = 'a secret of this test';
const newId = createIdFactory();
const { accountRoutes: routes, shareOf } = createAccounts({
  service: { docs: true, console: true, rates: null },
  settings: {
    sessionDays: 1,
    cookies: { isSecure: true },
    secret: SECRET,
    mailing: null,
    publicUrl: null,
    mayRegister: false,
    openid: null,
  },
  backOff: noBackOff,
  inFlight: countInFlight(),
  audit: () => undefined,
  log: { error: () => undefined },
  requester: { read: () => Promise.reject(new Error('nobody is asked')) },
  deadlineMs: 1_000,
  newId,
});

/** Sends one request, which the limits refuse, and returns the limits' requests. */
async function taken({ method, path }: RestRoute, body: object) {
  const asked: [names: readonly string[], caller: Caller][] = [];
  const inFlight = countInFlight();
  let handler: ((response: unknown, request: unknown) => void) | undefined;
  const app = {
    any: (_: string, given: typeof handler) => {
      handler = given;
    },
  };
  serveRest(app as unknown as App, {
    accountRoutes: routes,
    shareOf,
    audit: () => undefined,
    inFlight,
    allowedOrigins: [],
    cookies: { isSecure: true },
    hstsSeconds: 0,
    agents: false,
    files: new Map(),
    compression: createCompression({ isOn: false }),
    authenticate: async () => identity,
    tokens: lastingTokens,
    waitingCalls: withoutWaiting,
    dispatch: () => Promise.reject(new Error('nothing is dispatched')),
    limits: {
      async take(names, caller) {
        asked.push([names, caller]);
        return { refusal: refuse('rate_limited', 'Too many.'), headers: {} };
      },
    },
    observe: unobserved,
    requests: anyRequests(),
    addressOf: (remote) => remote,
    problem: () => null,
    isStopping: () => false,
    log: { error: () => undefined },
  });
  const content = Buffer.from(JSON.stringify(body));
  const statuses: string[] = [];
  const response = {
    onAborted: () => undefined,
    getRemoteAddressAsText: () => Buffer.from('203.0.113.7'),
    onData: (take: (chunk: ArrayBuffer, isLast: boolean) => void) => take(new Uint8Array(content).buffer, true),
    cork: (write: () => void) => write(),
    writeStatus: (text: string) => void statuses.push(text),
    writeHeader: () => undefined,
    tryEnd: () => [true, true],
  };
  const headers: Record<string, string> = { authorization: 'Bearer tgs_x' };
  const getHeader = (name: string) => headers[name] ?? '';
  const forEach = (visit: (name: string, value: string) => void) => {
    for (const [name, value] of Object.entries(headers)) visit(name, value);
  };
  handler?.(response, { getMethod: () => method, getUrl: () => path, getQuery: () => '', getHeader, forEach });
  await inFlight.idle(1_000);
  expect(statuses).toEqual(['429 Too Many Requests']);
  expect(asked).toHaveLength(1);
  const [names, caller] = asked[0] as [readonly string[], Caller];
  return { names, caller };
}

it.each(routes.map((route) => [route.name, route] as const))(
  '[LIM1 AUTH1] %s counts for REST as a whole, for its own limit, and for the limits that guard it',
  async (name, route) => {
    const { names, caller } = await taken(route.transports.rest, {});
    expect(names).toEqual(['rest', 'rest:call', ...(LIMITED[name] ?? [])]);
    const isOpen = route.caller === 'anybody';
    expect(caller).toMatchObject({ ip: '203.0.113.7', call: name, user: isOpen ? null : ANN.id });
  },
);

it('[AUTH1] every route that a limit names exists', () => {
  const names = routes.map(({ name }) => name);
  expect(Object.keys(LIMITED).filter((name) => !names.includes(name))).toEqual([]);
});

it('[AUTH1 LIM1] an unauthenticated call counts for the account that it names, and an authenticated one only for its own', async () => {
  const account = async (name: string, body: object) => {
    const { transports } = routes.find((route) => route.name === name) as AccountRoute;
    return (await taken(transports.rest, body)).caller.account;
  };
  expect(await account('login', { email: 'bob@example.com', password: 'x' })).toBe('bob@example.com');
  expect(await account('register', { email: 'bob@example.com' })).toBe('bob@example.com');
  expect(await account('login', { email: 5 })).toBeUndefined();
  expect(await account('password', { current: 'x', password: 'y' })).toBe(ANN.email);
  // Else somebody with another's session could spread guesses over accounts that do not exist.
  expect(await account('password', { current: 'x', password: 'y', email: 'nobody@example.com' })).toBe(ANN.email);
});
