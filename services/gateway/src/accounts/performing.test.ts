// What is judged before a route of accounts is performed, with routes made for it.
import { refuse } from '@taskgraph/wire/errors';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Identity } from '../authentication.ts';
import { performRoute } from './performing.ts';
import { type AccountRoute, openRoute, ownRoute } from './route.ts';

const rest = { method: 'POST', path: '/api/x' } as const;
const payload = z.strictObject({ id: z.string() });

function identity(kind: 'api' | 'session', readOnly = false): Identity {
  const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
  return { user, token: { id: '01890000-0000-7000-8000-00000000000a', kind, readOnly, expires: null } };
}

function perform(route: AccountRoute, who: Identity | null, value: object) {
  const arrived = { query: 'a=1', header: (name: string) => `the ${name}` };
  return performRoute(route, { input: { value }, identity: who, arrived, traceId: 't', arrivedMs: 5 });
}

it('[GEN3 AUTH2] judges the shape, then whether it is a session', async () => {
  const route = ownRoute({ name: 'x', rest, payload, caller: 'session' }, async ({ id }, { user }) => ({
    body: { id, email: user.email },
  }));
  expect(await perform(route, identity('api'), {})).toMatchObject({ reply: { code: 'bad_request.missing_id' } });
  expect(await perform(route, identity('api'), { id: 'a' })).toMatchObject({
    reply: { code: 'forbidden.session_required' },
  });
  const body = { id: 'a', email: 'ann@example.com' };
  expect(await perform(route, identity('session'), { id: 'a' })).toMatchObject({ reply: { ok: true, body } });
  const anyToken = ownRoute({ name: 'x', rest, payload, caller: 'token' }, async () => ({ body: {} }));
  expect(await perform(anyToken, identity('api'), { id: 'a' })).toMatchObject({ reply: { ok: true } });
});

it('[AUTH2] a read-only token changes nothing by a route that any token may call', async () => {
  const declared = { name: 'x', rest, payload, caller: 'token' } as const;
  const route = (changes: boolean) => ownRoute({ ...declared, changes }, async () => ({ body: {} }));
  const outcome = (changes: boolean, readOnly: boolean) =>
    perform(route(changes), identity('api', readOnly), { id: 'a' });
  expect(await outcome(true, true)).toMatchObject({ reply: { code: 'forbidden.read_only' } });
  expect(await outcome(false, true)).toMatchObject({ reply: { ok: true } });
  expect(await outcome(true, false)).toMatchObject({ reply: { ok: true } });
});

it('hands on what a route needs of its request, and what it answers besides', async () => {
  const route = openRoute({ name: 'x', rest, payload: null }, async (_payload, circumstances) => ({
    ...{ body: { ...circumstances }, status: 303, headers: { Location: '/' } },
  }));
  const body = { traceId: 't', arrivedMs: 5, cookie: 'the cookie', host: 'the host', query: 'a=1' };
  expect(await perform(route, null, { whatever: 1 })).toEqual({
    reply: { ok: true, body },
    ...{ status: 303, headers: { Location: '/' } },
  });
  const refusing = openRoute({ name: 'x', rest, payload }, async () => refuse('unauthorized', 'No.'));
  expect(await perform(refusing, null, { id: 'a' })).toEqual({ reply: refuse('unauthorized', 'No.') });
});

it('a route of somebody is never performed for nobody', async () => {
  const route = ownRoute({ name: 'x', rest, payload, caller: 'token' }, async () => ({ body: {} }));
  await expect(async () => perform(route, null, { id: 'a' })).rejects.toThrow('performed for nobody');
});
