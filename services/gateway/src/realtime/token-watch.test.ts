// The sockets that close when tokens end, with functions for sockets and a list for workers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { expect, test } from 'vitest';
import { createAskWorkers } from '../worker-client.ts';
import { repeat } from './periodic.ts';
import { createTokenWatch } from './token-watch.ts';

function setUp() {
  const valid = new Set<string>();
  const state = { isAway: false, isBroken: false };
  const [closed, warnings, asked]: [string[], string[], string[][]] = [[], [], []];
  const requester = {
    async read({ payload }: ReadMessage): Promise<ReplyMessage> {
      const tokens = payload.tokens as string[];
      asked.push(tokens);
      await Promise.resolve();
      if (state.isBroken) return { ok: true, body: {} };
      if (state.isAway) return { ok: false, error: 'unavailable', message: '' };
      return { ok: true, body: { valid: tokens.filter((token) => valid.has(token)) } };
    },
  };
  const warn = (_: object, text: string) => void warnings.push(text);
  const forgotten: string[] = [];
  const forget = ({ tokens = [] }: { tokens?: readonly string[] | undefined }) => void forgotten.push(...tokens);
  const log = { warn, error: warn };
  const malformed: string[] = [];
  const askWorkers = createAskWorkers({ requester, log, onMalformed: (event) => void malformed.push(event) });
  const watch = createTokenWatch({ askWorkers, forget, log });
  const enter = (socket: string, id: string, { user = 'u', expires = null as string | null } = {}) => {
    valid.add(id);
    const identity = {
      user: { id: user, username: '', email: '' },
      token: { id, kind: 'api' as const, readOnly: false, expires },
    };
    return watch.enter(identity, () => void closed.push(socket));
  };
  return { log, malformed, watch, enter, valid, state, closed, forgotten, warnings, asked };
}

test('[AUTH2] all sockets of a token are closed at once when it ends, and no other', () => {
  const { watch, enter, closed } = setUp();
  enter('one', 'a');
  const two = enter('two', 'a');
  enter('three', 'a');
  enter('four', 'b');
  watch.leave(two);
  watch.end({ tokens: ['a', 'c'] });
  watch.end({ tokens: ['a'] });
  expect(closed).toEqual(['one', 'three']);
});

test('[AUTH1] all sockets of a disabled user are closed, for any token', () => {
  const { watch, enter, closed } = setUp();
  enter('one', 'a', { user: 'u' });
  enter('two', 'b', { user: 'u' });
  enter('three', 'c', { user: 'v' });
  watch.end({ users: ['u'] });
  expect(closed).toEqual(['one', 'two']);
});

test('[AUTH2] a socket is closed when its token expires', async () => {
  const { watch, enter, closed } = setUp();
  enter('one', 'a', { expires: new Date(Date.now() + 50).toISOString() });
  enter('two', 'b', { expires: new Date(Date.now() + 60_000).toISOString() });
  watch.leave(enter('three', 'c', { expires: new Date(Date.now() + 50).toISOString() }));
  await sleep(150);
  expect(closed).toEqual(['one']);
});

test('[AUTH2] a check of all tokens closes sockets whose end was missed; without an answer, all stay', async () => {
  const { watch, enter, valid, state, closed, forgotten, warnings } = setUp();
  enter('one', 'a');
  enter('two', 'b');
  valid.delete('a');
  state.isAway = true;
  await watch.check();
  expect([closed.length, forgotten.length, warnings.length]).toEqual([0, 0, 1]);
  state.isAway = false;
  await watch.check();
  expect(closed).toEqual(['one']);
  // It opens nothing new either: the authenticator may have kept it for a moment more.
  expect(forgotten).toEqual(['a']);
});

test('[AUTH2] a check of many tokens is split into bounded reads', async () => {
  const { watch, enter, closed, asked } = setUp();
  for (let index = 0; index < 2_500; index++) enter(`${index}`, `${index}`);
  await watch.check();
  expect(asked.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
  expect(closed).toEqual([]);
});

test('[AUTH1 AUTH2] a socket that was connecting when its token ended is checked again', async () => {
  const { watch, enter, valid, closed } = setUp();
  watch.end({ tokens: ['a'], users: ['u', 'v'] });
  valid.add('c');
  enter('one', 'a');
  valid.delete('a');
  enter('two', 'b', { user: 'u' });
  valid.delete('b');
  enter('three', 'c', { user: 'v' });
  await expect.poll(() => closed.toSorted()).toEqual(['one', 'two']);
});

test('[AUTH2] tokens are checked in every round, which compensates for a lost control message', async () => {
  const { watch, enter, valid, closed, log } = setUp();
  enter('one', 'a');
  enter('two', 'b');
  const periodic = repeat({ intervalMs: 5, round: watch.check, log });
  valid.delete('a');
  await expect.poll(() => closed).toEqual(['one']);
  await periodic.stop();
});

test('an unreadable answer closes no socket', async () => {
  const { watch, enter, state, closed, warnings, malformed } = setUp();
  enter('one', 'a');
  state.isBroken = true;
  await watch.check();
  expect([closed, malformed, warnings.length]).toEqual([[], ['tokens:check'], 2]);
});
