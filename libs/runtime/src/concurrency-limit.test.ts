import { expect, it } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

it("runs a bounded number of tasks, queues others in order, and rejects those beyond the queue's bound", async () => {
  const limited = createConcurrencyLimit({ atOnce: 2, waiting: 2 });
  const [started, ends]: [number[], (() => void)[]] = [[], []];
  const work = (index: number) =>
    limited(() => {
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

it('starts the next task when one fails', async () => {
  const limited = createConcurrencyLimit({ atOnce: 1, waiting: 1 });
  const failing = limited(() => Promise.reject(new Error('broken')));
  const next = limited(async () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
  expect(await limited(async () => 'again')).toBe('again');
});
