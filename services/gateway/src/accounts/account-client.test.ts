import type { AccountEvent, AccountPayload } from '@taskgraph/wire/bus/account-messages';
import { isRefusal } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { TOKEN_CACHE_MS } from '../auth/authentication.ts';
import { madeRoute } from '../test/support/routes.ts';
import { createAskAccounts } from './account-client.ts';
import { performRoute } from './route-handler.ts';

const ID = '01890000-0000-7000-8000-00000000000a';
const USER = { id: ID, username: 'ann', email: 'ann@example.com' };
const REVOKE = { id: ID, request: ID };

/** Milliseconds from a worker's reply until the audit line and the answer of a route that sends this operation. */
async function timesOf<E extends AccountEvent>(event: E, payload: AccountPayload<E>, ok = true) {
  const reply = ok ? ({ ok, body: {} } as const) : ({ ok, error: 'not_found', message: '' } as const);
  let repliedMs = 0;
  const read = async () => {
    repliedMs = performance.now();
    return reply;
  };
  const ask = createAskAccounts({ requester: { read }, deadlineMs: 1_000, secret: 'a secret' });
  const rest = { method: 'POST', path: '/api/x' } as const;
  const declared = { name: 'x', rest, payload: z.strictObject({}), audited: 'token:revoke' } as const;
  const route = madeRoute(declared, async (_payload, _nobody, context) => {
    const answer = await ask(event, payload, USER, context);
    return isRefusal(answer) ? answer : { body: {} };
  });
  const received = { query: '', header: () => '' };
  const request = { input: { value: {} }, identity: null, received, traceId: 't', arrivedMs: Date.now(), ip: '::1' };
  let audited = Number.POSITIVE_INFINITY;
  await performRoute(route, request, () => {
    audited = performance.now() - repliedMs;
  });
  return { audited, answered: performance.now() - repliedMs };
}

test('[AUTH2] the answer to the end of a token comes when no gateway has its identity cached any more', async () => {
  const { audited, answered } = await timesOf('account:token:revoke', REVOKE);
  expect(answered).toBeGreaterThanOrEqual(TOKEN_CACHE_MS);
  // The service may stop before the answer.
  expect(audited).toBeLessThan(TOKEN_CACHE_MS);
});

test('[AUTH2] a refused end of a token, the end of a disabling and other calls do not wait', async () => {
  const times = [
    await timesOf('account:token:revoke', REVOKE, false),
    await timesOf('account:disable', { id: ID, disabled: false }),
    await timesOf('account:hook:delete', { ...REVOKE, caller: ID }),
  ];
  expect(Math.max(...times.map(({ answered }) => answered))).toBeLessThan(TOKEN_CACHE_MS);
});

test('[AUTH2] the answer to disabling a user waits', async () => {
  expect((await timesOf('account:disable', { id: ID, disabled: true })).answered).toBeGreaterThanOrEqual(
    TOKEN_CACHE_MS,
  );
});
