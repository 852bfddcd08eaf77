import { expect, test } from 'vitest';
import { TOKEN_CACHE_MS } from '../auth/authentication.ts';
import { createAskAccounts } from './account-client.ts';

const ID = '01890000-0000-7000-8000-00000000000a';
const USER = { id: ID, username: 'ann', email: 'ann@example.com' };

/** Milliseconds until the answer to a worker's reply. */
async function timeOf(event: 'account:token:revoke' | 'account:hook:delete', ok: boolean): Promise<number> {
  const reply = ok ? ({ ok, body: {} } as const) : ({ ok, error: 'not_found', message: '' } as const);
  const ask = createAskAccounts({ requester: { read: async () => reply }, deadlineMs: 1_000, secret: 'a secret' });
  const startedAt = performance.now();
  const payload = event === 'account:token:revoke' ? { id: ID, request: ID } : { id: ID, request: ID, caller: ID };
  await ask(event, payload as never, USER, { traceId: 'test', arrivedMs: Date.now() });
  return performance.now() - startedAt;
}

test('[AUTH2] the answer to the end of a token comes when no gateway has its identity cached any more', async () => {
  expect(await timeOf('account:token:revoke', true)).toBeGreaterThanOrEqual(TOKEN_CACHE_MS);
});

test('[AUTH2] a refused end of a token and other calls do not wait', async () => {
  const times = [await timeOf('account:token:revoke', false), await timeOf('account:hook:delete', true)];
  expect(Math.max(...times)).toBeLessThan(TOKEN_CACHE_MS);
});
