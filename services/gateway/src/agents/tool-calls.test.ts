// How the calls of tools count for limits and metrics, with limits and workers that only record.
import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import { ToolFailure } from '@taskgraph/mcp/service';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import type { CallerToken } from '../auth/caller-token.ts';
import type { Identity } from '../auth/token.ts';
import type { Dispatch } from '../calls/dispatch.ts';
import { createToolCalls } from './tool-calls.ts';

const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const token = { id: '01890000-0000-7000-8000-00000000000a', kind: 'api', readOnly: true, expires: null } as const;
const identity = { user, token } as unknown as Identity;
const done: ReplyMessage = { ok: true, body: { nodes: [] } };

function recorded(
  reply: ReplyMessage | RawReply | Refusal = done,
  limited: Refusal | null = null,
  caller: Identity = identity,
  check: CallerToken['check'] = async () => null,
) {
  const counted: [names: readonly string[], weight: number | undefined][] = [];
  const ended: [name: string, status: number][] = [];
  const dispatched: Parameters<Dispatch>[0][] = [];
  const countedUsers: unknown[] = [];
  const calls = createToolCalls(
    {
      dispatch: async (call) => {
        dispatched.push(call);
        return reply;
      },
      limits: {
        take: async (names, { weight, user: of }) => {
          countedUsers.push(of);
          counted.push([names, weight]);
          return { refusal: limited, headers: {} };
        },
      },
      observe: ({ name, transport }) => ({
        traceId: 't',
        within: (work) => work(),
        end: (status) => ended.push([`${transport} ${name}`, status]),
      }),
    },
    {
      identity: caller,
      token: { id: caller.token.id, check },
      ip: '203.0.113.7',
      traceId: 't',
      traceParent: '',
      arrivedMs: 1_000,
    },
  );
  return { calls, counted, countedUsers, ended, dispatched };
}

test('[BOT1 LIM1] the calls of a bot count as those of its maintainer', async () => {
  const maintainer = '01890000-0000-7000-8000-000000000002';
  const bot = { ...identity, user: { ...user, maintainer } } as unknown as Identity;
  const { calls, countedUsers, dispatched } = recorded(done, null, bot);
  await calls.call('node:get', { id: user.id });
  expect(countedUsers).toEqual([maintainer]);
  expect(dispatched).toMatchObject([{ user: { id: user.id } }]);
});

test('[LIM1] the request has counted as its first call; each further call counts', async () => {
  const { calls, counted, ended, dispatched } = recorded();
  await calls.call('node:find', {});
  await calls.call('node:get', { id: user.id }, { idempotencyKey: 'k' });
  expect(counted).toEqual([
    [['rest:call'], 0],
    [['rest', 'rest:call'], 1],
  ]);
  expect(ended).toEqual([
    ['rest node:find', 200],
    ['rest node:get', 200],
  ]);
  const common = { user, scopes: ['read'], transport: 'tool', arrivedMs: 1_000, from: '203.0.113.7' };
  expect(dispatched).toMatchObject([
    { ...common, input: { value: {} }, key: undefined },
    { ...common, key: 'k' },
  ]);
});

test('[BAT7 LIM6] a batch counts by its operations, and work counts afterwards', async () => {
  const { calls, counted } = recorded({ ...done, work: 1_500 });
  await calls.call('batch:run', { operations: Array.from({ length: 100 }, () => ({ event: 'node:add' })) });
  expect(counted[0]).toEqual([['rest', 'rest:call'], 3]);
  // 1,500 changes are worth 6 calls, and the operations have counted as 4.
  expect(counted[1]).toEqual([['rest'], 2]);
});

test('a refusal is a failure of the tool, also that of a limit', async () => {
  const refused = recorded(refuse('forbidden', 'No.', { a: 1 }));
  const failure = await refused.calls.call('node:find', {}).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ToolFailure);
  expect(failure).toMatchObject({ code: 'forbidden', message: 'No.', details: { a: 1 } });
  expect(refused.ended).toEqual([['rest node:find', 403]]);
  const limited = recorded(done, refuse('rate_limited', 'Wait.', { limit: 'rest:call', retryAfterMs: 5 }));
  await expect(limited.calls.call('node:find', {})).rejects.toMatchObject({ code: 'rate_limited' });
  expect([limited.ended, limited.dispatched]).toEqual([[['rest node:find', 429]], []]);
});

test('a bug ends the observed call too', async () => {
  const { calls, ended } = recorded({ ok: true, json: Buffer.from('no JSON') });
  await expect(calls.call('node:find', {})).rejects.toThrow(SyntaxError);
  expect(ended).toEqual([['rest node:find', 500]]);
});

test('[AUTH2] a tool makes no further call after the end of its token', async () => {
  let hasEnded = false;
  const check = async () => (hasEnded ? refuse('unauthorized', 'The token has ended.') : null);
  const { calls, dispatched } = recorded(done, null, identity, check);
  await calls.call('node:find', {});
  hasEnded = true;
  await expect(calls.call('node:get', { id: user.id })).rejects.toMatchObject({ code: 'unauthorized' });
  expect(dispatched).toHaveLength(1);
});
