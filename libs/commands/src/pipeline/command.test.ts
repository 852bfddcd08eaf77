import { isRefusal } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { definitionOf } from '../commands.ts';
import { parseCommand } from './command.ts';

const actor = { id: '01985f0e-3d10-7a11-9c4a-6e8f0a124b53', username: 'ann', email: 'ann@example.com' };

function hashOf(payload: object): string {
  const message = { id: actor.id, event: 'batch:run', payload, actor, key: 'k' };
  const sent = message as Parameters<typeof parseCommand>[0];
  const command = parseCommand(sent, definitionOf('batch:run'), (text) => text);
  if (isRefusal(command)) throw new Error(command.code);
  return command.payloadHash;
}

test('[GEN8] the digest of a payload ignores the order of fields, also in operations, and depends on values', () => {
  const operation = { event: 'node:add', payload: { title: 'a', volume: 1 }, as: 'one' };
  const turned = { as: 'one', payload: { volume: 1, title: 'a' }, event: 'node:add' };
  expect(hashOf({ operations: [turned] })).toBe(hashOf({ operations: [operation] }));
  const other = { ...operation, payload: { title: 'a', volume: 2 } };
  expect(hashOf({ operations: [other] })).not.toBe(hashOf({ operations: [operation] }));
  expect(hashOf({ operations: [operation, other].map((one, at) => ({ ...one, as: `n${at}` })) })).not.toBe(
    hashOf({ operations: [other, operation].map((one, at) => ({ ...one, as: `n${at}` })) }),
  );
});
