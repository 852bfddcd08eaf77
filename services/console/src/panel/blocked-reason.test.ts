import { expect, test } from 'vitest';
import { AVAILABLE, type Task } from '../graph/task.ts';
import { main as arabic } from '../messages/ar/main.ts';
import { blockedReason } from './blocked-reason.ts';

const tasks = (number: number) =>
  Array.from({ length: number }, (_, at) => ({ title: `Step ${at + 1}`, status: AVAILABLE }) as Task);

test.each([
  [1, 'Blocked: complete “Step 1” first.'],
  [2, 'Blocked: complete “Step 1” and “Step 2” first.'],
  [7, 'Blocked: complete “Step 1”, “Step 2”, “Step 3”, “Step 4”, “Step 5”, and 2 more first.'],
])('[CON5] the reason of %i blockers names the first ones, and says how many others there are', (number, reason) => {
  expect(blockedReason(tasks(number))).toBe(reason);
});

test('[CON5 CON36] the Arabic reason has one conjunction before the number of the others', () => {
  const { cannotSet, more } = arabic.panel;
  expect(cannotSet(['«أ»', more(7)]).replace(/[\u2066-\u2069]/g, '')).toBe('متوقفة: أكمل أولًا «أ» و7 غيرها.');
});
