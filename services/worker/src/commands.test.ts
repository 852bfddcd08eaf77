// Who is taken for the system: whoever speaks on its subjects, whatever a message says of its actor. Rule: HIS1.
import { systemCatalog } from '@taskgraph/commands/system-catalog';
import { createIdFactory } from '@taskgraph/runtime/ids';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import { SYSTEM } from '@taskgraph/wire/system';
import { expect, test } from 'vitest';
import { createCommandHandler } from './commands.ts';
import { createMailboxes } from './mailboxes.ts';

const newId = createIdFactory();
const ann = { id: newId(0), username: 'ann', email: 'ann@example.org' };
const mailboxes = createMailboxes({
  ...{ lanes: 1, restMs: 0, groupSize: 10, groupBytes: 1_000_000, waitingCommands: 10, waitingBytes: 1_000_000 },
  nowMs: Date.now,
  async commit(group) {
    for (const job of group) job.answer({ ok: true, body: {} });
  },
});
const handle = createCommandHandler(mailboxes);

function send(actor: typeof ann, event: string, payload: object, from: 'users' | 'system'): Promise<ReplyMessage> {
  const deadline = Date.now() + 10_000;
  return handle({ id: newId(0), event, payload: { ...payload }, actor, key: null, deadline, traceId: 't' }, from);
}

const unknown = { ok: false, error: 'bad_request.unknown_event' };

test.each(systemCatalog.map(({ event }) => event))(
  '[HIS1] %s is taken from where jobs alone may speak',
  async (event) => {
    const payload = event === 'node:expire' ? { id: newId(0) } : { id: newId(0), before: new Date().toISOString() };
    expect(await send(SYSTEM, event, payload, 'system')).toMatchObject({ ok: true });
    expect(await send(SYSTEM, event, payload, 'users')).toMatchObject(unknown);
    expect(await send(ann, event, payload, 'system')).toMatchObject(unknown);
  },
);

test('[HIS1] where jobs speak no user is heard, and nothing but what the system has', async () => {
  expect(await send(ann, 'node:add', { title: 'a' }, 'users')).toMatchObject({ ok: true });
  expect(await send(ann, 'node:add', { title: 'a' }, 'system')).toMatchObject(unknown);
  expect(await send(SYSTEM, 'node:add', { title: 'a' }, 'system')).toMatchObject(unknown);
});
