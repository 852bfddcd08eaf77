// The system's identity: senders on its subjects, whatever actor their messages name. Rule: HIS1.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { systemCommands } from '@taskgraph/commands/commands';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { SYSTEM } from '@taskgraph/wire/actor';
import { expect, test } from 'vitest';
import { createCommandHandler } from './command-handler.ts';
import { createScheduler, type GroupRemainder } from './group-scheduler.ts';
import type { Job } from './job.ts';

const newId = createIdFactory();
const ann = { id: newId(0), username: 'ann', email: 'ann@example.org' };
async function commit(group: readonly Job[]): Promise<GroupRemainder> {
  for (const job of group) job.answer({ ok: true, body: {} });
  return { stuck: [], later: [], blocked: [], failed: false };
}
function schedulerOf(by: typeof commit) {
  return createScheduler({
    concurrency: 1,
    groupSize: 10,
    groupBytes: 1_000_000,
    waitingCommands: 10,
    waitingBytes: 1_000_000,
    partConcurrency: 1,
    largeCommands: 1,
    largeBytes: 1_000,
    nowMs: Date.now,
    commit: by,
    commitPart: by,
    commitLarge: async () => undefined,
  });
}
const NO_CLAIMS = { concern: () => false, run: async () => undefined };
const handle = createCommandHandler(schedulerOf(commit), NO_CLAIMS);

function send(actor: typeof ann, event: string, payload: object, from: 'users' | 'system'): Promise<Reply> {
  const deadline = Date.now() + 10_000;
  return handle({ id: newId(0), event, payload: { ...payload }, actor, key: null, deadline, traceId: 't' }, from);
}

const unknown = { ok: false, error: 'bad_request.unknown_event' };

test.each(systemCommands.map(({ name }) => name))(
  '[HIS1] %s is accepted from the subject that only jobs may use',
  async (event) => {
    const payload = event.endsWith(':expire') ? { id: newId(0) } : { id: newId(0), before: new Date().toISOString() };
    expect(await send(SYSTEM, event, payload, 'system')).toMatchObject({ ok: true });
    expect(await send(SYSTEM, event, payload, 'users')).toMatchObject(unknown);
    expect(await send(ann, event, payload, 'system')).toMatchObject(unknown);
  },
);

test("[HIS1] the jobs' subject accepts no user's command, and only system commands", async () => {
  expect(await send(ann, 'node:add', { title: 'a' }, 'users')).toMatchObject({ ok: true });
  expect(await send(ann, 'node:add', { title: 'a' }, 'system')).toMatchObject(unknown);
  expect(await send(SYSTEM, 'node:add', { title: 'a' }, 'system')).toMatchObject(unknown);
});

test('[GEN8] an attempt that waited elsewhere is not executed after a refusal under the same key, and the next one is', async () => {
  const refusing = refusal();
  const [first, second, third] = [newId(0), newId(0), newId(0)];
  const again = (id: string) => refusing.handle(messageOf(id), 'users');
  expect(await again(second)).toMatchObject({ ok: false, error: 'conflict.node_blocked' });
  refusing.allow();
  expect(await again(first)).toMatchObject({ ok: false, error: 'unavailable' });
  expect(await again(third)).toMatchObject({ ok: true });
  expect(refusing.judged()).toBe(2);
});

test('[GEN8] a repeated attempt that was refused gets the same answer without another decision', async () => {
  const refusing = refusal();
  const id = newId(0);
  const first = await refusing.handle(messageOf(id), 'users');
  refusing.allow();
  expect(await refusing.handle(messageOf(id), 'users')).toBe(first);
  expect(await refusing.handle({ ...messageOf(id), key: null }, 'users')).toMatchObject({ ok: true });
  expect(refusing.judged()).toBe(2);
});

test('[GEN3] an attempt overtaken by a later one answers not_done', async () => {
  const refusing = refusal();
  const [first, second] = [newId(0), newId(0)];
  await refusing.handle(messageOf(second), 'users');
  const overtaken = { ok: false, error: 'unavailable', details: { outcome: 'not_done' } };
  expect(await refusing.handle(messageOf(first), 'users')).toMatchObject(overtaken);
});

test('[GEN8] commands accepted before a possible loss of the partition are not executed', async () => {
  const { handle: take, allow, judged } = refusal();
  allow();
  let isLeaseHeld = true;
  const lasting = take(messageOf(newId(0)), 'users', () => isLeaseHeld);
  expect(await lasting).toMatchObject({ ok: true });
  const waiting = take({ ...messageOf(newId(0)), key: 'another' }, 'users', () => isLeaseHeld);
  isLeaseHeld = false;
  expect(await waiting).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'moved' } });
  expect(judged()).toBe(1);
});

test('[GEN8] a worker that may have lost a command to another does not refuse it', async () => {
  const refusing = refusal();
  let isLeaseHeld = true;
  const waiting = refusing.handle(messageOf(newId(0)), 'users', () => isLeaseHeld);
  refusing.lose(() => {
    isLeaseHeld = false;
  });
  expect(await waiting).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'moved' } });
  expect(refusing.judged()).toBe(1);
});

const messageOf = (id: string) => ({
  id,
  event: 'node:add',
  payload: {},
  actor: ann,
  key: 'k',
  deadline: Date.now() + 10_000,
  traceId: 't',
});

/** A handler whose worker refuses until it is allowed to do things. */
function refusal() {
  let [isAllowed, judged] = [false, 0];
  let decided: () => void = () => undefined;
  const decide = async (group: readonly Job[]): Promise<GroupRemainder> => {
    judged += group.length;
    decided();
    const refused: Reply = { ok: false, error: 'conflict.node_blocked', message: '' };
    for (const job of group)
      job.answer(isAllowed ? { ok: true, body: { diff: { batchId: job.message.id } } } : refused);
    return { stuck: [], later: [], blocked: [], failed: false };
  };
  const allow = () => {
    isAllowed = true;
  };
  const lose = (whenDecided: () => void) => {
    decided = whenDecided;
  };
  return { handle: createCommandHandler(schedulerOf(decide), NO_CLAIMS), allow, lose, judged: () => judged };
}
