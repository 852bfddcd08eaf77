// The number of calls in flight under overload, with a fake service that limits them.
import type { Socket } from 'socket.io-client';
import { expect, test } from 'vitest';
import { type CallQueue, createCallQueue } from './call-queue.ts';
import { clientError } from './error.ts';

const ANSWER_MS = 20;
const busy = { ok: false, error: 'unavailable', message: 'Too many.', details: { outcome: 'not_done' } };

/** A service that answers after a delay, and refuses calls beyond `room` in flight. */
function serviceWith(room: { calls: number }) {
  const counts = { sent: 0, refused: 0, underWay: 0, most: 0 };
  const emit = (_event: string, _payload: object, acknowledge: (error: null, body: unknown) => void) => {
    counts.sent++;
    if (counts.underWay >= room.calls) {
      counts.refused++;
      setTimeout(() => acknowledge(null, busy), 1);
      return;
    }
    counts.underWay++;
    counts.most = Math.max(counts.most, counts.underWay);
    setTimeout(() => {
      counts.underWay--;
      acknowledge(null, { ok: true });
    }, ANSWER_MS);
  };
  const socket = { timeout: () => ({ emit }) } as unknown as Socket;
  const queue = createCallQueue(socket);
  queue.setReady(true);
  const callMany = (calls: number) =>
    Promise.allSettled(
      Array.from({ length: calls }, () =>
        queue.call({ event: 'node:add', payload: {}, deadline: Date.now() + 15_000 }),
      ),
    );
  return { counts, queue, callMany };
}

test('[WIRE1] under overload few calls are in flight: all succeed, with few refused attempts', async () => {
  const { counts, callMany } = serviceWith({ calls: 8 });
  const outcomes = await callMany(1_000);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  // Calls are refused until the window has shrunk, and whenever it grows too far.
  expect(counts.refused).toBeLessThan(700);
});

test('[WIRE1] while the service refuses all calls, a waiting call counts as in flight', async () => {
  const room = { calls: 0 };
  const { counts, callMany } = serviceWith(room);
  const calling = callMany(1_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(counts.sent).toBeLessThan(900);
  room.calls = 256;
  expect((await calling).filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('[WIRE1] without refusals 200 calls are in flight, and the window grows again after overload', async () => {
  const room = { calls: 256 };
  const { counts, callMany } = serviceWith(room);
  await callMany(400);
  expect(counts).toMatchObject({ refused: 0, most: 200 });
  room.calls = 50;
  await callMany(300);
  expect(counts.refused).toBeGreaterThan(0);
  room.calls = 256;
  counts.most = 0;
  await callMany(8_000);
  expect(counts.most).toBeGreaterThan(60);
});

test('[GEN3] a call without an answer on a lost connection does not fail as not done after a refused retry', async () => {
  let tries = 0;
  const emit = (_event: string, _payload: object, acknowledge: (error: Error | null, body?: unknown) => void) => {
    if (tries++ === 0) acknowledge(new Error('lost'));
    else acknowledge(null, busy);
  };
  const queue = createCallQueue({ timeout: () => ({ emit }) } as unknown as Socket);
  queue.setReady(true);
  const call = { event: 'node:add', payload: {}, deadline: Date.now() + 400 };
  await expect(queue.call(call)).rejects.toMatchObject({ code: 'client.timeout' });
  queue.close(clientError('client.closed', 'Closed.'));
  expect(tries).toBeGreaterThan(1);
});

test('[GEN3] an unknown outcome of an earlier attempt outweighs not_done of the last one', async () => {
  const unknown = { ...busy, details: { outcome: 'unknown' } };
  let tries = 0;
  const emit = (_event: string, _payload: object, acknowledge: (error: null, body?: unknown) => void) =>
    acknowledge(null, tries++ === 0 ? unknown : busy);
  const queue = createCallQueue({ timeout: () => ({ emit }) } as unknown as Socket);
  queue.setReady(true);
  const call = { event: 'node:add', payload: {}, deadline: Date.now() + 400 };
  await expect(queue.call(call)).rejects.toMatchObject({ code: 'unavailable', details: { outcome: 'unknown' } });
  expect(tries).toBeGreaterThan(1);
  const refused = { event: 'node:add', payload: {}, deadline: Date.now() + 400 };
  await expect(queue.call(refused)).rejects.toMatchObject({ code: 'unavailable', details: { outcome: 'not_done' } });
});

test('[GEN3] a call of unknown outcome that times out while it waits does not fail as not done', async () => {
  const unknown = { ...busy, details: { outcome: 'unknown' } };
  const queue: CallQueue = createCallQueue({
    timeout: () => ({
      emit: (_event: string, _payload: object, acknowledge: (error: null, body?: unknown) => void) => {
        queue.setReady(false);
        acknowledge(null, unknown);
      },
    }),
  } as unknown as Socket);
  queue.setReady(true);
  const message = expect.stringContaining('did not answer');
  const call = { event: 'node:add', payload: {}, deadline: Date.now() + 400 };
  await expect(queue.call(call)).rejects.toMatchObject({ code: 'client.timeout', message });
});

test('[GEN3] a call that times out in the queue names the queue, and without a connection names the connection', async () => {
  const queue = createCallQueue({ timeout: () => ({ emit: () => undefined }) } as unknown as Socket);
  queue.setReady(true);
  const call = { event: 'node:add', payload: {}, deadline: Date.now() + 100 };
  for (let others = 0; others < 200; others++) void queue.call(call).catch(() => undefined);
  await expect(queue.call(call)).rejects.toMatchObject({
    code: 'client.timeout',
    message: expect.stringContaining('its turn'),
  });
  const away = createCallQueue({} as Socket);
  await expect(away.call(call)).rejects.toMatchObject({
    code: 'client.timeout',
    message: expect.stringContaining('no connection'),
  });
});
