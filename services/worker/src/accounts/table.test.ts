// The gateway's proof must cover exactly the requested operation, independent of the clocks.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { prove } from '@taskgraph/runtime/security/signed-text';
import { accountClaim } from '@taskgraph/wire/bus/account-messages';
import { expect, it } from 'vitest';
import { pagesOf } from '../test/support/whole-reads.ts';
import { answerAccount } from './table.ts';

const SECRET = 'a secret of this test';
const DEADLINE_MS = Date.UTC(2026, 5, 1);
// A message without an actor is refused before any read of the database.
const asked = { event: 'account:me' as const, payload: {}, actor: null, deadline: DEADLINE_MS };
const message = { ...asked, traceId: 'test', proof: prove(SECRET, 'account', accountClaim(asked)) };
const environment = {
  database: {} as Database,
  secret: SECRET,
  nowMs: () => DEADLINE_MS - 1_000,
  pages: pagesOf(),
  publishControl: () => undefined,
  survey: () => Promise.reject(new Error('this test has no bus')),
};

it.each([-3_600_000, -600, 0, 600, 3_600_000])(
  '[AUTH4] a gateway is recognized if the worker’s clock is %i ms ahead of its own',
  async (aheadMs) => {
    const received = aheadMs === 0 ? {} : { deadline: DEADLINE_MS + aheadMs, signedDeadline: DEADLINE_MS };
    expect(await answerAccount({ ...message, ...received }, environment)).toMatchObject({ error: 'unauthorized' });
  },
);

it('[AUTH4] an unsigned deadline does not authenticate a gateway, in either field', async () => {
  for (const changed of [{ deadline: DEADLINE_MS + 1 }, { signedDeadline: DEADLINE_MS + 1 }]) {
    expect(await answerAccount({ ...message, ...changed }, environment)).toMatchObject({ error: 'internal.unproven' });
  }
});
