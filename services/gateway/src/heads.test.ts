// How heads reach the rooms, with a list of rooms in place of sockets.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/messages';
import type { Server } from 'socket.io';
import { expect, test } from 'vitest';
import { tellHeads } from './heads.ts';

function setUp(answer: (feeds: string[]) => ReplyMessage) {
  const emitted: [string[], string, unknown][] = [];
  const warnings: object[] = [];
  const rooms = new Map(['socket-1', 'user:a#1', 'user:b#2'].map((room) => [room, new Set(['socket-1'])]));
  const to = (names: string[]) => ({
    emit: (event: string, body: unknown) => void emitted.push([names, event, body]),
  });
  const io = { sockets: { adapter: { rooms } }, local: { to } } as unknown as Server;
  const requester = { read: async ({ payload }: ReadMessage) => answer(payload.feeds as string[]) };
  const heads = tellHeads({ io, requester, intervalMs: 20, log: { warn: (fields) => void warnings.push(fields) } });
  return { emitted, warnings, heads };
}

test('[EVT1] each feed that moved is told once to its own room', async () => {
  let seq = 7;
  const { emitted, heads } = setUp((feeds) => ({
    ok: true,
    body: { feeds: feeds.map((feed) => ({ feed, epoch: 1, seq: feed === 'user:a' ? seq : 3 })) },
  }));
  await expect.poll(() => emitted.length).toBe(2);
  await sleep(100);
  expect(emitted).toEqual([
    [['user:a#1'], 'feeds:heads', { feeds: { 'user:a': 7 } }],
    [['user:b#2'], 'feeds:heads', { feeds: { 'user:b': 3 } }],
  ]);
  seq = 8;
  await expect.poll(() => emitted.length).toBe(3);
  expect(emitted[2]).toEqual([['user:a#1'], 'feeds:heads', { feeds: { 'user:a': 8 } }]);
  await heads.stop();
});

test('a round that fails is reported, and the next one tries again', async () => {
  let away = true;
  const { emitted, warnings, heads } = setUp((feeds) =>
    away
      ? { ok: false, error: 'unavailable', message: '' }
      : { ok: true, body: { feeds: feeds.map((feed) => ({ feed, epoch: 1, seq: 1 })) } },
  );
  await expect.poll(() => warnings.length).toBeGreaterThan(0);
  away = false;
  await expect.poll(() => emitted.length).toBe(2);
  await heads.stop();
});
