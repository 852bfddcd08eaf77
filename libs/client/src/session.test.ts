// A session and the service's events, with a fake socket.
import type { Socket } from 'socket.io-client';
import { expect, it, vi } from 'vitest';
import { openSession } from './session.ts';

function setUp() {
  const handlers = new Map<string, (body: unknown) => void>();
  const state = { closed: 0, connects: 0 };
  const socket = {
    on: (event: string, handler: (body: unknown) => void) => handlers.set(event, handler),
    connect: () => void state.connects++,
    disconnect: () => void state.closed++,
  } as unknown as Socket;
  const session = openSession(socket);
  const told: [string, unknown][] = [];
  for (const kind of ['diff', 'gap', 'access', 'unpublished'] as const) {
    session.listen(kind, (event) => void told.push([kind, event]));
  }
  const receive = (event: string, body: unknown) => handlers.get(event)?.(body);
  return { session, told, state, receive };
}
const connected = (position: string | null, feeds: object) => ({ ok: true, uid: 'u', client: 'api', feeds, position });

it('[EVT2] has the position of the first connection until the caller sets a later one', () => {
  const { session, told, receive } = setUp();
  expect(session.position()).toBe('');
  receive('connected', connected('first', { 'user:u': 1 }));
  receive('connected', connected('second', { 'user:u': 3 }));
  expect([session.position(), told]).toEqual(['first', [['gap', { feed: 'user:u', from: 2, to: 3 }]]]);
  session.setPosition(undefined);
  expect(session.position()).toBe('first');
  session.setPosition('third');
  expect(session.position()).toBe('third');
});

it('[EVT2] reports changes of access, and a gained feed as a gap', () => {
  const { told, receive } = setUp();
  receive('connected', connected('p', { 'user:u': 1 }));
  const change = { feed: 'root:a', change: 'gained', level: 3, seq: 2 };
  receive('access:changed', change);
  receive('feeds:heads', { feeds: { 'root:a': 9 } });
  expect(told).toEqual([
    ['access', change],
    ['gap', { feed: 'root:a', from: 1, to: 9 }],
  ]);
});

it('[PUB5] is closed for good when the publication ends', async () => {
  const { session, told, state, receive } = setUp();
  receive('connected', connected(null, { 'root:a': 1 }));
  receive('unpublished', { feed: 'root:a' });
  expect([told, state.closed]).toEqual([[['unpublished', { feed: 'root:a' }]], 1]);
  const call = session.queue.call({ event: 'branch:get', payload: {}, deadline: Date.now() + 1_000 });
  await expect(call).rejects.toMatchObject({ code: 'not_found' });
});

it.each([
  ['unauthorized.late', 0, 1],
  ['unauthorized', 1, 0],
])('[AUTH3] %s on reconnection ends a session %i times and is retried %i times', async (error, closes, tries) => {
  vi.useFakeTimers();
  const { session, state, receive } = setUp();
  const closed: unknown[] = [];
  session.listen('closed', ({ code }) => void closed.push(code));
  receive('connected', connected('p', { 'user:u': 1 }));
  receive('disconnect', 'transport close');
  receive('connect_error', Object.assign(new Error(error), { data: { ok: false, error, message: 'No.' } }));
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  expect([closed, state.connects]).toEqual([closes === 0 ? [] : [error], tries]);
});
