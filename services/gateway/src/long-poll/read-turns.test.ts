import { expect, test } from 'vitest';
import { createReadTurns } from './read-turns.ts';

test('[LONG1] a bounded number of turns runs at once; the others follow in order, without turns that left', async () => {
  const turns = createReadTurns(2);
  const begun: number[] = [];
  const taken = [0, 1, 2, 3, 4].map((number) => {
    const turn = turns.take();
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
