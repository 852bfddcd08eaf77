import { type Entity, findNodes, type NodeSearch } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { entriesFor, keyOf } from './entries.ts';

const COMMANDS = [
  { name: 'outline', text: 'Go to Outline' },
  { name: 'done', text: 'Complete the task', needsTask: true },
] as const;

/** The keys of the entries for a text, in a graph of two tasks. */
function keysFor(text: string, hasTask = false): string[] {
  const nodes = new Map<string, Entity>(
    ['Straße', 'İzmir'].map((title, index) => {
      const id = `task ${index}`;
      return [
        id,
        { id, version: 1, title, description: '', status: 0, tags: [], priority: 0, volume: 0, dueDate: null },
      ];
    }),
  );
  const find = (search: NodeSearch = {}) => findNodes({ nodes, links: new Map() }, search, { username: 'ann' });
  const snapshot = () => ({ nodes, links: new Map<string, Entity>(), revision: 1, state: 'live' as const });
  const replica = { find, snapshot, username: 'ann' };
  return entriesFor({ replica, hasTask, commands: COMMANDS, textOf: (command) => command.text }, text).map(keyOf);
}

test('[CON19] entries have all words, as a search compares them', () => {
  expect(keysFor('outl GO')).toEqual(['outline']);
  expect(keysFor('ＯＵＴＬ')).toEqual(['outline']);
  expect(keysFor('STRASSE')).toEqual(['task 0']);
  expect(keysFor('izmir')).toEqual(['task 1']);
});

test('[CON19] a command for the open task needs one, and without words no task shows', () => {
  expect(keysFor('complete')).toEqual([]);
  expect(keysFor('complete', true)).toEqual(['done']);
  expect(keysFor(' ').filter((key) => key.startsWith('task'))).toEqual([]);
});

test('[CON19 FIND4] a text that no search may have finds no task', () => {
  expect(keysFor('İ'.repeat(200))).toEqual([]);
  expect(keysFor('x'.repeat(201))).toEqual([]);
  expect(keysFor('iz '.repeat(11))).toEqual([]);
});
