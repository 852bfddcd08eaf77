// The checks before an account route runs, with hand-made routes.
import { refuse } from '@taskgraph/wire/errors';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { Identity } from '../auth/token.ts';
import { madeRoute } from '../test/support/routes.ts';
import { type AccountRoute, authenticatedRoute, type RouteResult } from './route.ts';
import { performRoute } from './route-handler.ts';

const rest = { method: 'POST', path: '/api/x' } as const;
const payload = z.strictObject({ id: z.string() });

function identity(kind: 'api' | 'session', readOnly = false): Identity {
  const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
  return { user, token: { id: '01890000-0000-7000-8000-00000000000a', kind, readOnly, expires: null } };
}

/** The lines of the audit log. */
const acts: object[] = [];
beforeEach(() => void acts.splice(0));

function perform(route: AccountRoute, who: Identity | null, value: object) {
  const received = { query: 'a=1', header: (name: string) => `the ${name}` };
  const request = { input: { value }, identity: who, received, traceId: 't', arrivedMs: 5, ip: '203.0.113.7' };
  return performRoute(route, request, (act) => void acts.push(act));
}

it('[GEN3 AUTH2] checks the shape first, then the session', async () => {
  const route = madeRoute({ name: 'x', rest, payload, caller: 'session' }, async ({ id }, who) => ({
    body: { id, email: who?.user.email },
  }));
  expect(await perform(route, identity('api'), {})).toMatchObject({ reply: { code: 'bad_request.missing_id' } });
  expect(await perform(route, identity('api'), { id: 'a' })).toMatchObject({
    reply: { code: 'forbidden.session_required' },
  });
  const body = { id: 'a', email: 'ann@example.com' };
  expect(await perform(route, identity('session'), { id: 'a' })).toMatchObject({ reply: { ok: true, body } });
  const anyToken = madeRoute({ name: 'x', rest, payload, caller: 'token' }, async () => ({ body: {} }));
  expect(await perform(anyToken, identity('api'), { id: 'a' })).toMatchObject({ reply: { ok: true } });
});

it('[AUTH2 SCOPE1] a route for any token checks the scope that it declares', async () => {
  const declared = { name: 'x', rest, payload, caller: 'token' } as const;
  const route = (scope: 'hooks' | 'none') => madeRoute({ ...declared, scope }, async () => ({ body: {} }));
  const outcome = (scope: 'hooks' | 'none', readOnly: boolean) =>
    perform(route(scope), identity('api', readOnly), { id: 'a' });
  expect(await outcome('hooks', true)).toMatchObject({ reply: { code: 'forbidden.read_only' } });
  expect(await outcome('none', true)).toMatchObject({ reply: { ok: true } });
  expect(await outcome('hooks', false)).toMatchObject({ reply: { ok: true } });
});

it('passes on the needed parts of a request, and extra parts of the answer', async () => {
  const anyQuery = { ...rest, anyQuery: true } as const;
  const route = madeRoute({ name: 'x', rest: anyQuery, payload }, async (_payload, _nobody, context) => ({
    body: { ...context },
    status: 303,
    headers: { Location: '/' },
  }));
  const body = expect.objectContaining({
    traceId: 't',
    arrivedMs: 5,
    cookie: 'the cookie',
    host: 'the host',
    query: 'a=1',
  });
  expect(await perform(route, null, { whatever: 1 })).toEqual({
    reply: { ok: true, body },
    status: 303,
    headers: { Location: '/' },
  });
  const refusing = madeRoute({ name: 'x', rest, payload }, async () => refuse('unauthorized', 'No.'));
  expect(await perform(refusing, null, { id: 'a' })).toEqual({ reply: refuse('unauthorized', 'No.') });
});

it('an authenticated route is never called without an identity', async () => {
  const route = authenticatedRoute({ name: 'me' }, async () => ({ body: {} }));
  await expect(async () => perform(route, null, {})).rejects.toThrow('called without an identity');
});

it('[AUTH4] writes a line for each audited call, with all known fields and its outcome', async () => {
  const declared = { name: 'x', rest, payload, audited: 'sign-in' } as const;
  const user = { id: '01890000-0000-7000-8000-000000000002', email: 'bob@example.com' };
  const route = (outcome: () => Promise<RouteResult>) =>
    madeRoute(declared, (_payload, _nobody, { note, identify }) => {
      note({ by: 'password' });
      note({ userId: user.id });
      identify(user);
      return outcome();
    });
  await perform(
    route(async () => ({ body: {} })),
    null,
    { id: 'a' },
  );
  await perform(
    route(async () => refuse('unauthorized', 'No.')),
    null,
    { id: 'a' },
  );
  await expect(
    perform(
      route(() => Promise.reject(new Error('broken'))),
      null,
      { id: 'a' },
    ),
  ).rejects.toThrow('broken');
  const what = { by: 'password', userId: user.id };
  const line = { event: 'sign-in', from: '203.0.113.7', traceId: 't', who: expect.objectContaining(user), what };
  expect(acts).toEqual(['ok', 'unauthorized', 'internal.exception'].map((outcome) => ({ ...line, outcome })));
});

it('[AUTH4] audits a token without the right, and omits calls that are not audited', async () => {
  const declared = { name: 'x', rest, payload, caller: 'session' } as const;
  const done = async () => ({ body: {} });
  await perform(madeRoute({ ...declared, audited: 'token:create' }, done), identity('api'), { id: 'a' });
  await perform(madeRoute(declared, done), identity('session'), { id: 'a' });
  expect(acts).toEqual([expect.objectContaining({ event: 'token:create', outcome: 'forbidden.session_required' })]);
});

it('[LIM2] a header also contains the time to wait', async () => {
  const limited = refuse('rate_limited', 'Wait.', { limit: 'login:failures', retryAfterMs: 1_500 });
  const route = madeRoute({ name: 'x', rest, payload }, async () => limited);
  expect(await perform(route, null, { id: 'a' })).toEqual({ reply: limited, headers: { 'Retry-After': '2' } });
});
