// Rules: ACL7, LONG1.
import { expect, test } from 'vitest';
import { createSharedReads, type SharedReads } from './shared-reads.ts';

/** A read whose answer the test decides. */
interface Started {
  readonly key: string;
  readonly answer: (text: string) => void;
}

function setUp(most: number, mostOfUser: number) {
  const reads: SharedReads<string> = createSharedReads(most, mostOfUser);
  const started: Started[] = [];
  const ask = (user: string, key: string, isWanted = () => true) =>
    reads.read({ user, key, isWanted }, () => {
      return new Promise<string>((resolve) => {
        started.push({ key, answer: resolve });
      });
    });
  /** Answers a read in progress, and runs everything that follows. */
  const answer = async (key: string, text = key) => {
    const at = started.findIndex((one) => one.key === key);
    started.splice(at, 1)[0]?.answer(text);
    await turn();
  };
  return { reads, ask, answer, keys: () => started.map(({ key }) => key) };
}

const turn = () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve)));

test('[LONG1] a bounded number of reads runs at once; the others follow in order, without those that nobody wants', async () => {
  const { ask, answer, keys } = setUp(2, 2);
  let wants = true;
  const outcomes = [0, 1, 2, 3, 4].map((number) => ask(`user ${number}`, `${number}`, () => number !== 2 || wants));
  await turn();
  expect(keys()).toEqual(['0', '1']);
  wants = false;
  await answer('0');
  expect(keys()).toEqual(['1', '3']);
  await answer('1');
  expect(keys()).toEqual(['3', '4']);
  await answer('3');
  await answer('4');
  expect(await Promise.all(outcomes)).toEqual(['0', '1', null, '3', '4']);
});

test('[LONG1] the reads of one user leave room for those of others', async () => {
  const { ask, answer, keys } = setUp(3, 2);
  for (const key of ['ann 1', 'ann 2', 'ann 3', 'bob 1']) void ask(key.slice(0, 3), key);
  await turn();
  expect(keys()).toEqual(['ann 1', 'ann 2', 'bob 1']);
  await answer('bob 1');
  expect(keys()).toEqual(['ann 1', 'ann 2']);
  await answer('ann 1');
  expect(keys()).toEqual(['ann 2', 'ann 3']);
});

test('[LONG1 ACL7] calls share a read that has not begun, and none joins a read in progress', async () => {
  const { ask, answer, keys } = setUp(1, 1);
  const [first, second] = [ask('ann', 'same'), ask('ann', 'same')];
  await turn();
  const [third, fourth] = [ask('ann', 'same'), ask('ann', 'same', () => false)];
  await turn();
  expect(keys()).toEqual(['same']);
  await answer('same', 'old');
  expect(keys()).toEqual(['same']);
  await answer('same', 'new');
  expect(await Promise.all([first, second, third, fourth])).toEqual(['old', 'old', 'new', 'new']);
  expect(keys()).toEqual([]);
});

test('[LONG1] a failed read fails the calls that share it, and the next one begins', async () => {
  const reads = createSharedReads<string>(1, 1);
  const request = (key: string) => ({ user: 'ann', key, isWanted: () => true });
  const failed = [1, 2].map(() => reads.read(request('a'), () => Promise.reject(new Error('no answer'))));
  const next = reads.read(request('b'), async () => 'b');
  for (const one of failed) await expect(one).rejects.toThrow('no answer');
  expect(await next).toBe('b');
});
