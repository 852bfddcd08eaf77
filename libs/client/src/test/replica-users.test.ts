// Several users of one storage, as on a shared device: each sees and sends only their own data.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Replica } from '../replica/contract.ts';
import { createDevice } from './support/device.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const idsOf = ({ snapshot }: Replica) => [...snapshot().nodes.keys()].sort();
const titlesOf = ({ snapshot }: Replica) => [...snapshot().nodes.values()].map(({ title }) => title);

function send(replica: Replica, key: string, more: object = {}): void {
  // The tests read the outcome from events.
  replica.send('node:add', { title: `by ${key}`, ...more }, { key }).catch(() => undefined);
}

/** A device whose storage has Ann's graph and her offline command. */
async function deviceOfAnn() {
  const device = createDevice();
  const { ann, bob } = device;
  ann.connection.reopen();
  const { replica } = await device.open(ann);
  await pass(3_000);
  ann.connection.close();
  send(replica, 'one of ann');
  await replica.close();
  return { device, ann, bob };
}

test('[GEN8] a command that was queued before any connection waits for its own user, and is not sent as the next one', async () => {
  const device = createDevice();
  const { ann, bob } = device;
  const first = await device.open(ann);
  send(first.replica, 'one of ann');
  await first.replica.close();

  const second = await device.open(bob);
  expect([titlesOf(second.replica), second.replica.waiting]).toEqual([[], 0]);
  send(second.replica, 'one of bob');
  bob.connection.reopen();
  await pass(5_000);
  expect([bob.connection.sent, second.told]).toEqual([['one of bob'], ['client.other_user']]);
  expect(titlesOf(second.replica)).toEqual(['by one of bob']);
  await second.replica.close();

  const third = await device.open(ann);
  expect([titlesOf(third.replica), third.replica.waiting]).toEqual([['by one of ann'], 1]);
  ann.connection.reopen();
  await pass(5_000);
  expect([ann.connection.sent, third.told, third.replica.waiting]).toEqual([['one of ann'], [], 0]);
  await third.replica.close();
});

test('[ACL7] the next user sees nothing of the previous graph, even without a connection', async () => {
  const device = createDevice();
  const { ann, bob } = device;
  ann.connection.reopen();
  const first = await device.open(ann);
  await pass(3_000);
  expect(idsOf(first.replica)).toHaveLength(3);
  ann.connection.close();
  send(first.replica, 'one of ann', { target: idsOf(first.replica)[0] });
  await first.replica.close();

  const second = await device.open(bob);
  await pass(1_000);
  expect([idsOf(second.replica), second.replica.waiting, second.replica.plan().nodes]).toEqual([[], 0, []]);
  expect(await device.keys()).toEqual(['command', 'meta', 'node', 'node', 'node']);
  bob.connection.reopen();
  await pass(5_000);
  expect([second.replica.state, idsOf(second.replica)]).toEqual(['live', []]);
  // The storage has only the unsent command.
  expect(await device.keys()).toEqual(['command', 'meta']);
  await second.replica.close();

  const third = await device.open(ann);
  expect(titlesOf(third.replica)).toEqual(['by one of ann']);
  ann.connection.reopen();
  await pass(5_000);
  expect([third.replica.state, idsOf(third.replica).length, ann.connection.sent]).toEqual(['live', 4, ['one of ann']]);
  await third.replica.close();
});

test('[FIND9] a stored graph names its user, and the next user does not get that name', async () => {
  const device = createDevice();
  const { ann, bob } = device;
  ann.connection.reopen();
  const first = await device.open(ann);
  await pass(3_000);
  expect(first.replica.username).toBe('ann');
  ann.connection.close();
  await first.replica.close();
  const again = await device.open(ann);
  expect(again.replica.username).toBe('ann');
  await again.replica.close();
  const other = await device.open(bob);
  expect(other.replica.username).toBeNull();
  expect(other.replica.userId).toBeNull();
  bob.connection.reopen();
  await pass(5_000);
  expect(other.replica.username).toBe('bob');
  expect(other.replica.userId).not.toBe(first.replica.userId);
  await other.replica.close();
});

test('[ACL7 GEN8] the service’s answer identifies a user with another token, and restores the user’s graph and commands', async () => {
  const device = createDevice();
  const { ann } = device;
  ann.connection.reopen();
  const first = await device.open(ann);
  await pass(3_000);
  ann.connection.close();
  send(first.replica, 'one');
  await first.replica.close();

  const second = await device.open(ann, 'another token');
  send(second.replica, 'two');
  expect([titlesOf(second.replica), second.replica.waiting]).toEqual([['by two'], 1]);
  ann.connection.reopen();
  await pass(100);
  // The stored graph shows on connection, before any read.
  await vi.waitFor(() => expect(second.replica.snapshot().nodes.size).toBe(5), 60_000);
  await pass(5_000);
  expect([second.told, ann.connection.sent]).toEqual([[], ['one', 'two']]);
  await second.replica.close();
});

test('[GEN8] a command whose user became known later is also the user’s under another token', async () => {
  const device = createDevice();
  const { ann } = device;
  const first = await device.open(ann);
  send(first.replica, 'one');
  // The replica connects, but the service does not receive the command.
  ann.connection.reopen();
  await pass(121);
  ann.connection.close();
  expect([ann.connection.sent, first.replica.waiting]).toEqual([[], 1]);
  await pass(100);
  await first.replica.close();
  const second = await device.open(ann, 'another token');
  ann.connection.reopen();
  await pass(5_000);
  expect([ann.server.doneKeys(), second.replica.waiting, second.told]).toEqual([['one'], 0, []]);
  await second.replica.close();
});

test('[ACL7 GEN8] if the storage fails when another user signs in, the next start also shows and sends nothing', async () => {
  const { device, bob } = await deviceOfAnn();

  device.setFull(true);
  bob.connection.reopen();
  const second = await device.open(bob);
  await pass(5_000);
  await second.replica.close();
  bob.connection.close();
  device.setFull(false);
  for (const isConnected of [false, true]) {
    const again = await device.open(bob);
    if (isConnected) bob.connection.reopen();
    await pass(5_000);
    expect([idsOf(again.replica), again.replica.waiting, bob.connection.sent]).toEqual([[], 0, []]);
    await again.replica.close();
  }
  expect(await device.keys()).toEqual(['command', 'meta']);
});

test('[ACL7] stored nodes of an unknown reader are deleted and never shown', async () => {
  const device = createDevice();
  const { ann, bob } = device;
  ann.connection.reopen();
  const first = await device.open(ann);
  await pass(3_000);
  await first.replica.close();
  await device.storage.write(new Map([['meta', undefined]]));
  for (let start = 0; start < 2; start++) {
    bob.connection.reopen();
    const { replica } = await device.open(bob);
    await pass(3_000);
    expect(idsOf(replica)).toEqual([]);
    await replica.close();
  }
  expect(await device.keys()).toEqual(['meta']);
});

test('[GEN8] the commands of all users of a storage have a common bound', async () => {
  const device = createDevice();
  for (let token = 0; token < 10; token++) {
    const { replica } = await device.open(device.ann, `token ${token}`, { maximumCommands: 1 });
    send(replica, `one of ${token}`);
    await replica.close();
  }
  const { replica } = await device.open(device.ann, 'token 10', { maximumCommands: 1 });
  await expect(replica.send('node:add', {}, { key: 'too many' })).rejects.toMatchObject({ code: 'client.queue_full' });
  await replica.close();
});

test('[AUTH3 ACL7] a refused token deletes a stored graph whose reader is unknown', async () => {
  const { device, ann } = await deviceOfAnn();

  const second = await device.open(ann, 'a wrong token');
  second.refuseToken();
  await pass(1_000);
  expect([second.replica.state, second.replica.waiting]).toEqual(['signed-out', 0]);
  await second.replica.close();
  expect(await device.keys()).toEqual(['command', 'meta']);
});

test('[AUTH3 ACL7] if the storage fails when a token is refused, the graph is deleted once the storage works again', async () => {
  const device = createDevice();
  const { ann } = device;
  ann.connection.reopen();
  const { replica, refuseToken } = await device.open(ann);
  await pass(3_000);
  device.setFull(true);
  refuseToken();
  await pass(3_000);
  expect(await device.keys()).toEqual(['meta', 'node', 'node', 'node']);
  device.setFull(false);
  await pass(60_000);
  expect(await device.keys()).toEqual(['meta']);
  await replica.close();
});
