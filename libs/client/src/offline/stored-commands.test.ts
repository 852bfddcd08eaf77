// When a command counts as stored: from then on a later run sends it. Rule: GEN8.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memoryStorage } from '../storage/memory-storage.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import { createOutbox } from './outbox.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An outbox without a connection, over a storage whose writes wait for `release`, or fail. */
function createStalledOutbox() {
  const storage = memoryStorage();
  let release: (() => void) | null = null;
  let isFull = false;
  const stalled: ReplicaStorage = {
    ...storage,
    async write(entries) {
      if (isFull) throw new Error('no space left');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await storage.write(entries);
    },
  };
  const stored: string[] = [];
  const failed = vi.fn();
  const outbox = createOutbox({
    storage: stalled,
    failed,
    maximum: 10,
    reader: () => ({ credentials: 'reader', user: null }),
    isConnected: () => false,
    queued: () => undefined,
    stored: ({ key }) => stored.push(key),
    send: () => Promise.reject(new Error('there is no connection')),
    done: () => ({}),
    refused: () => undefined,
    refusalsChanged: () => undefined,
  });
  const add = (key: string) => void outbox.add('node:add', { title: key }, key).catch(() => undefined);
  const finishWrite = async () => {
    release?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return {
    outbox,
    add,
    stalled,
    stored,
    failed,
    finishWrite,
    setFull(next: boolean) {
      isFull = next;
    },
    keys: async () => [...(await storage.load()).values()].map((command) => (command as { key: string }).key),
  };
}

test('[GEN8] a command is stored when the storage has it, not before', async () => {
  const { outbox, add, stored, finishWrite, keys } = createStalledOutbox();
  add('one');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([outbox.size(), outbox.unstored(), stored, await keys()]).toEqual([1, 1, [], []]);
  await finishWrite();
  expect([outbox.size(), outbox.unstored(), stored, await keys()]).toEqual([1, 0, ['one'], ['one']]);
  outbox.stop();
});

test('[GEN8] without a connection, a command that the storage refused is stored later', async () => {
  const { outbox, add, stored, failed, finishWrite, setFull, keys } = createStalledOutbox();
  setFull(true);
  add('one');
  add('two');
  await vi.advanceTimersByTimeAsync(0);
  expect([outbox.unstored(), stored, failed.mock.calls.length]).toEqual([2, [], 2]);
  setFull(false);
  await vi.advanceTimersByTimeAsync(60_000);
  await finishWrite();
  expect([outbox.unstored(), stored, await keys()]).toEqual([0, ['one', 'two'], ['one', 'two']]);
  outbox.stop();
});

test('[GEN8] a storage that lost everything gets refusals and the commands of others after a failure too', async () => {
  const { outbox, add, finishWrite, setFull, stalled } = createStalledOutbox();
  const [owner, key] = [{ credentials: 'another', user: null }, 'one'];
  outbox.restore(
    new Map<string, unknown>([
      ['command/000000000001', { key, event: 'node:add', payload: {}, sentAt: null, owner }],
      ['refused/000000000002', { key: 'two', refusedAt: 0, owner }],
    ]),
  );
  add('three');
  await finishWrite();
  setFull(true);
  outbox.rewrite();
  await vi.advanceTimersByTimeAsync(0);
  setFull(false);
  await vi.advanceTimersByTimeAsync(60_000);
  await finishWrite();
  expect([...(await stalled.load()).keys()].sort()).toEqual([
    'command/000000000004',
    'command/000000000005',
    'refused/000000000002',
  ]);
  outbox.stop();
});

test('[GEN8] a dismissal that the storage refused is stored later', async () => {
  const { outbox, finishWrite, setFull, stalled } = createStalledOutbox();
  const refusal = { key: 'one', refusedAt: 0, owner: undefined };
  outbox.restore(new Map([['refused/000000000001', refusal]]));
  outbox.rewrite();
  await finishWrite();
  expect((await stalled.load()).size).toBe(1);
  setFull(true);
  outbox.dismiss('one');
  await vi.advanceTimersByTimeAsync(0);
  setFull(false);
  await vi.advanceTimersByTimeAsync(60_000);
  await finishWrite();
  expect((await stalled.load()).size).toBe(0);
  outbox.stop();
});

test('[GEN8] commands count as not stored until a storage that lost everything has them again', async () => {
  const { outbox, add, stored, finishWrite, keys } = createStalledOutbox();
  add('one');
  await finishWrite();
  outbox.rewrite();
  expect(outbox.unstored()).toBe(1);
  await finishWrite();
  expect([outbox.unstored(), stored, await keys()]).toEqual([0, ['one', 'one'], ['one']]);
  outbox.stop();
});
