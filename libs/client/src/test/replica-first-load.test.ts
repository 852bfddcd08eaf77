// The first load of a replica, under the rate limits that the service has by default.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startReplica } from '../replica/replica.ts';
import { openSession } from '../session.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import { createFaultyConnection } from './support/faulty-connection.ts';
import { ACTIONS } from './support/model-actions.ts';
import { createModelServer } from './support/model-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NODES = 300;
const PAGE = 10;

test('[WALK1 EVT3] a first load of 30 pages waits for no limit, and shows each page as it arrives', async () => {
  const server = createModelServer({ page: PAGE, slices: 100, ids: 500 }, () => undefined);
  const nothing = () => undefined;
  const connection = createFaultyConnection(
    () => server,
    { lost: nothing, left: nothing, gone: nothing },
    () => 0.5,
  );
  for (let index = 0; index < NODES; index++) ACTIONS.addMine(server, { one: 0, other: 0 });
  const limited: string[] = [];
  const startedMs = Date.now();
  const session = openSession(connection.open());
  const replica = await startReplica(session, memoryStorage(), 'reader');
  replica.on('failed', ({ error }) => limited.push(String(error)));
  const shown: number[] = [];
  replica.subscribe(
    ({ nodes }) => nodes.size,
    (size) => {
      if (replica.state === 'catching-up') shown.push(size);
    },
  );
  while (replica.state !== 'live') await vi.advanceTimersByTimeAsync(10);
  expect(Date.now() - startedMs).toBeLessThan(5_000);
  expect(limited).toEqual([]);
  expect(replica.snapshot().nodes.size).toBe(NODES);
  expect(shown.length).toBeGreaterThan(NODES / PAGE / 2);
  expect(shown).toEqual([...shown].sort((one, other) => one - other));
  await replica.close();
});
