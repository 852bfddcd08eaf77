// Undoes an import on a running stack, by its keys alone.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type TaskgraphClient } from '../../connect.ts';
import { many } from '../../test/support/import-graphs.ts';
import type { Caller } from '../caller.ts';
import { runImport } from './import-run.ts';
import { undoImport } from './import-undo.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
let client: TaskgraphClient;
beforeAll(async () => {
  client = await connect({ url, token: await stack.token(emailOf('ann')) });
});
afterAll(() => client?.close());

/** A caller whose program ends after this number of parts. */
function endingAfter(parts: number): Caller {
  let left = parts;
  return {
    async call(event, payload, options) {
      if (event === 'batch:run' && left-- === 0) throw new Error('it ended');
      return client.call(event, payload, options);
    },
  };
}

const active = async () => (await client.call('graph:get', { limit: 1_000 })).nodes.length;
const batches = async () => {
  const scopeId = String(client.connected.uid);
  const { batches: all } = await client.history.page({ scopeType: 'USER', scopeId, limit: 100 });
  return all.map(({ batchId }) => batchId);
};

test('[IO4 GEN8] an import that stopped at a refused part is undone, and finding its parts creates nothing', async () => {
  const before = await active();
  const { diff } = await client.node.add({ title: 'above' });
  const under = String(diff.nodes[0]?.after.id);
  const identity = { file: `stopped ${under}`, format: 'test', under };
  await expect(runImport(endingAfter(2), many, identity)).rejects.toThrow('it ended');
  await client.node.trash({ id: under });
  await expect(runImport(client, many, identity)).rejects.toMatchObject({ code: 'import.gone', done: 2 });
  expect(await active()).toBeGreaterThan(before + 5);

  const [newest] = await batches();
  expect(await undoImport(client, many, identity)).toEqual({ parts: 2, before: 0 });
  expect(await active()).toBe(before);
  const since = (await batches()).slice(0, 3);
  expect(since[2]).toBe(newest);
  expect(await undoImport(client, many, identity)).toEqual({ parts: 0, before: 2 });
  await expect(undoImport(client, many, { ...identity, again: 'never' })).rejects.toMatchObject({
    code: 'import.not_there',
  });
  expect((await batches())[0]).toBe(since[0]);
});
