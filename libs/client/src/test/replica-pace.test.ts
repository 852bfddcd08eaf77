// A graph that changes permanently and faster than the rate limits let a reader follow.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startReplica } from '../replica/replica.ts';
import { openSession } from '../session.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import { createFaultyConnection } from './support/faulty-connection.ts';
import { ACTIONS, changeNode } from './support/model-actions.ts';
import { createModelServer, type ModelServer } from './support/model-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NODES = 60;
/** Most slices that one answer covers; 10,000 in the service. */
const SLICES = 20;
/** Slices between two requests at the highest allowed rate. */
const ONCE = 10 * SLICES;
const SECONDS = 90;

test('[EVT1, EVT2] at ten times the rate of changes that answers can list, nothing is older than two full reads, and the replica is soon current again', async () => {
  let random = 1;
  const next = () => {
    random = (random * 48_271) % 2_147_483_647;
    return random / 2_147_483_647;
  };
  vi.spyOn(Math, 'random').mockImplementation(next);
  let connection: ReturnType<typeof createFaultyConnection> | null = null;
  const server: ModelServer = createModelServer({ page: 10, slices: SLICES, ids: 5 * SLICES }, (pushes, heads) =>
    connection?.push(pushes, heads),
  );
  const nothing = () => undefined;
  connection = createFaultyConnection(() => server, { lost: nothing, left: nothing, gone: nothing }, next);
  for (let index = 0; index < NODES; index++) ACTIONS.addMine(server, { one: 0, other: 0 });
  const replica = await startReplica(openSession(connection.open()), memoryStorage(), 'reader');
  // A fifth of all pushes is lost, so that no feed is without gaps for long.
  connection.setFaults({ lose: 0.2, double: 0, truncate: 0, delayMs: 20 });
  const nodes = [...server.state.nodes.values()];
  /** The time of each version of a node. */
  const madeAt = new Map(nodes.map(({ id }) => [id, [0, Date.now()]]));
  const ages: number[] = [];
  for (let second = 0; second < SECONDS; second++) {
    for (let turn = 0; turn < ONCE; turn++) {
      const node = nodes[Math.floor(next() * NODES)];
      if (node === undefined) continue;
      server.commit(() => [changeNode(node, 1, { title: `${second} ${turn}` })]);
      madeAt.get(node.id)?.push(Date.now());
      await vi.advanceTimersByTimeAsync(1_000 / ONCE);
    }
    for (const { id, version } of nodes) {
      const known = replica.snapshot().nodes.get(id)?.version ?? 0;
      // The age is the time since the next version.
      if (known < version && second > 30) ages.push(Date.now() - (madeAt.get(id)?.[known + 1] ?? 0));
    }
  }
  // A full read takes 7 pages, and 5 of them begin in 10 seconds. The bound is two with the waits.
  expect(Math.max(...ages)).toBeLessThan(45_000);
  connection.setFaults({ lose: 0, double: 0, truncate: 0, delayMs: 20 });
  connection.announceHeads();
  await vi.advanceTimersByTimeAsync(45_000);
  expect(replica.state).toBe('live');
  expect([...replica.snapshot().nodes.values()].map(({ id, version }) => [id, version]).sort()).toEqual(
    nodes.map(({ id, version }) => [id, version]).sort(),
  );
  await replica.close();
}, 120_000);
