import { expect, test } from 'vitest';
import { createCallGroups } from './call-groups.ts';

/** Groups whose ends the test chooses. */
function setUp({ most = 10, atOnce = 1 } = {}) {
  const groups: { readonly calls: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const call = createCallGroups<string, string>({
    run: (calls) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error === undefined ? resolve(calls.map((one) => `${one}!`)) : reject(error));
        groups.push({ calls, end });
      }),
    most,
    atOnce,
    keyOf: (one) => one[0] as string,
  });
  return { groups, call };
}

test('a call without others runs at once, and those that wait meanwhile run together', async () => {
  const { groups, call } = setUp();
  const results = ['a', 'b', 'c'].map(call);
  expect(groups.map(({ calls }) => calls)).toEqual([['a']]);
  groups[0]?.end();
  expect(await results[0]).toBe('a!');
  await expect.poll(() => groups.map(({ calls }) => calls)).toEqual([['a'], ['b', 'c']]);
  groups[1]?.end();
  expect(await Promise.all(results)).toEqual(['a!', 'b!', 'c!']);
});

test('a group has a bound, and calls with the same key are in different groups', async () => {
  const { groups, call } = setUp({ most: 2 });
  const results = ['a', 'b1', 'b2', 'c', 'd'].map(call);
  for (let ended = 0; ended < 3; ended++) {
    await expect.poll(() => groups.length).toBe(ended + 1);
    groups[ended]?.end();
  }
  await Promise.all(results);
  expect(groups.map(({ calls }) => calls)).toEqual([['a'], ['b1', 'c'], ['b2', 'd']]);
});

test('if a group fails, each of its calls runs alone, and only a call that fails again rejects', async () => {
  const { groups, call } = setUp();
  const results = Promise.allSettled(['a', 'b', 'c'].map(call));
  groups[0]?.end();
  await expect.poll(() => groups.length).toBe(2);
  groups[1]?.end(new Error('too large'));
  await expect.poll(() => groups.length).toBe(4);
  groups[2]?.end(new Error('broken'));
  groups[3]?.end();
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(groups.map(({ calls }) => calls)).toEqual([['a'], ['b', 'c'], ['b'], ['c']]);
});

test('the next group does not wait for calls of a failed one that run alone', async () => {
  const { groups, call } = setUp({ most: 2 });
  const results = ['a', 'b', 'c', 'd'].map(call);
  groups[0]?.end();
  await expect.poll(() => groups.length).toBe(2);
  groups[1]?.end(new Error('locked'));
  await expect.poll(() => groups.map(({ calls }) => calls)).toEqual([['a'], ['b', 'c'], ['b'], ['c'], ['d']]);
  groups[4]?.end();
  expect(await results[3]).toBe('d!');
  for (const { end } of groups) end();
  expect(await Promise.all(results)).toEqual(['a!', 'b!', 'c!', 'd!']);
});

test('several groups run at the same time, up to the bound', async () => {
  const { groups, call } = setUp({ atOnce: 2 });
  const results = ['a', 'b', 'c', 'd'].map(call);
  expect(groups.map(({ calls }) => calls)).toEqual([['a'], ['b']]);
  groups[1]?.end();
  await expect.poll(() => groups.map(({ calls }) => calls)).toEqual([['a'], ['b'], ['c', 'd']]);
  for (const { end } of groups) end();
  expect(await Promise.all(results)).toEqual(['a!', 'b!', 'c!', 'd!']);
});
