import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createWriteBuffer } from './write-buffer.ts';

function open() {
  const sent: string[] = [];
  const errors: string[] = [];
  const state = { isConnected: true, isClosed: false };
  const connection = {
    info: { max_payload: 1024 * 1024 } as never,
    isClosed: () => state.isClosed,
    publish(subject: string, data: unknown) {
      if (subject === 'broken') throw new Error('no');
      sent.push(`${subject} ${(data as Uint8Array).length}`);
    },
  };
  const log = { error: (_: object, message: string) => void errors.push(message) };
  return { sent, errors, state, buffer: createWriteBuffer(connection, { isConnected: () => state.isConnected, log }) };
}
const bytes = (length: number) => new Uint8Array(length);

it('passes on the messages of one turn together and in order, and continues after a failure', async () => {
  const { sent, errors, buffer } = open();
  for (const subject of ['a', 'broken', 'b']) buffer.publish(subject, bytes(1));
  await Promise.resolve();
  expect(sent).toEqual([]);
  await turn();
  expect(sent).toEqual(['a 1', 'b 1']);
  expect(errors).toEqual(['a message could not be sent']);
  await sleep(5);
  buffer.publish('c', bytes(2));
  await turn();
  expect(sent).toEqual(['a 1', 'b 1', 'c 2']);
});

it('collects the messages of several turns under load', async () => {
  const { sent, buffer } = open();
  const seen = new Set<number>();
  for (const startedAt = performance.now(); performance.now() - startedAt < 50; ) {
    buffer.publish('a', bytes(1));
    await turn();
    seen.add(sent.length);
  }
  await expect.poll(() => buffer.publish('last', bytes(2)) ?? sent.at(-1)).toBe('last 2');
  // A write in each turn would mean a write for each message.
  expect(seen.size).toBeLessThan(sent.length / 2);
});

it('stays within its bounds, in number and in bytes', () => {
  const { sent, buffer } = open();
  for (let count = 1; count < 1_000; count++) buffer.publish('small', bytes(1));
  expect(sent).toEqual([]);
  buffer.publish('small', bytes(1));
  expect(sent).toHaveLength(1_000);
  buffer.publish('large', bytes(64 * 1024));
  expect(sent).toHaveLength(1_001);
});

it('a flush passes on all messages at once, each once', async () => {
  const { sent, buffer } = open();
  buffer.publish('a', bytes(1));
  buffer.flush();
  expect(sent).toEqual(['a 1']);
  await turn();
  expect(sent).toEqual(['a 1']);
});

it('drops the messages in the buffer when an outage begins', async () => {
  const { sent, state, buffer } = open();
  buffer.publish('a', bytes(1));
  state.isConnected = false;
  await turn();
  state.isConnected = true;
  await sleep(5);
  buffer.publish('b', bytes(1));
  await turn();
  expect(sent).toEqual(['b 1']);
});

it('rejects a message that can never be sent', () => {
  const { state, buffer } = open();
  expect(() => buffer.publish('a', bytes(1024 * 1024))).toThrow('NATS takes no message of 1048576 bytes');
  state.isClosed = true;
  expect(() => buffer.publish('a', bytes(1))).toThrow('the connection to NATS is closed');
});
