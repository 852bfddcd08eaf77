import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { afterEach, expect, it, vi } from 'vitest';
import { answeredBy } from '../test/support/worker-answers.ts';
import { createAuthenticator, TOKEN_CACHE_MS } from './authentication.ts';
import { hashOf } from './token.ts';
import { createWrongTokens } from './wrong-tokens.ts';

const TOKEN = 'tg_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1yLcDB';
const ADDRESS = '192.0.2.1';
const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const identity = {
  user,
  token: { id: '01890000-0000-7000-8000-00000000000a', kind: 'api' as const, readOnly: false, expires: null },
};

/** The answer about one token, or about none where it is unknown. */
function known(given: object | null): ReplyMessage {
  return { ok: true, body: { identities: given === null ? [] : [{ hash: hashOf(TOKEN), ...given }] } };
}

function withWorker(answer: () => ReplyMessage) {
  const asked: ReadMessage[] = [];
  const { malformed, askWorkers } = answeredBy(async (message) => {
    asked.push(message);
    return answer();
  });
  const wrongTokens = createWrongTokens(100);
  return { asked, malformed, ...createAuthenticator({ askWorkers, deadlineMs: 1_000, wrongTokens }) };
}

it('[AUTH3] refuses a malformed token without asking a worker', async () => {
  const { asked, authenticate } = withWorker(() => known(identity));
  for (const token of [null, '', 'tg_x'])
    expect(await authenticate(token, ADDRESS)).toMatchObject({ code: 'unauthorized' });
  expect(asked).toEqual([]);
});

it('asks once for concurrent and later calls, only by the hash', async () => {
  const { asked, authenticate } = withWorker(() => known(identity));
  const answers = await Promise.all([authenticate(TOKEN, ADDRESS), authenticate(TOKEN, ADDRESS)]);
  expect([...answers, await authenticate(TOKEN, ADDRESS)]).toEqual([identity, identity, identity]);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.payload).toEqual({ hashes: [hashOf(TOKEN)], scopes: true });
});

it('[GEN3] distinguishes an unknown token from an unanswered request, and does not cache the latter', async () => {
  const unknown = withWorker(() => known(null));
  expect(await unknown.authenticate(TOKEN, ADDRESS)).toMatchObject({ code: 'unauthorized' });
  let reply: ReplyMessage = { ok: false, error: 'unavailable', message: 'No worker answered in time.' };
  const { authenticate } = withWorker(() => reply);
  expect(await authenticate(TOKEN, ADDRESS)).toMatchObject({ code: 'unavailable' });
  reply = known(identity);
  expect(await authenticate(TOKEN, ADDRESS)).toEqual(identity);
});

it('[GEN3] counts an unreadable answer, reports a bug to the caller, and does not cache it', async () => {
  const replies: ReplyMessage[] = [{ ok: true, body: {} }, known({ user })];
  const { malformed, authenticate } = withWorker(() => replies.shift() ?? known(identity));
  for (const _ of [1, 2]) expect(await authenticate(TOKEN, ADDRESS)).toMatchObject({ code: 'internal.broken_answer' });
  expect(await authenticate(TOKEN, ADDRESS)).toEqual(identity);
  expect(malformed).toEqual(['tokens:resolve', 'tokens:resolve']);
});

/** A worker whose replies are read at once and arrive when the test says so. */
function withLateWorker() {
  const state = { valid: identity as object | null, isLate: true };
  const arrivals: (() => void)[] = [];
  const { askWorkers } = answeredBy(async () => {
    const reply = known(state.valid);
    if (state.isLate) await new Promise<void>((resolve) => arrivals.push(resolve));
    return reply;
  });
  const options = { askWorkers, deadlineMs: 10_000, wrongTokens: createWrongTokens(100) };
  /** Lets the reply with this number arrive, counted from 1. */
  const arrive = async (number: number) => {
    await expect.poll(() => arrivals).toHaveLength(number);
    arrivals[number - 1]?.();
  };
  return { state, arrivals, arrive, ...createAuthenticator(options) };
}

afterEach(() => void vi.restoreAllMocks());

/** Moves the monotonic clock. */
function setClockAhead(aheadMs: number): void {
  vi.restoreAllMocks();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
}

it('[AUTH2] removes ended tokens from the cache, and looks up again for pending requests', async () => {
  const { state, arrivals, arrive, authenticate, forget } = withLateWorker();
  const early = authenticate(TOKEN, ADDRESS);
  const joined = authenticate(TOKEN, ADDRESS);
  await expect.poll(() => arrivals).toHaveLength(1);
  state.valid = null;
  state.isLate = false;
  forget({ tokens: [identity.token.id] });
  const late = authenticate(TOKEN, ADDRESS);
  await arrive(1);
  for (const one of [early, joined, late]) expect(await one).toMatchObject({ code: 'unauthorized' });
});

it('[AUTH2] the end of another token causes no other look-up', async () => {
  const { arrivals, arrive, authenticate, forget } = withLateWorker();
  const early = authenticate(TOKEN, ADDRESS);
  await expect.poll(() => arrivals).toHaveLength(1);
  forget({ tokens: ['another'], users: ['another'] });
  await arrive(1);
  expect([await early, await authenticate(TOKEN, ADDRESS)]).toEqual([identity, identity]);
  expect(arrivals).toHaveLength(1);
});

it.each([{ tokens: [identity.token.id] }, { users: [user.id] }])(
  '[AUTH1 AUTH2] asks again after the end of %j',
  async (ended) => {
    const { asked, authenticate, forget } = withWorker(() => known(identity));
    await authenticate(TOKEN, ADDRESS);
    forget({ tokens: ['another'], users: ['another'] });
    await authenticate(TOKEN, ADDRESS);
    expect(asked).toHaveLength(1);
    forget(ended);
    await authenticate(TOKEN, ADDRESS);
    expect(asked).toHaveLength(2);
  },
);

it('[AUTH2] a token is accepted for a second after the start of its look-up, however long this takes', async () => {
  const { state, arrivals, arrive, authenticate } = withLateWorker();
  const early = authenticate(TOKEN, ADDRESS);
  const joined = authenticate(TOKEN, ADDRESS);
  await expect.poll(() => arrivals).toHaveLength(1);
  // It ends, and no message says so.
  state.valid = null;
  state.isLate = false;
  setClockAhead(TOKEN_CACHE_MS);
  await arrive(1);
  for (const one of [early, joined]) expect(await one).toMatchObject({ code: 'unauthorized' });
});

it('[AUTH2 GEN3] a token whose look-ups are all too slow is not accepted, and may be valid', async () => {
  const { arrivals, arrive, authenticate } = withLateWorker();
  const answer = authenticate(TOKEN, ADDRESS);
  for (const number of [1, 2, 3]) {
    await expect.poll(() => arrivals).toHaveLength(number);
    setClockAhead(number * TOKEN_CACHE_MS);
    await arrive(number);
  }
  expect(await answer).toMatchObject({ code: 'unavailable' });
  expect(arrivals).toHaveLength(3);
});

it('[AUTH2] the age of a cached identity is exact, also within one turn of the event loop', async () => {
  const { asked, authenticate } = withWorker(() => known(identity));
  await authenticate(TOKEN, ADDRESS);
  const cached = authenticate(TOKEN, ADDRESS);
  setClockAhead(TOKEN_CACHE_MS);
  const later = authenticate(TOKEN, ADDRESS);
  expect([await cached, await later]).toEqual([identity, identity]);
  expect(asked).toHaveLength(2);
});

it('[AUTH2] does not wait for the cache when a token ends by the clock', async () => {
  const expires = new Date(Date.now() + 1_000).toISOString();
  const ending = { ...identity, token: { ...identity.token, expires } };
  const { authenticate } = withWorker(() => known(ending));
  expect(await authenticate(TOKEN, ADDRESS)).toEqual(ending);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  expect(await authenticate(TOKEN, ADDRESS)).toMatchObject({ code: 'unauthorized' });
});
