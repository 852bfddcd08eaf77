import { expect, test } from 'vitest';
import { changedFields, commandText, copyText } from './command-text.ts';

const titleOf = (id: string) => ({ a: 'Write', b: 'Print' })[id];

test.each([
  ['node:add', { title: 'Draw' }, 'New task “Draw”'],
  ['node:update', { id: 'a', version: 3, title: 'Edit', volume: 2 }, 'Changes the title and the effort of “Write”'],
  ['node:update', { id: 'a', status: 3 }, 'Sets “Write” to Completed'],
  ['node:update', { id: 'gone', priority: 1 }, 'Changes the priority of a task that you can no longer see'],
  ['node:trash', { id: 'b' }, 'Moves “Print” to the trash'],
  ['link:add', { source: 'a', target: 'b' }, '“Print” waits for “Write”'],
  ['link:trash', { id: 'l' }, 'Removes a link'],
  ['batch:undo', { batchId: 'x' }, 'Undoes a change'],
  ['node:publish', { id: 'a' }, 'Changes the access to “Write”'],
  ['node:access', { id: 'a', email: 'b@example.com' }, 'Changes the access to “Write”'],
  ['node:unknown', { id: 'a' }, 'Another change'],
])('[CON32] %s of %j is “%s”', (event, payload, text) => {
  expect(commandText({ event, payload }, titleOf)).toBe(text);
});

test('[CON32] a batch names its first changes', () => {
  const operation = { event: 'node:trash', payload: { id: 'a' } };
  const text = commandText({ event: 'batch:run', payload: { operations: Array(7).fill(operation) } }, titleOf);
  expect(text).toBe(`${Array(5).fill('Moves “Write” to the trash').join('; ')}; 2 more`);
});

test('[CON32] an update shows the reader’s values beside the present ones', () => {
  const update = { event: 'node:update', payload: { id: 'a', version: 3, title: 'Edit', tags: ['x', 'y'] } };
  expect(changedFields(update, { title: 'Write', tags: [] })).toEqual([
    { field: 'the title', mine: 'Edit', present: 'Write' },
    { field: 'the tags', mine: 'x, y', present: 'nothing' },
  ]);
  expect(changedFields(update, undefined)).toEqual([]);
});

test('[CON32] a copy has the words of the reader', () => {
  const update = (fields: object) =>
    copyText({ event: 'node:update', payload: { id: 'a', version: 1, ...fields } }, titleOf);
  expect(update({ title: 'Edit', volume: 2 })).toBe('Edit');
  expect(update({ volume: 2 })).toBe('2');
  expect(copyText({ event: 'node:trash', payload: { id: 'a' } }, titleOf)).toBe('Moves “Write” to the trash');
});
