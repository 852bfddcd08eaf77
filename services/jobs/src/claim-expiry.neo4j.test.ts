// The expiry of ended claims against a real Neo4j: after failures it leaves the rest to the next run.
import { createIdFactory } from '@taskgraph/runtime/ids';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireEndedClaims } from './claim-expiry.ts';
import { openPools } from './database-pools.ts';

/** Earlier than all claims of other tests. */
const ENDED = '1990-01-01T00:00:00.000Z';
const CLAIMS = 40;

let pools: ReturnType<typeof openPools>;
beforeAll(async () => {
  const { NEO4J_URL = '', NEO4J_USER = '', NEO4J_PASSWORD = '' } = process.env;
  pools = openPools({ NEO4J_URL, NEO4J_USER, NEO4J_PASSWORD });
  await pools.database.verify();
});
afterAll(() => pools.close());

test('[CLAIM3] a run of the expiry ends after some failures, and the next one continues', async () => {
  const newId = createIdFactory();
  const ids = Array.from({ length: CLAIMS }, () => newId(0));
  const { database } = pools;
  await database.write(
    `UNWIND $ids AS id
     CREATE (:Node {id: id, inTrash: false, status: toInteger(1), claimUntil: $ended})`,
    { ids, ended: ENDED },
  );
  try {
    const sent: string[] = [];
    let isStuck = true;
    const context = {
      database,
      log: createLog({ name: 'test', level: 'silent' }),
      stopping: new AbortController().signal,
      send: async (_event: string, { id }: { readonly id: string }) => {
        sent.push(id);
        if (isStuck) throw new Error('no worker answers');
        return 'done' as const;
      },
    };
    await expireEndedClaims(context, ENDED);
    // Those in flight when the last of the failures is known still end.
    expect(sent.length).toBeGreaterThanOrEqual(16);
    expect(sent.length).toBeLessThan(CLAIMS);
    sent.length = 0;
    isStuck = false;
    await expireEndedClaims(context, ENDED);
    expect([...sent].sort()).toEqual([...ids].sort());
  } finally {
    await database.write('MATCH (n:Node) WHERE n.id IN $ids DETACH DELETE n', { ids });
  }
});
