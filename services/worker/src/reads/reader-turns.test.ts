// The choice of the next reader, with reads that the test ends by hand.
import { isRefusal } from '@taskgraph/wire/errors';
import { describe, expect, test } from 'vitest';
import { createReaderTurns } from './reader-turns.ts';

function setUp({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const clock = { ms: 0, work: 0 };
  const turns = createReaderTurns({ atOnce, waiting, nowMs: () => clock.ms, otherWork: () => clock.work });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string, bytes = 0, isSmall = false) =>
    turns.take(name.slice(0, 1), {
      work: () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      bytesOf: () => bytes,
      isSmall,
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, turns, started, take, end };
}

const none = () => 0;
const PAGE_BYTES = 4 * 1024 * 1024;

describe('turns of readers', () => {
  test('one reader has at most a quarter of the concurrent reads, for any number of requests', async () => {
    const { turns, started, take } = setUp({ atOnce: 8, waiting: 100 });
    for (let read = 0; read < 10; read++) void take(`a${read}`);
    expect(started).toEqual(['a0', 'a1']);
    expect(turns.waiting()).toBe(8);
    void take('b0');
    expect(started).toEqual(['a0', 'a1', 'b0']);
  });

  test("waiting readers take turns, and each reader's reads keep their order", async () => {
    const { started, take, end } = setUp({ atOnce: 1, waiting: 100 });
    for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) void take(name);
    for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1']) await end(name);
    expect(started).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1']);
  });

  test('beyond a tenth of the queue one reader is refused, and others are not', async () => {
    const { turns, take } = setUp({ atOnce: 4, waiting: 20 });
    for (let read = 0; read < 3; read++) void take(`a${read}`);
    expect(turns.waiting()).toBe(2);
    expect(isRefusal(await take('a3'))).toBe(true);
    for (let reader = 0; reader < 3; reader++) void take(`b${reader}`);
    expect(turns.waiting()).toBe(4);
  });

  test('beyond the whole queue every reader is refused, and a failed read passes on its turn', async () => {
    const turns = createReaderTurns({ atOnce: 1, waiting: 1, nowMs: () => 0, otherWork: () => 0 });
    let fail = (_: Error) => {};
    const failing = turns.take('a', { work: () => new Promise((_, reject) => (fail = reject)), bytesOf: none });
    const waiting = turns.take('b', { work: async () => 'b', bytesOf: none });
    expect(isRefusal(await turns.take('c', { work: async () => 'c', bytesOf: none }))).toBe(true);
    fail(new Error('a bug'));
    await expect(failing).rejects.toThrow('a bug');
    expect(await waiting).toBe('b');
    expect(turns.waiting()).toBe(0);
  });

  test('heavy readers share an eighth of the concurrent reads, and others have the rest', async () => {
    const { clock, turns, started, take, end } = setUp({ atOnce: 8, waiting: 100 });
    for (const reader of ['a', 'b', 'c']) void take(`${reader}0`, PAGE_BYTES);
    for (const reader of ['a', 'b', 'c']) await end(`${reader}0`);
    for (const read of ['a1', 'b1', 'c1', 'a2']) void take(read, PAGE_BYTES);
    for (const read of ['d0', 'd1', 'e0']) void take(read);
    expect(started.slice(3)).toEqual(['a1', 'd0', 'd1', 'e0']);
    expect([turns.waiting(), turns.waitingHeavy()]).toEqual([3, 3]);
    // They take turns, and go on one after the other.
    for (const name of ['a1', 'b1', 'c1']) await end(name);
    expect(started.slice(7)).toEqual(['b1', 'c1', 'a2']);
    await end('a2');
    clock.ms = 30_000;
    for (const read of ['a3', 'b2']) void take(read);
    expect(started.slice(10)).toEqual(['a3', 'b2']);
  });

  test('if other readers wait, heavy readers pause for three times as long as their page took', async () => {
    const { clock, started, take, end } = setUp({ atOnce: 8, waiting: 100 });
    for (const reader of ['a', 'b']) void take(`${reader}0`, 2 * PAGE_BYTES);
    for (const reader of ['a', 'b']) await end(`${reader}0`);
    for (const read of ['a1', 'b1', 'a2']) void take(read, PAGE_BYTES);
    clock.ms = 50;
    await end('a1');
    // There was no other reader.
    expect(started.slice(2)).toEqual(['a1', 'b1']);
    clock.ms = 100;
    clock.work++;
    const endedAt = performance.now();
    await end('b1');
    void take('c0');
    expect(started.slice(4)).toEqual(['c0']);
    await expect.poll(() => started.slice(5), { interval: 5 }).toEqual(['a2']);
    expect(performance.now() - endedAt).toBeGreaterThan(140);
  });

  test('a reader who waited long for small pages is not a heavy reader', async () => {
    const { clock, started, take, end } = setUp({ atOnce: 8, waiting: 100 });
    for (const reader of ['a', 'b']) void take(`${reader}0`, 1_000);
    clock.ms = 20_000;
    for (const reader of ['a', 'b']) await end(`${reader}0`);
    for (const read of ['a1', 'b1']) void take(read);
    expect(started.slice(2)).toEqual(['a1', 'b1']);
  });

  test('small reads of one reader that wait take a turn together, at most four', async () => {
    const { turns, started, take, end } = setUp({ atOnce: 4, waiting: 100 });
    const small = (name: string) => void take(name, 0, true);
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4', 'a5']) small(name);
    expect(started).toEqual(['a0']);
    await end('a0');
    expect(started.slice(1)).toEqual(['a1', 'a2', 'a3', 'a4']);
    // The turn lasts until its last read has ended.
    for (const name of ['a4', 'a1', 'a2']) await end(name);
    expect(turns.waiting()).toBe(1);
    await end('a3');
    expect(started.slice(5)).toEqual(['a5']);
  });

  test('a small read does not pass a page of its reader, and those of heavy readers go alone', async () => {
    const { started, take, end } = setUp({ atOnce: 4, waiting: 100 });
    void take('a0', PAGE_BYTES);
    for (const name of ['a1', 'a2']) void take(name, 0, true);
    void take('a3', PAGE_BYTES);
    for (const name of ['a4', 'a5', 'b0']) void take(name, 0, true);
    expect(started).toEqual(['a0', 'b0']);
    await end('a0');
    // The page made its reader heavy.
    expect(started.slice(2)).toEqual(['a1']);
    for (const name of ['a1', 'a2', 'a3', 'a4']) await end(name);
    expect(started.slice(3)).toEqual(['a2', 'a3', 'a4', 'a5']);
  });

  test('a small read joins no turn of a page, and a page none of small reads', async () => {
    const { started, take, end } = setUp({ atOnce: 4, waiting: 100 });
    for (const name of ['a0', 'a1']) void take(name);
    for (const name of ['a2', 'a3']) void take(name, 0, true);
    void take('a4');
    await end('a0');
    expect(started).toEqual(['a0', 'a1']);
    await end('a1');
    expect(started.slice(2)).toEqual(['a2', 'a3']);
    for (const name of ['a2', 'a3']) await end(name);
    expect(started.slice(4)).toEqual(['a4']);
  });
});
