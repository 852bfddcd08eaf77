// The authorization of subscribers: batched, in bounded queries, and repeated after a failure.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { authorization, fakeSocket, testSubscriptions, userOf } from '../test/support/subscriptions.ts';
import { followControl } from './subscriptions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTimeAsync(0);

function setUp(users: number, socketsOfEach = 1) {
  const authorized = testSubscriptions();
  const ids = Array.from({ length: users }, (_, index) => `user-${index}`);
  const sockets = ids.flatMap((id) =>
    Array.from({ length: socketsOfEach }, () => {
      const socket = fakeSocket();
      authorized.subscriptions.add(socket, userOf(id), [authorization('root:a', 1)]);
      return socket;
    }),
  );
  const raiseTo = (epoch: number) => {
    for (const id of ids) authorized.known.users.set(id, [authorization('root:a', epoch)]);
    followControl(authorized.subscriptions, { readers: [], feeds: [{ feed: 'root:a', epoch }] });
  };
  const allIn = () => sockets.every(({ rooms }) => [...rooms].join() === 'root:a');
  return { ...authorized, ids, sockets, raiseTo, allIn };
}
const readersOf = ({ payload }: { payload: Record<string, unknown> }) => payload.readers as { id: string }[];

it('[ACL7] a query has at most 500 users, each once, and queries run one after the other', async () => {
  const { asked, raiseTo, allIn, hold } = setUp(1_200, 2);
  const release = hold();
  raiseTo(2);
  await settle();
  expect(asked).toHaveLength(1);
  release();
  await settle();
  expect(asked.map((message) => readersOf(message).length)).toEqual([500, 500, 200]);
  expect(allIn()).toBe(true);
});

it('a burst during a query shares the next query', async () => {
  const { asked, subscriptions, raiseTo, allIn, hold, ids } = setUp(100);
  const release = hold();
  raiseTo(2);
  await settle();
  for (let epoch = 3; epoch <= 60; epoch++) raiseTo(epoch);
  for (let round = 0; round < 50; round++) subscriptions.reauthorize(ids);
  release();
  await settle();
  expect(asked).toHaveLength(2);
  expect(allIn()).toBe(true);
});

it('[ACL7] sockets stay unsubscribed while no worker answers, and the query is repeated', async () => {
  const { asked, logged, state, raiseTo, allIn, sockets } = setUp(3);
  state.refusal = { ok: false, error: 'unavailable', message: '' };
  raiseTo(2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sockets.every(({ rooms }) => rooms.size === 0)).toBe(true);
  expect([asked.length, logged.length]).toEqual([5, 5]);
  state.refusal = null;
  await vi.advanceTimersByTimeAsync(500);
  expect(allIn()).toBe(true);
});

it('the query is repeated after a malformed answer', async () => {
  const { asked, state, raiseTo, allIn } = setUp(2);
  state.refusal = { ok: true, body: { readers: 'all' } };
  raiseTo(2);
  await settle();
  state.refusal = null;
  await vi.advanceTimersByTimeAsync(500);
  expect([asked.length, allIn()]).toEqual([2, true]);
});

it('a query with too long an answer is halved', async () => {
  const { asked, known, subscriptions, state, ids, allIn } = setUp(8);
  for (const id of ids) known.users.set(id, [authorization('root:a', 2)]);
  state.refusal = { ok: false, error: 'internal.too_large', message: '' };
  subscriptions.applyBump({ feed: 'root:a', epoch: 2 });
  await settle();
  expect(asked.map((message) => readersOf(message).length)).toEqual([8, 4, 2, 1, 1, 2, 1, 1, 4, 2, 1, 1, 2, 1, 1]);
  state.refusal = null;
  await vi.advanceTimersByTimeAsync(500);
  expect(allIn()).toBe(true);
});

it('a failing socket does not affect the others', async () => {
  const { sockets, logged, raiseTo } = setUp(3);
  sockets[0]!.join = () => {
    throw new Error('this one is broken');
  };
  raiseTo(2);
  await settle();
  expect(sockets.slice(1).every(({ rooms }) => rooms.has('root:a'))).toBe(true);
  expect(logged).toHaveLength(1);
});

it('users and tokens have separate queries, and a stopped queue sends none', async () => {
  const { asked, known, subscriptions, raiseTo } = setUp(1);
  const anonymous = [fakeSocket(), fakeSocket()];
  for (const socket of anonymous)
    subscriptions.add(socket, { kind: 'public', token: 't' }, [authorization('root:a', 1)]);
  known.tokens.set('t', authorization('root:a', 2));
  raiseTo(2);
  await settle();
  expect(asked.map(({ event, payload }) => [event, payload])).toEqual([
    ['readers:feeds', { readers: [{ id: 'user-0', email: 'user-0@example.com' }] }],
    ['public:feeds', { tokens: ['t'] }],
  ]);
  expect(anonymous.every((socket) => socket.rooms.has('public/root:a'))).toBe(true);
  subscriptions.stop();
  raiseTo(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toHaveLength(2);
});
