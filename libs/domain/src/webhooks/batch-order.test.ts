import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderBatches } from './batch-order.ts';

const place = (feed: string, seq: number, batch: string) => ({ feed, seq, batch });
const idsOf = (ordered: readonly { readonly batch: string }[]) => ordered.map(({ batch }) => batch);
const whole = () => true;

test('[HOOK6] a batch follows all batches that precede it in any feed', () => {
  // Listed by time and feed: y has the same time as x, and precedes it in the feed b.
  const places = [place('a', 1, 'x'), place('b', 1, 'y'), place('b', 2, 'x'), place('a', 2, 'z')];
  const since = new Map([
    ['a', 0],
    ['b', 0],
  ]);
  expect(idsOf(orderBatches(places, since, whole))).toEqual(['y', 'x', 'z']);
});

test('[HOOK6] nothing follows a number that is missing, or a batch that may be incomplete', () => {
  const places = [place('a', 1, 'x'), place('a', 3, 'z'), place('b', 1, 'y')];
  const since = new Map([
    ['a', 0],
    ['b', 0],
  ]);
  expect(idsOf(orderBatches(places, since, whole))).toEqual(['x', 'y']);
  expect(idsOf(orderBatches(places, since, (batch) => batch !== 'x'))).toEqual(['y']);
});

test('[HOOK6] any feeds of any batches are ordered completely', () => {
  const feeds = ['a', 'b', 'c'];
  const batches = fc.array(fc.subarray(feeds, { minLength: 1 }), { maxLength: 30 });
  fc.assert(
    fc.property(batches, fc.infiniteStream(fc.nat(3)), (commits, gaps) => {
      const heads = new Map(feeds.map((feed) => [feed, 0]));
      let time = 0;
      const places = commits.flatMap((of, index) => {
        time += gaps.next().value as number;
        return of.map((feed) => {
          heads.set(feed, (heads.get(feed) ?? 0) + 1);
          return { ...place(feed, heads.get(feed) as number, String(index)), time };
        });
      });
      const listed = [...places].sort(
        (one, other) => one.time - other.time || (one.feed < other.feed ? -1 : 1) || one.seq - other.seq,
      );
      const ordered = orderBatches(listed, new Map(feeds.map((feed) => [feed, 0])), whole);
      expect(ordered).toHaveLength(commits.length);
      for (const feed of feeds) {
        const seqs = ordered.flatMap((batch) => batch.places.filter((one) => one.feed === feed).map(({ seq }) => seq));
        expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
      }
    }),
  );
});
