import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/messages';
import { expect, it } from 'vitest';
import { createAuthenticator } from './authentication.ts';
import { hashOf } from './token.ts';

const TOKEN = 'tg_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1yLcDB';
const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };

function withWorker(answer: () => ReplyMessage) {
  const asked: ReadMessage[] = [];
  const requester = {
    async read(message: ReadMessage) {
      asked.push(message);
      return answer();
    },
  };
  return { asked, authenticate: createAuthenticator({ requester, deadlineMs: 1_000 }) };
}

it('[AUTH3] refuses what can be no token without asking a worker', async () => {
  const { asked, authenticate } = withWorker(() => ({ ok: true, body: { user } }));
  for (const token of [null, '', 'tg_x'])
    expect(await authenticate(token, 't')).toMatchObject({ code: 'unauthorized' });
  expect(asked).toEqual([]);
});

it('asks once for calls at the same time and for those that follow, by the hash alone', async () => {
  const { asked, authenticate } = withWorker(() => ({ ok: true, body: { user } }));
  const answers = await Promise.all([authenticate(TOKEN, 't'), authenticate(TOKEN, 't')]);
  expect([...answers, await authenticate(TOKEN, 't')]).toEqual([user, user, user]);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.payload).toEqual({ hash: hashOf(TOKEN) });
});

it('[GEN3] tells an unknown token from a worker that does not answer, and does not remember the latter', async () => {
  const unknown = withWorker(() => ({ ok: true, body: { user: null } }));
  expect(await unknown.authenticate(TOKEN, 't')).toMatchObject({ code: 'unauthorized' });
  let reply: ReplyMessage = { ok: false, error: 'unavailable', message: 'No worker answered in time.' };
  const { authenticate } = withWorker(() => reply);
  expect(await authenticate(TOKEN, 't')).toMatchObject({ code: 'unavailable' });
  reply = { ok: true, body: { user } };
  expect(await authenticate(TOKEN, 't')).toEqual(user);
});
