import type { JsonReply } from '@taskgraph/bus/requests/raw-reply';
import type { CommandMessage, ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { Op } from '@taskgraph/wire/codes';
import { refuse } from '@taskgraph/wire/errors';
import { partitionOf, slotOf } from '@taskgraph/wire/ids';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { operationOf } from '@taskgraph/wire/operations/operations';
import { beforeEach, expect, it } from 'vitest';
import { parseQueryString, type QueryString } from '../http/query-string.ts';
import { createDispatch, type Input } from './dispatch.ts';

const user = { id: '01890000-0000-7abc-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const done: ReplyMessage = { ok: true, body: {} };

const audited: object[] = [];
beforeEach(() => void audited.splice(0));
const audit = (act: object) => void audited.push(act);

function withWorkers(answer: ReplyMessage | JsonReply = done) {
  const commands: { partition: number; message: CommandMessage }[] = [];
  const reads: ReadMessage[] = [];
  const requester = {
    async sendCommandRaw(partition: number, message: CommandMessage) {
      commands.push({ partition, message });
      return answer;
    },
    async readRaw(message: ReadMessage) {
      reads.push(message);
      return done;
    },
  };
  const dispatch = createDispatch({ requester, newId: (slot) => `id in ${slot}`, deadlineMs: 500, audit });
  const fixed = {
    user,
    scopes: null,
    transport: 'rest',
    traceId: 't',
    arrivedMs: 1_000,
    from: '203.0.113.7',
  } as const;
  const call = (event: string, input: Input, key?: unknown) =>
    dispatch({ ...fixed, operation: operationOf(event)!, input, key });
  const callWith = (operation: Operation, more: Partial<Parameters<typeof dispatch>[0]>) =>
    dispatch({ ...fixed, operation, input: { value: {} }, key: undefined, ...more });
  return { commands, reads, call, callWith };
}
const query = (text: string) => ({ query: parseQueryString(text) as QueryString });

it('sends a command immediately to the partition of its entity, in the slot of its actor', () => {
  const { commands, call } = withWorkers();
  const id = '01890000-0000-7123-8000-000000000002';
  void call('node:update', { value: { id, title: 'a' } }, 'k');
  expect(commands).toEqual([
    {
      partition: partitionOf(slotOf(id)),
      message: {
        id: `id in ${slotOf(user.id)}`,
        event: 'node:update',
        payload: { id, title: 'a' },
        actor: user,
        key: 'k',
        deadline: 1_500,
        traceId: 't',
      },
    },
  ]);
});

it('[ZIP2] asks for a compressed page only for a caller that accepts it', async () => {
  const { reads, callWith } = withWorkers();
  const operation = operationOf('graph:get')!;
  await callWith(operation, {});
  await callWith(operation, { acceptsCompressed: false });
  await callWith(operation, { acceptsCompressed: true });
  expect(reads.map((read) => read.acceptsCompressed)).toEqual([undefined, undefined, true]);
});

it('[GEN5] reads typed fields from a query, with their defaults', async () => {
  const { reads, call } = withWorkers();
  expect(await call('graph:get', query('limit=5'))).toEqual(done);
  expect(reads[0]?.payload).toEqual({ limit: 5, offset: 0 });
});

it('[GEN4] refuses a repeated parameter after unknown ones', async () => {
  const { call } = withWorkers();
  expect(await call('graph:get', query('limit=5&limit=5'))).toMatchObject({ code: 'bad_request.invalid_limit' });
  expect(await call('graph:get', query('limit=5&limit=5&nothing=1'))).toMatchObject({
    code: 'bad_request.unknown_field',
  });
});

it('[GEN5] reads a list whose parameter is repeated', async () => {
  const { reads, call } = withWorkers();
  expect(await call('node:get', query('ids=a&ids=b,c&ids=d'))).toMatchObject({ code: 'bad_request.invalid_uuid' });
  const [one, other] = ['01890000-0000-7123-8000-000000000002', '01890000-0000-7123-8000-000000000003'];
  expect(await call('node:get', query(`ids=${one}&ids=${other}`))).toEqual(done);
  expect(await call('node:find', query('tag=web&tag=api&status=1&status=2&due.to=2026-12-24'))).toEqual(done);
  expect(reads.map(({ payload }) => payload)).toMatchObject([
    { ids: [one, other] },
    { where: { tag: ['web', 'api'], status: [1, 2] } },
  ]);
  expect(await call('node:find', query('due.to=2026-12-24&due.to=2026-12-25'))).toMatchObject({
    code: 'bad_request.invalid_due.to',
  });
});

it("[GEN8] refuses an invalid idempotency key, after the check of the payload's shape", async () => {
  const { commands, call } = withWorkers();
  for (const key of ['', 5, null, 'x'.repeat(256), 'a\0']) {
    const outcome = await call('node:add', { value: {} }, key);
    expect(outcome).toMatchObject({ code: 'bad_request.invalid_idempotencyKey' });
  }
  expect(await call('node:add', { value: { no: 1 } }, 5)).toMatchObject({ code: 'bad_request.unknown_field' });
  expect(commands).toEqual([]);
});

it('[PUB3] only calls declared as public are sent without a user', async () => {
  const { commands, reads, callWith } = withWorkers();
  const graphGet = operationOf('graph:get')!;
  expect(await callWith({ ...graphGet, caller: 'reader' }, { user: null })).toEqual(done);
  expect(reads).toMatchObject([{ actor: null }]);
  expect(await callWith(graphGet, { user: null })).toMatchObject({ code: 'unauthorized' });
  expect(await callWith(operationOf('node:add')!, { user: null })).toMatchObject({ code: 'unauthorized' });
  expect([reads.length, commands.length]).toEqual([1, 0]);
});

it('[HIS8] requires from sockets the fields that they must name', async () => {
  const { reads, callWith } = withWorkers();
  const history = operationOf('history:page')!;
  expect(await callWith(history, {})).toEqual(done);
  expect(await callWith(history, { transport: 'socket' })).toMatchObject({ code: 'bad_request.missing_scopeType' });
  const value = { scopeType: 'USER', scopeId: user.id };
  expect(await callWith(history, { transport: 'socket', input: { value } })).toEqual(done);
  expect(reads[1]?.payload).toEqual({ ...value, limit: 100, offset: 0, order: 'newest' });
});

it('[AUTH2] lets a read-only token read, and refuses mutations after the check of their shape', async () => {
  const { commands, reads, callWith } = withWorkers();
  const add = operationOf('node:add')!;
  const scopes = ['read'] as const;
  expect(await callWith(operationOf('graph:get')!, { scopes })).toBe(done);
  expect(await callWith(add, { scopes })).toMatchObject({ code: 'forbidden.read_only' });
  expect(await callWith(add, { scopes, input: { value: { nope: 1 } } })).toMatchObject({
    code: 'bad_request.unknown_field',
  });
  expect([commands.length, reads.length]).toEqual([0, 1]);
});

it('[SCOPE1] refuses calls outside the scopes after the check of their shape, and audits refused grants', async () => {
  const { commands, reads, callWith } = withWorkers();
  const scopes = ['edit'] as const;
  const id = '01890000-0000-7123-8000-000000000002';
  expect(await callWith(operationOf('graph:get')!, { scopes })).toMatchObject({ code: 'forbidden.scope' });
  expect(await callWith(operationOf('node:add')!, { scopes })).toBe(done);
  const share = { event: 'node:access', payload: { id, email: 'bob@example.com', level: 3 } };
  expect(await callWith(operationOf('node:access')!, { scopes, input: { value: { id: 1 } } })).toMatchObject({
    code: 'bad_request.missing_email',
  });
  for (const [event, value] of [
    ['node:access', share.payload],
    ['batch:run', { operations: [{ event: 'node:add' }, share] }],
  ] as const) {
    const refused = await callWith(operationOf(event)!, { scopes, input: { value } });
    expect(refused).toMatchObject({ code: 'forbidden.scope', details: { missing: ['share'] } });
  }
  expect([commands.length, reads.length]).toEqual([1, 0]);
  const what = { nodeId: id, email: 'bob@example.com' };
  expect(audited).toMatchObject([
    { event: 'grant', outcome: 'forbidden.scope', what: { ...what, call: 'node:access' } },
    { event: 'grant', outcome: 'forbidden.scope', what: { ...what, call: 'batch:run' } },
  ]);
});

it('[SCOPE2 SCOPE3] sends the scopes with an undo alone, in the payload, so that an older worker refuses them', async () => {
  const { commands, callWith } = withWorkers();
  const batchId = '01890000-0000-7123-8000-000000000002';
  const undo = operationOf('batch:undo')!;
  const input = { value: { batchId } };
  const scopes = ['read', 'edit'] as const;
  await callWith(undo, { input, scopes });
  await callWith(undo, { input });
  await callWith(undo, { input: { value: { batchId, dryRun: true } }, scopes });
  await callWith(operationOf('batch:run')!, { input: { value: { operations: [{ event: 'node:add' }] } }, scopes });
  expect(commands.map(({ message }) => message.payload)).toEqual([
    { batchId, scopes: ['read', 'edit'] },
    { batchId },
    { batchId, dryRun: true },
    { operations: [{ event: 'node:add' }] },
  ]);
  // Clients cannot send them.
  const sent = { value: { batchId, scopes: ['share'] } };
  expect(await callWith(undo, { input: sent, scopes })).toMatchObject({ code: 'bad_request.unknown_field' });
});

it('[GEN11] requests shorter pages over sockets, because an answer waits until the client has read it', async () => {
  const { reads, callWith } = withWorkers();
  const graphGet = operationOf('graph:get')!;
  await callWith(graphGet, {});
  await callWith(graphGet, { transport: 'socket' });
  expect(reads.map(({ pageBytes }) => pageBytes)).toEqual([undefined, 512 * 1024]);
});

it('[AUTH4] audits a grant in an answer, and passes on an answer without grants unread', async () => {
  const after = { id: 'n', email: 'bob@example.com', level: 3 };
  const granting: ReplyMessage = {
    ok: true,
    body: { diff: { batchId: 'b', nodes: [], access: [{ op: Op.GRANT_UPSERT, before: {}, after }] } },
  };
  expect(await withWorkers(granting).call('node:add', { value: {} })).toBe(granting);
  expect(audited).toMatchObject([{ event: 'grant' }]);
  const raw: JsonReply = { ok: true, keepsAccess: true, json: Buffer.from('no JSON') };
  expect(await withWorkers(raw).call('node:add', { value: {} })).toBe(raw);
  expect(audited).toHaveLength(1);
});

it('[DRY1] sends a dry run in the payload, so that an older worker refuses it; a read-only token may use it', async () => {
  const { commands, call, callWith } = withWorkers();
  const add = operationOf('node:add')!;
  await callWith(add, { scopes: ['read'], input: { value: { title: 'a', dryRun: true } } });
  await call('node:delete', query('id=01890000-0000-7123-8000-000000000002&dryRun=true'));
  expect(commands.map(({ message }) => [message.payload, message.key])).toEqual([
    [{ title: 'a', dryRun: true }, null],
    [{ id: '01890000-0000-7123-8000-000000000002', dryRun: true }, null],
  ]);
  const refused = async (...args: Parameters<typeof call>) => (await call(...args)) as { code: string };
  expect((await refused('node:add', { value: { dryRun: true } }, 'key')).code).toBe('bad_request.dry_run_key');
  expect((await refused('node:add', { value: { dryRun: 'true' } })).code).toBe('bad_request.invalid_dryRun');
  expect((await refused('node:delete', query('id=x&dryRun=true&dryRun=true'))).code).toBe('bad_request.invalid_dryRun');
  expect((await refused('graph:get', query('dryRun=true'))).code).toBe('bad_request.unknown_field');
  const reading = { scopes: ['read'] as const, input: { value: { dryRun: false } } };
  expect(await callWith(add, reading)).toMatchObject({ code: 'forbidden.read_only' });
  expect(commands).toHaveLength(2);
});

it('[AUTH2 GEN3] a command that is not sent again, since its token has ended, is refused as such, with its outcome', async () => {
  let hasEnded = false;
  const sent: CommandMessage[] = [];
  const dispatch = createDispatch({
    requester: {
      async sendCommandRaw(_partition, message, mayContinue) {
        sent.push(message);
        expect(await mayContinue?.()).toBe(true);
        hasEnded = true;
        expect(await mayContinue?.()).toBe(false);
        return { ok: false, error: 'unavailable', message: 'No answer.', details: { outcome: 'unknown' } };
      },
      readRaw: async () => done,
    },
    newId: () => user.id,
    deadlineMs: 500,
    audit,
  });
  const token = { id: user.id, check: async () => (hasEnded ? refuse('unauthorized', 'Ended.') : null) };
  const call = {
    user,
    scopes: null,
    transport: 'rest',
    key: undefined,
    traceId: 't',
    arrivedMs: 1_000,
    from: '',
  } as const;
  const operation = operationOf('node:claim')!;
  const outcome = await dispatch({ ...call, operation, input: { value: {} }, token });
  expect(outcome).toMatchObject({ code: 'unauthorized', message: 'Ended.', details: { outcome: 'unknown' } });
  expect(sent).toMatchObject([{ event: 'node:claim', callerToken: user.id }]);
});
