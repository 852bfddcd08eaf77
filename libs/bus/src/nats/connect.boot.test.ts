// `ping` of a bus, on which readiness depends.
import { setTimeout as sleep } from 'node:timers/promises';
import { startNats, type TestNats } from '@taskgraph/testkit/stack/nats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bus, connectBus } from './connect.ts';

const quiet = () => undefined;
let nats: TestNats;
let bus: Bus;
beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ ...nats, name: 'test', log: { debug: quiet, info: quiet, warn: quiet, error: quiet } });
});
afterEach(async () => {
  nats.goOn();
  await bus.close();
  await nats.remove();
});

test('a hanging server answers no ping while the connection stays open, and answers again when it continues', async () => {
  expect(await bus.ping()).toBe(true);
  nats.hang();
  // The server stops a moment after the signal and may answer once more.
  const answered = () => Promise.race([bus.ping(), sleep(300, 'silent')]);
  await expect.poll(answered, { timeout: 60_000 }).toBe('silent');
  const pings = [bus.ping(), bus.ping()];
  expect(bus.connected()).toBe(true);
  nats.goOn();
  expect(await Promise.all(pings)).toEqual([true, true]);
});

test('without a connection a ping fails', async () => {
  await nats.stop();
  await expect.poll(() => bus.connected()).toBe(false);
  expect(await bus.ping()).toBe(false);
});
