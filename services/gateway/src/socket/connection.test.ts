// One connection on a hand-made native socket.
import { expect, test } from 'vitest';
import type { RawSocket } from '../http/uws.ts';
import { Connection, type ConnectionDependencies } from './connection.ts';

const ground: ConnectionDependencies = {
  refusalsAMinute: 10,
  readingOutMs: 10,
  count: async () => null,
  onBackpressure: () => undefined,
  onEnd: () => undefined,
  onGone: () => undefined,
  onAccepted: () => undefined,
};

/** A connection and the writes to its socket. One cork is one write. */
function openConnection() {
  const writes: unknown[][] = [];
  let write: unknown[] | null = null;
  const raw = {
    send(data: unknown) {
      if (write === null) writes.push([data]);
      else write.push(data);
      return true;
    },
    cork(act: () => void) {
      write = [];
      act();
      writes.push(write);
      write = null;
    },
    unsubscribeAll: () => undefined,
    bufferedBytes: () => 0,
    end: () => undefined,
    close: () => undefined,
  } as unknown as RawSocket;
  const connection = new Connection('203.0.113.5', ground);
  connection.open(raw, { socket: null, onClose: () => undefined });
  return { connection, writes };
}

test('packets sent while the connection is corked leave in one write, in order', () => {
  const { connection, writes } = openConnection();
  connection.hold();
  connection.send('one', false);
  connection.send('two', false);
  expect(writes).toEqual([]);
  connection.release();
  connection.send('three', false);
  expect(writes).toEqual([['one', 'two'], ['three']]);
});

test('[LIM4] a connection that ends while it is corked sends nothing', () => {
  const { connection, writes } = openConnection();
  connection.hold();
  connection.send('one', false);
  connection.end('server');
  connection.release();
  expect(writes.flat()).toEqual([]);
});

test('[LIM3] a quota place is released once, and immediately if it was acquired too late', () => {
  const { connection } = openConnection();
  const left: unknown[] = [];
  const leave = (holder: object) => void left.push(holder);
  connection.accept('ann', leave);
  expect(left).toEqual([{ ip: '203.0.113.5', user: 'ann' }]);
  const other = openConnection().connection;
  other.receive(new TextEncoder().encode('40{}').buffer, false);
  other.accept('bob', leave);
  other.closed();
  other.closed();
  expect(left.slice(1)).toEqual([{ ip: '203.0.113.5', user: 'bob' }]);
});
