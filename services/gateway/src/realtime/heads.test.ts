// The heads sent to rooms, with a list of rooms instead of sockets.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { Server } from 'socket.io';
import { expect, test } from 'vitest';
import { authorization, fakeSocket, testSubscriptions, userOf } from '../test/support/subscriptions.ts';
import { createAskWorkers } from '../worker-client.ts';
import { createHeadsRound } from './heads.ts';
import { repeat } from './periodic.ts';

function setUp(answer: (feeds: string[]) => ReplyMessage) {
  const emitted: [string[], string, unknown][] = [];
  const warnings: object[] = [];
  const { subscriptions, known, asked } = testSubscriptions();
  const to = (names: string[]) => ({
    emit: (event: string, body: unknown) => void emitted.push([names, event, body]),
  });
  const io = { local: { to } } as unknown as Server;
  const requester = { read: async ({ payload }: ReadMessage) => answer(payload.feeds as string[]) };
  const enter = (id: string, epoch: number) => {
    const socket = fakeSocket();
    known.users.set(id, [authorization(`user:${id}`, epoch)]);
    subscriptions.add(socket, userOf(id), [authorization(`user:${id}`, epoch)]);
    return socket;
  };
  const warn = (fields: object) => void warnings.push(fields);
  const log = { warn, error: warn };
  const malformed: string[] = [];
  const askWorkers = createAskWorkers({ requester, log, onMalformed: (event) => void malformed.push(event) });
  const start = () =>
    repeat({
      intervalMs: 20,
      round: createHeadsRound({ io, subscriptions, askWorkers, onHead: () => undefined, log }),
      log,
    });
  return { emitted, warnings, malformed, subscriptions, known, asked, enter, start };
}
const heads = (feeds: string[], seq: (feed: string) => number, epoch = 1): ReplyMessage => ({
  ok: true,
  body: { feeds: feeds.map((feed) => ({ feed, epoch, seq: seq(feed) })) },
});

test('[EVT1] each changed head is sent once to the room of its feed', async () => {
  let seq = 7;
  const { emitted, enter, start } = setUp((feeds) => heads(feeds, (feed) => (feed === 'user:a' ? seq : 3)));
  enter('a', 1);
  enter('b', 2);
  const telling = start();
  await expect.poll(() => emitted.length).toBe(2);
  await sleep(100);
  expect(emitted).toEqual([
    [['user:a'], 'feeds:heads', { feeds: { 'user:a': 7 } }],
    [['user:b'], 'feeds:heads', { feeds: { 'user:b': 3 } }],
  ]);
  seq = 8;
  await expect.poll(() => emitted.length).toBe(3);
  expect(emitted[2]).toEqual([['user:a'], 'feeds:heads', { feeds: { 'user:a': 8 } }]);
  await telling.stop();
});

test('[EVT1] a later member of a room also receives its head, and others do not', async () => {
  const { emitted, enter, start } = setUp((feeds) => heads(feeds, () => 7));
  const first = enter('a', 1);
  const telling = start();
  await expect.poll(() => emitted.length).toBe(1);
  const second = enter('a', 1);
  await expect.poll(() => second.sent).toEqual([['feeds:heads', { feeds: { 'user:a': 7 } }]]);
  await sleep(100);
  expect([emitted.length, second.sent.length, first.sent]).toEqual([1, 1, []]);
  await telling.stop();
});

test('[EVT1] a head is not sent before a slice that waits here, and the head of a lost slice slightly later', async () => {
  const { emitted, subscriptions, enter, start } = setUp((feeds) =>
    heads(feeds, (feed) => (feed === 'user:a' ? 12 : 11)),
  );
  enter('a', 1);
  enter('b', 1);
  // Number 11 does not come, so that number 12 waits for a while.
  subscriptions.receive({ feed: 'user:a', epoch: 1, seq: 12, diff: {} }, 100);
  const telling = start();
  await sleep(500);
  expect([emitted, subscriptions.held()]).toEqual([[], 1]);
  await expect.poll(() => emitted.length, { timeout: 60_000 }).toBe(2);
  expect(subscriptions.held()).toBe(0);
  expect(emitted).toEqual(
    expect.arrayContaining([
      [['user:a'], 'feeds:heads', { feeds: { 'user:a': 12 } }],
      [['user:b'], 'feeds:heads', { feeds: { 'user:b': 11 } }],
    ]),
  );
  await telling.stop();
});

test('[EVT2] the head of a lost slice in a user’s own feed has the user authorized again, once', async () => {
  let rounds = 0;
  const { known, asked, enter, start } = setUp((feeds) => {
    rounds++;
    return heads(feeds, () => 11);
  });
  const socket = enter('a', 1);
  // The slice with number 11 has the gain, and is lost.
  known.users.set('a', [authorization('user:a', 1), authorization('root:b', 1, { seq: 11 })]);
  const telling = start();
  const inTime = { timeout: 120_000 };
  await expect.poll(() => [...socket.rooms].sort(), inTime).toEqual(['root:b', 'user:a']);
  const before = rounds;
  await expect.poll(() => rounds, inTime).toBeGreaterThan(before + 2);
  // Once for the loss, and once after the channel of the gained feed is open.
  expect(asked).toHaveLength(2);
  await telling.stop();
});

test('[ACL7] an epoch above that of a room compensates for a lost control message', async () => {
  const { subscriptions, known, enter, start } = setUp((feeds) => heads(feeds, () => 20, 2));
  const [stays, loses] = [enter('a', 1), enter('b', 1)];
  const anonymous = fakeSocket();
  known.tokens.set('t', authorization('root:c', 1));
  subscriptions.add(anonymous, { kind: 'public', token: 't' }, [authorization('root:c', 1)]);
  known.users.set('a', [authorization('user:a', 2)]);
  known.users.set('b', []);
  known.tokens.delete('t');
  const telling = start();
  // The control message may still be on its way: it is waited for.
  const inTime = { timeout: 120_000 };
  await expect.poll(() => stays.sent, inTime).toContainEqual(['feeds:heads', { feeds: { 'user:a': 20 } }]);
  await expect.poll(() => [[...stays.rooms], [...loses.rooms]], inTime).toEqual([['user:a'], []]);
  await expect
    .poll(() => [anonymous.sent, anonymous.isClosed], inTime)
    .toEqual([[['unpublished', { feed: 'root:c' }]], true]);
  await telling.stop();
});

test('a round that fails is reported, and the next one tries again', async () => {
  let away = true;
  const { emitted, warnings, enter, start } = setUp((feeds) =>
    away ? { ok: false, error: 'unavailable', message: '' } : heads(feeds, () => 1),
  );
  enter('a', 1);
  enter('b', 2);
  const telling = start();
  await expect.poll(() => warnings.length).toBeGreaterThan(0);
  away = false;
  await expect.poll(() => emitted.length).toBe(2);
  await telling.stop();
});

test('an unreadable answer is logged and counted, and the next round tries again', async () => {
  const answers: ReplyMessage[] = [
    { ok: true, body: {} },
    { ok: true, body: { feeds: [{ feed: 'user:a', epoch: 'first', seq: 1 }] } },
  ];
  const { emitted, warnings, malformed, enter, start } = setUp((feeds) => answers.shift() ?? heads(feeds, () => 1));
  enter('a', 1);
  const telling = start();
  await expect.poll(() => emitted.length).toBe(1);
  expect(malformed).toEqual(['feeds:heads', 'feeds:heads']);
  const error = expect.objectContaining({ name: 'ZodError' });
  expect(warnings).toContainEqual({ event: 'feeds:heads', error, traceId: expect.any(String) });
  await telling.stop();
});

test('a stopping gateway requests no more heads: a round ends with the pending request', async () => {
  const asked: number[] = [];
  const stopped: Promise<void>[] = [];
  const { enter, start } = setUp((feeds) => {
    asked.push(feeds.length);
    stopped.push(telling.stop());
    return heads(feeds, () => 1);
  });
  for (let index = 0; index < 1_001; index++) enter(`u${index}`, 1);
  const telling = start();
  await expect.poll(() => stopped.length).toBeGreaterThan(0);
  await Promise.all(stopped);
  expect(asked).toEqual([1_000]);
});

test('a round that throws is logged, and does not prevent the next', async () => {
  const [errors, rounds]: [object[], number[]] = [[], []];
  const round = async () => {
    rounds.push(1);
    if (rounds.length === 1) throw new Error('broken');
  };
  const periodic = repeat({ intervalMs: 5, round, log: { error: (fields) => void errors.push(fields) } });
  await expect.poll(() => rounds.length).toBeGreaterThan(1);
  await periodic.stop();
  expect(errors).toEqual([{ error: new Error('broken') }]);
});
