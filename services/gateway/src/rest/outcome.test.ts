// The outcome in the answer of an `unavailable` mutation, wherever in the gateway it ends. Rule:
// GEN3.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createAskAccounts } from '../accounts/account-client.ts';
import type { AccountRoute } from '../accounts/route.ts';
import type { Identity } from '../auth/token.ts';
import { createDispatch, type Dispatch } from '../calls/dispatch.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { createCompression } from '../http/compression.ts';
import { createOpenRequests } from '../http/open-requests.ts';
import { createApp, listen } from '../http/uws.ts';
import { type Limits, noLimits } from '../limits/limits.ts';
import { lastingTokens, withoutWaiting } from '../test/support/open-requests.ts';
import { madeRoute } from '../test/support/routes.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { serveRest } from './rest.ts';

const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const token = { id: '01890000-0000-7000-8000-00000000000a', kind: 'session', readOnly: false, expires: null } as const;
const identity: Identity = { user, token };
const away = refuse('unavailable', 'Away.');
const BOUNDS = { requestsOfAddress: 9, requests: 9, bodyBytes: 1_000, answerBytes: 1_000_000, readingMs: 60_000 };

let close: () => unknown = () => undefined;
afterEach(() => close());

interface Setting {
  authenticate?: () => Promise<Identity | typeof away>;
  limits?: Pick<Limits, 'take'>;
  bounds?: Partial<typeof BOUNDS>;
  dispatch?: Dispatch;
  accountRoutes?: readonly AccountRoute[];
}

/**
 * Sends one request to a gateway's REST side, and gives the `details` of its answer, which must be
 * 503.
 */
async function send(
  [method, path]: readonly [string, string],
  { authenticate = async () => identity, limits = noLimits, bounds = {}, dispatch, accountRoutes = [] }: Setting,
): Promise<unknown> {
  const app = createApp();
  serveRest(app, {
    authenticate,
    limits,
    accountRoutes,
    requests: createOpenRequests({ ...BOUNDS, ...bounds }),
    tokens: lastingTokens,
    waitingCalls: withoutWaiting,
    dispatch: dispatch ?? (async () => ({ ok: true, body: {} })),
    allowedOrigins: [],
    hstsSeconds: 0,
    files: new Map(),
    compression: createCompression({ isOn: false }),
    cookies: { isSecure: true },
    addressOf: (remote) => remote,
    shareOf: (email) => email,
    audit: () => undefined,
    problem: () => null,
    isStopping: () => false,
    inFlight: countInFlight(),
    observe: unobserved,
    agents: false,
    log: { error: (fields) => expect.fail(JSON.stringify(fields)) },
  });
  const listener = await listen(app, '127.0.0.1', 0);
  close = listener.close;
  const headers = { Authorization: `Bearer ${newTokenText()}`, 'Content-Type': 'application/json' };
  const body = method === 'GET' ? undefined : '{}';
  const answer = await fetch(`http://127.0.0.1:${listener.port}${path}`, { method, headers, ...(body && { body }) });
  const told = (await answer.json()) as { error: string; details?: unknown };
  expect([answer.status, told.error]).toEqual([503, 'unavailable']);
  return told.details;
}

/** The answer of the bus, to commands and reads. */
const dispatching = (reply: ReplyMessage) =>
  createDispatch({
    requester: { sendCommandRaw: async () => reply, readRaw: async () => reply },
    newId: () => token.id,
    deadlineMs: 1_000,
    audit: () => undefined,
  });
const routes = (perform: AccountRoute['perform']) =>
  (['GET', 'POST'] as const).map((method) =>
    madeRoute(
      { name: method, rest: { method, path: '/api/x' }, payload: z.strictObject({}), caller: 'session' },
      perform,
    ),
  );

const BEFORE: [where: string, setting: Setting][] = [
  ['too many requests are open', { bounds: { requests: 0 } }],
  ['the token cannot be looked up', { authenticate: async () => away }],
  ['the limits cannot be counted', { limits: { take: async () => ({ refusal: away, headers: {} }) } }],
];

test.each(BEFORE)('[GEN3] if %s, a mutation is not done, and a read has no outcome', async (_where, setting) => {
  const all = { ...setting, accountRoutes: routes(async () => ({ body: {} })) };
  for (const mutation of [
    ['POST', '/api/node'],
    ['DELETE', '/api/node'],
    ['POST', '/api/x'],
  ] as const) {
    expect(await send(mutation, all), mutation.join(' ')).toEqual({ outcome: 'not_done' });
    await close();
  }
  for (const read of [
    ['GET', '/api/graph'],
    ['GET', '/api/x'],
  ] as const) {
    expect(await send(read, all), read.join(' ')).toBeUndefined();
    await close();
  }
});

test('[GEN3] a body beyond the memory bound is a mutation not done', async () => {
  expect(await send(['POST', '/api/node'], { bounds: { bodyBytes: 0 } })).toEqual({ outcome: 'not_done' });
});

test('[GEN3] the outcome of workers is passed on unchanged', async () => {
  const unknown = { outcome: 'unknown' };
  const reply = { ok: false, error: 'unavailable', message: '', details: unknown } as const;
  expect(await send(['POST', '/api/node'], { dispatch: dispatching(reply) })).toEqual(unknown);
});

test('[GEN3] the outcome of an account operation is unknown after a worker was asked for a change, and not before', async () => {
  const reply = { ok: false, error: 'unavailable', message: '' } as const;
  const ask = createAskAccounts({ requester: { read: async () => reply }, deadlineMs: 1_000, secret: 'a secret' });
  const asking = (event: 'account:find' | 'account:logout') =>
    routes(async (_payload, _who, circumstances) => {
      const payload = { email: user.email, id: token.id, request: token.id };
      const answer = await ask(event, payload, user, circumstances);
      return isRefusal(answer) ? answer : { body: {} };
    });
  const post = ['POST', '/api/x'] as const;
  expect(await send(post, { accountRoutes: asking('account:logout') })).toEqual({ outcome: 'unknown' });
  await close();
  expect(await send(post, { accountRoutes: asking('account:find') })).toEqual({ outcome: 'not_done' });
  await close();
  expect(await send(['GET', '/api/x'], { accountRoutes: asking('account:find') })).toBeUndefined();
});

test('[GEN3] if an account route reports no outcome, it is unknown', async () => {
  expect(await send(['POST', '/api/x'], { accountRoutes: routes(async () => away) })).toEqual({ outcome: 'unknown' });
});
