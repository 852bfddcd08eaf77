import { expect, it } from 'vitest';
import { createBounded } from './bounded.ts';

it('does so much at once, the rest in its order, and refuses what would wait beyond the bound', async () => {
  const bounded = createBounded({ atOnce: 2, waiting: 2 });
  const [started, ends]: [number[], (() => void)[]] = [[], []];
  const work = (index: number) =>
    bounded(() => {
      started.push(index);
      return new Promise<number>((resolve) => ends.push(() => resolve(index)));
    });
  const results = [0, 1, 2, 3, 4].map(work);
  expect(await results[4]).toMatchObject({ code: 'unavailable' });
  expect(started).toEqual([0, 1]);
  ends[0]?.();
  await results[0];
  await expect.poll(() => started).toEqual([0, 1, 2]);
  ends[1]?.();
  ends[2]?.();
  await expect.poll(() => started).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  expect(await Promise.all(results.slice(0, 4))).toEqual([0, 1, 2, 3]);
});

it('hands its turn on when work fails', async () => {
  const bounded = createBounded({ atOnce: 1, waiting: 1 });
  const failing = bounded(() => Promise.reject(new Error('broken')));
  const next = bounded(async () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
  expect(await bounded(async () => 'again')).toBe('again');
});
