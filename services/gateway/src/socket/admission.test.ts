import { newTokenText } from '@taskgraph/runtime/security/tokens';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import type { Socket } from 'socket.io';
import { expect, it } from 'vitest';
import type { LookUpFeeds } from '../realtime/feed-lookup-cache.ts';
import { authorization } from '../test/support/subscriptions.ts';
import { answeredBy } from '../test/support/worker-answers.ts';
import { admit } from './admission.ts';
import { createFeedLookup } from './feed-lookup.ts';

const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const identity = {
  user,
  token: { id: '01890000-0000-7000-8000-00000000000a', kind: 'api' as const, readOnly: false, expires: null },
};
const opened = { ...authorization('root:a', 2), token: 'open' };

interface Scene {
  readonly reply?: ReplyMessage;
  readonly rightToken?: string;
  /** Whether the user's feeds are copied from another socket. */
  readonly isCached?: boolean;
}

function setUp({ reply, rightToken = 'right', isCached = false }: Scene = {}) {
  const asked: ReadMessage[] = [];
  const listening = new Set<string>();
  const { malformed, askWorkers } = answeredBy(async (message) => {
    asked.push(message);
    if (reply !== undefined) return reply;
    if (message.event === 'public:feeds') return { ok: true, body: { tokens: [opened] } };
    return {
      ok: true,
      body: { readers: [{ id: user.id, feeds: [{ ...authorization('user:u', 1), level: 0 }], position: 'p' }] },
    };
  });
  const options = {
    authenticate: async (token: string | null) => (token === rightToken ? identity : refuse('unauthorized', 'No.')),
    feedLookup: createFeedLookup({ askWorkers, deadlineMs: 1_000 }),
    allowedOrigins: [],
    cookies: { isSecure: true },
    isStopping: () => false,
    feedsOf: async (_: object, lookUp: LookUpFeeds) =>
      isCached ? { feeds: [authorization('user:u', 1)], position: 'cached' } : lookUp(),
    listen: (feeds: readonly string[]) => (listening.has(feeds.join()) ? Promise.resolve() : null),
  };
  const dial = (auth: object, headers: object = {}) =>
    admit({ auth, headers } as unknown as Socket['handshake'], options, '192.0.2.1');
  return { asked, malformed, listening, dial };
}

it('[AUTH3] reads the feeds of a user with the token', async () => {
  const { asked, dial } = setUp();
  const admission = { audience: { kind: 'user', user }, feeds: [{ feed: 'user:u' }], position: 'p', identity };
  expect(await dial({ api_token: 'right' })).toMatchObject({ ...admission, client: 'api' });
  expect(await dial({}, { authorization: 'Bearer right' })).toMatchObject(admission);
  const payload = { readers: [{ id: user.id, email: user.email }] };
  expect(asked).toMatchObject(new Array(2).fill({ event: 'readers:feeds', payload }));
});

it('[AUTH3] checks the token of a user whose feeds need no look-up', async () => {
  const { asked, dial } = setUp({ isCached: true });
  expect(await dial({ api_token: 'wrong' })).toMatchObject({ code: 'unauthorized' });
  expect(await dial({ api_token: 'right' })).toMatchObject({
    feeds: [{ feed: 'user:u' }],
    position: 'cached',
    identity,
  });
  expect(asked).toEqual([]);
});

it('[PUB3] accepts a public token without an account', async () => {
  const { asked, dial } = setUp();
  expect(await dial({ public_token: 'open' })).toMatchObject({
    audience: { kind: 'public', token: 'open' },
    feeds: [authorization('root:a', 2)],
    position: null,
  });
  expect(asked).toMatchObject([{ event: 'public:feeds', payload: { tokens: ['open'] }, actor: null }]);
});

it('[PUB3] answers the same for unknown, expired, trashed, unpublished and malformed tokens', async () => {
  const { dial } = setUp({ reply: { ok: true, body: { tokens: [] } } });
  for (const token of ['gone', '', 'x'.repeat(300), 5, null, {}]) {
    expect(await dial({ public_token: token })).toMatchObject({ code: 'not_found' });
  }
});

it('[AUTH1 AUTH3] accepts the cookie of a session from one of our pages, and not without an origin', async () => {
  const session = newTokenText('session');
  const { dial } = setUp({ rightToken: session });
  const [cookie, host] = [`other=1; __Host-taskgraph_session=${session}`, 'tasks.example.com'];
  for (const named of [{ origin: 'https://tasks.example.com' }, { 'sec-fetch-site': 'same-origin' }]) {
    expect(await dial({}, { cookie, host, ...named })).toMatchObject({ identity, client: 'web' });
  }
  for (const named of [{}, { origin: 'https://evil.example.com' }, { 'sec-fetch-site': 'cross-site' }]) {
    expect(await dial({}, { cookie, host, ...named })).toMatchObject({ code: 'forbidden.origin' });
  }
  expect(await dial({ api_token: 'wrong' }, { cookie, host })).toMatchObject({ code: 'unauthorized' });
  expect(await dial({ public_token: 'open' }, { cookie, host })).toMatchObject({ client: 'public', identity: null });
});

it('[AUTH3] treats a value that is not a string as no token', async () => {
  const { asked, dial } = setUp();
  const odd: unknown[] = [Object.create(null), Buffer.from('right'), 5, true, null, {}, ['right']];
  odd.push({ toString: 1 }, { toString: null, valueOf: null }, { toString: () => 'right' });
  for (const given of odd) {
    expect(await dial({ api_token: given })).toMatchObject({ code: 'unauthorized' });
    expect(await dial({ api_token: given }, { authorization: 'Bearer right' })).toMatchObject({ code: 'unauthorized' });
    expect(await dial({ public_token: given })).toMatchObject({ code: 'not_found' });
  }
  expect(asked).toEqual([]);
});

it("[PUB3] prefers a user's token, whether it is valid or not", async () => {
  const { dial } = setUp();
  expect(await dial({ public_token: 'open', api_token: 'right' })).toMatchObject({ audience: { kind: 'user' } });
  for (const [auth, headers] of [
    [{ public_token: 'open', api_token: 'wrong' }, {}],
    [{ public_token: 'open' }, { authorization: 'Bearer wrong' }],
    [{}, {}],
  ] as const) {
    expect(await dial(auth, headers)).toMatchObject({ code: 'unauthorized' });
  }
});

it('[GEN3] reports that no worker answers', async () => {
  const { dial } = setUp({ reply: { ok: false, error: 'unavailable', message: 'No worker answered in time.' } });
  for (const auth of [{ public_token: 'open' }, { api_token: 'right' }]) {
    expect(await dial(auth)).toMatchObject({ code: 'unavailable' });
  }
});

it('[GEN3] counts an unreadable answer, and accepts no connection on it', async () => {
  const { malformed, dial } = setUp({ reply: { ok: true, body: { readers: 'all', tokens: [{ token: 'open' }] } } });
  for (const auth of [{ public_token: 'open' }, { api_token: 'right' }]) {
    expect(await dial(auth)).toMatchObject({ code: 'internal.broken_answer' });
  }
  expect(malformed).toEqual(['public:feeds', 'readers:feeds']);
});

it('[EVT4] authorizes again if a feed subscription began since, because slices in between would be missed', async () => {
  const { asked, listening, dial } = setUp();
  listening.add('user:u').add('root:a');
  await dial({ api_token: 'right' });
  await dial({ public_token: 'open' });
  expect(asked.map(({ event }) => event)).toEqual(['readers:feeds', 'readers:feeds', 'public:feeds', 'public:feeds']);
});
