// Parsing plans: the bundled example, and a file in PSPLIB's format.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { predecessorCounts, readPlan, topologicalOrder } from './plan.ts';

const SMALL = `
PRECEDENCE RELATIONS:
jobnr.    #modes  #successors   successors
   1        1          2           2   3
   2        1          1           4
   3        1          1           4
   4        1          0
************
REQUESTS/DURATIONS:
jobnr. mode duration  R 1
------------------------
  1      1     0       0
  2      1     8       4
  3      1     4      10
  4      1     0       0
************
`;

async function planIn(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'plan-'));
  try {
    await writeFile(join(folder, 'small.sm'), text);
    return await readPlan(join(folder, 'small.sm'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a PSPLIB file gives jobs with durations and successors', async () => {
  const plan = await planIn(SMALL);
  expect(plan.jobs).toHaveLength(4);
  expect(plan.jobs[1]).toEqual({ number: 2, title: 'Job 2', duration: 8, successors: [4] });
  expect(predecessorCounts(plan).get(4)).toBe(2);
  expect(topologicalOrder(plan)).toEqual([1, 2, 3, 4]);
});

test('an invalid file is rejected with the line', async () => {
  await expect(planIn(SMALL.replace('2   3', '2'))).rejects.toThrow('line 4: job 1 names 1 successors, not 2');
});

test('the bundled example is a plan', async () => {
  const plan = await readPlan(fileURLToPath(new URL('../../../examples/website-launch.json', import.meta.url)));
  expect(topologicalOrder(plan)).toHaveLength(10);
});

test('a plan with a cycle of jobs is rejected', () => {
  const circle = { name: 'circle', jobs: [job(1, [2]), job(2, [1])] };
  expect(topologicalOrder(circle)).toEqual([]);
});

function job(number: number, successors: number[]) {
  return { number, title: '', duration: 1, successors };
}
