import { expect, test } from 'vitest';
import { createReadTurns } from './read-turns.ts';

test('[LONG1] a bounded number of turns runs at once; the others follow in order, without turns that left', async () => {
  const turns = createReadTurns(2, 2);
  const begun: number[] = [];
  const taken = [0, 1, 2, 3, 4].map((number) => {
    const turn = turns.take(`user ${number}`);
    void turn.ready.then(() => begun.push(number));
    return turn;
  });
  const end = async (number: number) => {
    taken[number]?.end();
    await Promise.resolve();
  };
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  await end(2);
  expect(begun).toEqual([0, 1]);
  await end(0);
  await end(0);
  expect(begun).toEqual([0, 1, 3]);
  await end(1);
  expect(begun).toEqual([0, 1, 3, 4]);
});

test('[LONG1] the turns of one user leave room for those of others', async () => {
  const turns = createReadTurns(3, 2);
  const begun: string[] = [];
  const taken = ['ann 1', 'ann 2', 'ann 3', 'bob 1'].map((name) => {
    const turn = turns.take(name.slice(0, 3));
    void turn.ready.then(() => begun.push(name));
    return turn;
  });
  await Promise.resolve();
  expect(begun).toEqual(['ann 1', 'ann 2', 'bob 1']);
  taken[3]?.end();
  await Promise.resolve();
  expect(begun).toHaveLength(3);
  taken[0]?.end();
  await Promise.resolve();
  expect(begun.at(-1)).toBe('ann 3');
});
