import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function queueOf(items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.push(item.charAt(0), item);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

test('keys take turns, and the items of one key keep their order', () => {
  const queue = queueOf(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']);
  expect(queue.size).toBe(6);
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.size).toBe(0);
});

test('a served key comes after all others, also if it was taken out of turn', () => {
  const queue = queueOf(['a1', 'a2', 'b1', 'c1', 'c2']);
  expect(queue.shiftOf('c')).toBe('c1');
  expect([...queue.keys()]).toEqual(['a', 'b', 'c']);
  expect(queue.shiftOf('b')).toBe('b1');
  expect(queue.shiftOf('b')).toBeUndefined();
  expect(queue.sizeOf('b')).toBe(0);
  expect(drain(queue)).toEqual(['a1', 'c2', 'a2']);
});

test('returned items precede all others of their key, and their keys all other keys', () => {
  const queue = queueOf(['a2', 'b1', 'c2']);
  queue.pushFront(
    new Map([
      ['c', ['c0', 'c1']],
      ['d', ['d1']],
    ]),
  );
  expect(queue.size).toBe(6);
  expect(drain(queue)).toEqual(['c0', 'd1', 'a2', 'b1', 'c1', 'c2']);
});
