// The queue that concurrent claims share: fresh lists, other nodes for each claim, and its end.
import { createIdFactory } from '@taskgraph/runtime/ids';
import { refuse } from '@taskgraph/wire/errors';
import { describe, expect, test } from 'vitest';
import { ClaimQueue } from './claim-queue.ts';

/** A queue over a list that tests change, with the number of its reads. */
function createQueue(nodes: readonly string[], partLength = 2) {
  const source = { nodes: [...nodes], opened: 0, nowMs: 0 };
  const open = async () => {
    source.opened++;
    const list = [...source.nodes];
    return {
      async next() {
        return list.length === 0 ? null : list.splice(0, partLength);
      },
    };
  };
  return { source, queue: new ClaimQueue({ open, nowMs: () => source.nowMs }) };
}

describe('[CLAIM1] a claim that is alone', () => {
  test('reads the list again, so that it gets the first node', async () => {
    const { source, queue } = createQueue(['a', 'b']);
    const first = queue.openCursor();
    expect(await first.next(1)).toEqual(['a']);
    first.close();
    source.nodes = ['new', 'a', 'b'];
    const second = queue.openCursor();
    expect([await second.next(1), await second.next(8), source.opened]).toEqual([['new'], ['a', 'b'], 2]);
    second.close();
  });

  test('gets nothing at the end of a list that was read after its arrival', async () => {
    const { source, queue } = createQueue([]);
    const cursor = queue.openCursor();
    expect([await cursor.next(1), source.opened]).toEqual([[], 1]);
  });
});

describe('[CLAIM2] claims beside each other', () => {
  test('share one list and get other nodes', async () => {
    const names = Array.from({ length: 64 }, (_, index) => `node-${index}`);
    const { source, queue } = createQueue(names, 10);
    const cursors = names.map(() => queue.openCursor());
    const given = await Promise.all(cursors.map((cursor) => cursor.next(1)));
    expect(given.flat()).toEqual(names);
    expect(source.opened).toBe(1);
  });

  test('get a node of another claim only at the end of a new list', async () => {
    const { source, queue } = createQueue(['a']);
    const [one, two] = [queue.openCursor(), queue.openCursor()];
    expect([await one.next(1), await two.next(1)]).toEqual([['a'], ['a']]);
    // The first list was read after both had arrived.
    expect(source.opened).toBe(1);
    expect([await two.next(1), await one.next(1)]).toEqual([[], []]);
    const late = queue.openCursor();
    expect([await late.next(1), source.opened]).toEqual([['a'], 2]);
  });

  test('find a node again that a claim gave back, in a list that is read after that', async () => {
    const { source, queue } = createQueue(['a', 'b']);
    const [one, two] = [queue.openCursor(), queue.openCursor()];
    expect(await one.next(1)).toEqual(['a']);
    one.close();
    source.nowMs = 2_000;
    const three = queue.openCursor();
    expect([await three.next(1), await two.next(1), source.opened]).toEqual([['a'], ['b'], 2]);
  });

  test('reuse a list for a moment, and no longer', async () => {
    const { source, queue } = createQueue(['a', 'b', 'c']);
    const holder = queue.openCursor();
    await holder.next(1);
    source.nodes = ['first', 'a', 'b', 'c'];
    const early = queue.openCursor();
    expect([await early.next(1), source.opened]).toEqual([['b'], 1]);
    source.nowMs = 2_000;
    const late = queue.openCursor();
    expect([await late.next(1), source.opened]).toEqual([['first'], 2]);
  });

  test('go on with a list while the next one is read', async () => {
    const { source, queue } = createQueue(['a', 'b', 'c']);
    await queue.openCursor().next(1);
    source.nodes = ['first', 'a', 'b', 'c'];
    source.nowMs = 1_000;
    expect([await queue.openCursor().next(1), source.opened]).toEqual([['b'], 2]);
    expect([await queue.openCursor().next(1), source.opened]).toEqual([['first'], 2]);
  });
});

test('[CLAIM1] a claim skips the owners whose locks it did not get, and others take their nodes last', async () => {
  const newId = createIdFactory();
  const [first, second, other] = [newId(1), newId(1), newId(2)];
  const { source, queue } = createQueue([first, second, other]);
  const [one, two] = [queue.openCursor(), queue.openCursor()];
  expect(await one.next(1)).toEqual([first]);
  one.skipOwners([first]);
  expect([await one.next(1), await one.next(1)]).toEqual([[other], []]);
  one.close();
  source.nowMs = 2_000;
  expect([await two.next(1), await two.next(1), await two.next(1)]).toEqual([[other], [first], [second]]);
  two.close();
  source.nowMs = 7_000;
  expect(await queue.openCursor().next(1)).toEqual([first]);
});

test('[DRY1] a dry run gives nothing away', async () => {
  const { queue } = createQueue(['a', 'b', 'c']);
  const dry = queue.openCursor({ isDry: true });
  expect(await dry.next(1)).toEqual(['a']);
  const claim = queue.openCursor();
  expect([await claim.next(1), await dry.next(1)]).toEqual([['a'], ['b']]);
});

test('a refusal of the read reaches every claim that waits for it, and no later one', async () => {
  let opened = 0;
  const refusal = refuse('not_found', 'There is no such node.');
  const queue = new ClaimQueue({
    open: async () => (opened++ === 0 ? refusal : { next: async () => null }),
  });
  const [one, two] = [queue.openCursor(), queue.openCursor()];
  expect(await Promise.all([one.next(1), two.next(1)])).toEqual([refusal, refusal]);
  expect(await queue.openCursor().next(1)).toEqual([]);
});

test('a claim that is answered while it waits for the list leaves its nodes to others', async () => {
  const { source, queue } = createQueue(['a']);
  const [gone, other] = [queue.openCursor(), queue.openCursor()];
  const late = gone.next(1);
  gone.close();
  expect(await late).toEqual(['a']);
  source.nowMs = 2_000;
  expect(await other.next(1)).toEqual(['a']);
});

test('a list that fails leaves the nodes that it had given before', async () => {
  const parts = [['a'], new Error('broken'), ['a'], null];
  const next = async () => {
    const part = parts.shift() ?? null;
    if (part instanceof Error) throw part;
    return part;
  };
  const queue = new ClaimQueue({ open: async () => ({ next }) });
  const [first, second] = [queue.openCursor(), queue.openCursor()];
  await expect(first.next(2)).rejects.toThrow('broken');
  first.close();
  const third = queue.openCursor();
  second.close();
  expect(await third.next(1)).toEqual(['a']);
});
