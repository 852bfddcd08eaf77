import type { Replica } from '@taskgraph/client';
import { expect, test } from 'vitest';
import { countLost } from './lost-changes.ts';

type Changes = Parameters<typeof countLost>[0];

/** The changes of this tab, by their keys. */
function tab(unsent: readonly string[], refused: readonly string[] = []): Changes {
  const command = (key: string) => ({ key, event: 'node:update', payload: {}, sentAt: null }) as const;
  const refusals: ReturnType<Replica['refusals']> = refused.map((key) => ({
    ...command(key),
    code: 'not_found',
    message: '',
    refusedAt: 1,
  }));
  return { commands: () => unsent.map(command), refusals: () => refusals };
}

const stored = (entries: Readonly<Record<string, string>>) =>
  new Map(Object.entries(entries).map(([place, key]) => [place, { key }]));

test('[CON32] changes of this tab and of others are counted', () => {
  const others = stored({ 'command/1.b': 'three', 'command/1.c': 'four', 'refused/2.b': 'five' });
  expect(countLost(tab(['one', 'two'], ['six']), others)).toEqual({ unsent: 4, refused: 2 });
  expect(countLost(tab([]), new Map())).toEqual({ unsent: 0, refused: 0 });
});

test('[CON32] a change that two tabs have counts once', () => {
  // This tab has taken it over, or tries it again.
  expect(countLost(tab(['one']), stored({ 'command/1.b': 'one' }))).toEqual({ unsent: 1, refused: 0 });
  expect(countLost(tab(['one'], []), stored({ 'refused/1.b': 'one' }))).toEqual({ unsent: 1, refused: 0 });
  expect(countLost(tab([], ['one']), stored({ 'refused/1.b': 'one' }))).toEqual({ unsent: 0, refused: 1 });
  expect(countLost(tab([], ['one']), stored({ 'command/1.b': 'one' }))).toEqual({ unsent: 1, refused: 0 });
});
