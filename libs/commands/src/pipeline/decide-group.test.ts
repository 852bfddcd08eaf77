// Repeated commands: which answers were given before, and what they show after a deletion.
import { bareChange } from '@taskgraph/domain/views/history';
import type { CommandMessage } from '@taskgraph/wire/bus/calls';
import { isRefusal } from '@taskgraph/wire/errors';
import { composeId, slotOf } from '@taskgraph/wire/ids';
import { describe, expect, test } from 'vitest';
import { definitionOf } from '../commands.ts';
import { createMemoryWorld, withCandidates } from '../test/support/memory-world.ts';
import { ann } from '../test/support/scenario.ts';
import { parseCommand } from './command.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
type Message = Pick<CommandMessage, 'id' | 'event' | 'payload' | 'key'>;

function createSubject() {
  const memory = createMemoryWorld([ann]);
  let count = 0;
  const newId = (slot: number) => composeId(slot, NOW_MS + ++count, 0, new Uint8Array(6));
  const moment = { newId, newToken: () => `token ${++count}` };
  const commandOf = (message: Message) => {
    const parsed = parseCommand({ ...message, actor: ann }, definitionOf(message.event), (text) => text);
    const command = withCandidates(parsed, memory.nodes.keys());
    if (isRefusal(command)) throw new Error(command.code);
    return command;
  };
  return {
    memory,
    newId: () => newId(slotOf(ann.id)),
    /** The replies to the messages, in one group. */
    group(...messages: readonly Message[]) {
      const commands = messages.map(commandOf);
      const decision = memory.commit(commands, { ...moment, now: new Date(NOW_MS + ++count * 1_000).toISOString() });
      return commands.map((command) => {
        const reply = decision.replies.get(command);
        if (!reply?.ok) throw new Error(`refused: ${JSON.stringify(reply)}`);
        return reply;
      });
    },
  };
}

describe.each([null, 'key'])('[GEN8] with the key %s', (key) => {
  const message = (id: string): Message => ({ id, event: 'node:add', payload: { title: 'once' }, key });

  test.each(['one group', 'two groups'])(
    'a gateway sends a command again, in %s: the answer is no repeated one',
    (where) => {
      const { memory, newId, group } = createSubject();
      const sent = message(newId());
      const [first, second] = where === 'one group' ? group(sent, sent) : [...group(sent), ...group(sent)];
      expect(second).toEqual(first);
      expect(first?.replayed).toBeUndefined();
      expect(memory.nodes.size).toBe(1);
    },
  );
});

test.each(['one group', 'two groups'])(
  '[GEN8] a client repeats a call under its key, in %s: only the second answer is marked',
  (where) => {
    const { newId, group } = createSubject();
    const [one, other] = [newId(), newId()].map(
      (id): Message => ({ id, event: 'node:add', payload: { title: 'once' }, key: 'key' }),
    ) as [Message, Message];
    const [first, second] = where === 'one group' ? group(one, other) : [...group(one), ...group(other)];
    expect(first?.replayed).toBeUndefined();
    expect(second).toEqual({ ...first, replayed: true });
  },
);

test('[CLAIM4 TRS5] a repeated claim names its claim, also after the node was deleted and history has only its id', () => {
  const { memory, newId, group } = createSubject();
  group({ id: newId(), event: 'node:add', payload: {}, key: null });
  const [id] = [...memory.nodes.keys()];
  const claim = (): Message => ({ id: newId(), event: 'node:claim', payload: {}, key: 'claim' });
  const [first] = group(claim());
  expect(first?.body).toMatchObject({ node: { id }, claimId: expect.any(String) });
  group({ id: newId(), event: 'node:trash', payload: { id }, key: null });
  group({ id: newId(), event: 'node:delete', payload: { id }, key: null });
  for (const [key, batch] of memory.batches)
    memory.batches.set(key, { ...batch, changes: batch.changes.map(bareChange) });
  const [again] = group(claim());
  expect(again?.body).toMatchObject({ node: null, claimId: first?.body.claimId });
});
