import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPools } from './database-pools.ts';

let pools: ReturnType<typeof openPools>;
beforeAll(async () => {
  const { NEO4J_URL = '', NEO4J_USER = '', NEO4J_PASSWORD = '' } = process.env;
  pools = openPools({ NEO4J_URL, NEO4J_USER, NEO4J_PASSWORD });
  await Promise.all([pools.database.verify(), pools.webhookDatabase.verify()]);
});
afterAll(() => pools.close());

test('[ACL5 HOOK13] ends of access have connections while webhooks use all of theirs', async () => {
  const busy = Array.from({ length: 16 }, () => pools.webhookDatabase.begin());
  await Promise.all(busy.map((transaction) => transaction.run('RETURN 1', {})));
  let isWaiting = true;
  const further = pools.webhookDatabase.read('RETURN 1 AS one', {}).finally(() => {
    isWaiting = false;
  });
  expect(await pools.database.read('RETURN 1 AS one', {})).toEqual([{ one: 1 }]);
  expect(isWaiting).toBe(true);
  await Promise.all(busy.map((transaction) => transaction.rollback()));
  expect(await further).toEqual([{ one: 1 }]);
});
