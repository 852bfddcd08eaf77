// Commands that are refused while their reader is away, and commands that follow on own changes.
import type { Socket } from 'socket.io-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Replica } from '../replica/contract.ts';
import { startReplica } from '../replica/replica.ts';
import { openSession } from '../session.ts';
import { memoryStorage } from '../storage/memory-storage.ts';
import type { TakeOverListener } from '../storage/storage.ts';
import { createDevice } from './support/device.ts';
import { createFaultyConnection } from './support/faulty-connection.ts';
import { createModelServer } from './support/model-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const refusedKeys = ({ refusals }: Replica) => refusals().map(({ key, code }) => `${key} ${code}`);

function trash(replica: Replica, key: string, id: string): void {
  // The tests read the outcome from the refusals.
  replica.send('node:trash', { id }, { key }).catch(() => undefined);
}

/** A device on which Ann has queued a command without a connection that will be refused. */
async function deviceWithRefusal() {
  const device = createDevice();
  const { ann, bob } = device;
  const first = await device.open(ann);
  trash(first.replica, 'one', 'unknown');
  await first.replica.close();
  ann.connection.reopen();
  const { replica } = await device.open(ann);
  await pass(5_000);
  return { device, ann, bob, replica };
}

test('[GEN8] a refusal outlives a restart until it is dismissed', async () => {
  const { device, ann, replica } = await deviceWithRefusal();
  expect([refusedKeys(replica), replica.waiting]).toEqual([['one not_found'], 0]);
  expect(replica.refusals()).toBe(replica.refusals());
  await replica.close();
  const again = await device.open(ann);
  expect(again.replica.refusals()).toMatchObject([{ key: 'one', event: 'node:trash', payload: { id: 'unknown' } }]);
  const changes = vi.fn();
  again.replica.on('refusals', changes);
  again.replica.dismiss('one');
  expect([refusedKeys(again.replica), changes.mock.calls.length]).toEqual([[], 1]);
  await again.replica.close();
  expect(await device.keys()).not.toContain('refused');
});

test('[GEN8] a refusal after a restart does not replace an earlier one', async () => {
  const { device, ann, replica } = await deviceWithRefusal();
  await replica.close();
  ann.connection.close();
  const second = await device.open(ann);
  trash(second.replica, 'two', 'unknown');
  await second.replica.close();
  ann.connection.reopen();
  const third = await device.open(ann);
  await pass(5_000);
  await third.replica.close();
  const fourth = await device.open(ann);
  expect(refusedKeys(fourth.replica)).toEqual(['one not_found', 'two not_found']);
  await fourth.replica.close();
});

test('[ACL7] a refusal shows to its own reader alone', async () => {
  const { device, ann, bob, replica } = await deviceWithRefusal();
  await replica.close();
  bob.connection.reopen();
  const second = await device.open(bob);
  await pass(5_000);
  expect(refusedKeys(second.replica)).toEqual([]);
  await second.replica.close();
  const third = await device.open(ann);
  expect(refusedKeys(third.replica)).toEqual(['one not_found']);
  await third.replica.close();
});

test('[GEN8] a refused command is sent again on request, also after a restart', async () => {
  const { device, ann, replica } = await deviceWithRefusal();
  ann.connection.close();
  await pass(100);
  replica.retry('one');
  expect([refusedKeys(replica), replica.commands().map(({ key }) => key)]).toEqual([[], ['one']]);
  await replica.close();
  ann.connection.reopen();
  const again = await device.open(ann);
  await pass(5_000);
  expect([ann.connection.sent, refusedKeys(again.replica)]).toEqual([['one', 'one'], ['one not_found']]);
  await again.replica.close();
});

test('[GEN6] a refused batch is sent again without the versions of its operations, under another key', async () => {
  const device = createDevice();
  const { replica } = await device.open(device.ann);
  const operation = { event: 'node:trash', payload: { id: 'unknown', version: 5 } } as const;
  const batch = replica.send('batch:run', { operations: [operation] }, { key: 'one' });
  batch.catch(() => undefined);
  device.ann.connection.reopen();
  await pass(5_000);
  expect(replica.refusals()).toMatchObject([{ key: 'one', payload: { operations: [operation] } }]);
  device.ann.connection.close();
  await pass(100);
  replica.retry('one');
  const [again] = replica.commands();
  // Not a random one: two pages may have the same refusal.
  expect(again?.key).toBe('one.unversioned');
  expect(again?.payload).toEqual({ operations: [{ event: 'node:trash', payload: { id: 'unknown' } }] });
  await replica.close();
});

test('[GEN8] the refusal of a command that was sent at once is its caller’s', async () => {
  const device = createDevice();
  device.ann.connection.reopen();
  const { replica } = await device.open(device.ann);
  await pass(3_000);
  trash(replica, 'one', 'unknown');
  await pass(3_000);
  expect([device.ann.connection.sent, refusedKeys(replica)]).toEqual([['one'], []]);
  await replica.close();
});

test('[GEN8] a storage that lost everything gets each command once', async () => {
  const { ann } = createDevice();
  const storage = memoryStorage();
  let listener: TakeOverListener | null = null;
  const onTakeOver = (given: TakeOverListener) => {
    listener = given;
  };
  const session = openSession(ann.connection.open() as unknown as Socket);
  const replica = await startReplica(session, { ...storage, onTakeOver }, 'reader');
  trash(replica, 'one', 'unknown');
  (listener as TakeOverListener | null)?.everything(new Map());
  await replica.close();
  const commands = [...(await storage.load())].filter(([place]) => place.startsWith('command/'));
  expect(commands).toMatchObject([['command/000000000002', { key: 'one' }]]);
});

/** A replica without a connection, whose service answers a command with these nodes. Returns what it sends. */
async function replicaAnswered(nodesOf: (sent: number) => readonly unknown[]) {
  const server = createModelServer({ page: 10, slices: 100, ids: 200 }, () => undefined);
  const none = () => undefined;
  const connection = createFaultyConnection(
    () => server,
    { lost: none, left: none, gone: none },
    () => 0.5,
  );
  connection.close();
  const sent: unknown[] = [];
  const socket = connection.open();
  const timeout = (ms: number) => ({
    emit(event: string, payload: Record<string, unknown>, acknowledge: (error: Error | null, body: unknown) => void) {
      if (payload.idempotencyKey === undefined) return socket.timeout(ms).emit(event, payload, acknowledge);
      const { idempotencyKey: _key, ...fields } = payload;
      sent.push(fields);
      acknowledge(null, { ok: true, diff: { nodes: nodesOf(sent.length), links: [] }, feeds: {} });
    },
  });
  const session = openSession({ ...socket, timeout } as unknown as Socket);
  const replica = await startReplica(session, memoryStorage(), 'reader');
  return { replica, connection, sent };
}

const step = (id: string, version: number) => ({ op: 1, before: { id, version }, after: { id, version: version + 1 } });

test('[GEN6 GEN8] a command that is sent again under its key keeps its version', async () => {
  const { replica, connection, sent } = await replicaAnswered((count) => (count === 1 ? [step('a', 5)] : []));
  const payload = { id: 'a', version: 5, title: 'one' };
  const commands = [1, 2].map(() => replica.send('node:update', payload, { key: 'once' }));
  connection.reopen();
  await pass(5_000);
  await Promise.all(commands);
  expect(sent).toEqual([payload, payload]);
  await replica.close();
});

test('[GEN6] a command follows a batch that changes its entity several times', async () => {
  const { replica, connection, sent } = await replicaAnswered((count) =>
    count === 1 ? [step('a', 5), step('b', 1), step('a', 6), step('a', 7)] : [],
  );
  const operation = (fields: object) => ({ event: 'node:update', payload: { id: 'a', ...fields } }) as const;
  const commands = [
    replica.send('batch:run', { operations: [operation({ version: 5, title: 'one' }), operation({ volume: 2 })] }),
    replica.send('node:update', { id: 'a', version: 5, priority: 3 }),
    replica.send('node:update', { id: 'b', version: 1, priority: 3 }),
  ];
  connection.reopen();
  await pass(5_000);
  await Promise.all(commands);
  expect(sent.slice(1)).toEqual([
    { id: 'a', version: 8, priority: 3 },
    { id: 'b', version: 2, priority: 3 },
  ]);
  await replica.close();
});

test('[GEN6] commands on one version follow each other, and one on another version does not', async () => {
  const { replica, connection, sent } = await replicaAnswered((count) => (count === 1 ? [step('a', 5)] : []));
  const commands = [
    { id: 'a', version: 5, title: 'one' },
    { id: 'a', version: 5, volume: 2 },
    { id: 'a', version: 4, priority: 3 },
    { id: 'b', version: 5, title: 'other' },
    { id: 'a', title: 'without' },
  ].map((payload) => replica.send('node:update', payload));
  const batch = replica.send('batch:run', {
    operations: [
      { event: 'node:update', payload: { id: 'a', version: 5, status: 1 } },
      { event: 'node:update', payload: { id: 'b', version: 5, status: 1 } },
    ],
  });
  connection.reopen();
  await pass(5_000);
  await Promise.all([...commands, batch]);
  expect(sent).toEqual([
    { id: 'a', version: 5, title: 'one' },
    { id: 'a', version: 6, volume: 2 },
    { id: 'a', version: 4, priority: 3 },
    { id: 'b', version: 5, title: 'other' },
    { id: 'a', title: 'without' },
    {
      operations: [
        { event: 'node:update', payload: { id: 'a', version: 6, status: 1 } },
        { event: 'node:update', payload: { id: 'b', version: 5, status: 1 } },
      ],
    },
  ]);
  await replica.close();
});
