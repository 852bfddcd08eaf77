// The sockets from which a further socket of their user is copied.
import { expect, it } from 'vitest';
import { authorization } from '../test/support/subscriptions.ts';
import { copyAuthorizations } from './subscription-copy.ts';

const lookup = { feeds: [authorization('user:ann', 1), authorization('root:a', 1)], position: 'p' };
const socketWith = (feeds: readonly string[]) => ({ subscriptions: new Set(feeds) }) as never;

it('[ACL7] F8: copies only from a socket with the same feeds, and tries at most four', () => {
  const tried: unknown[] = [];
  const copyFrom = (subscribers: unknown[]) =>
    copyAuthorizations(lookup, subscribers as never[], (subscriber, _, authorized) => {
      tried.push(subscriber);
      return authorized;
    });
  const [fewer, more, same] = [socketWith(['a']), socketWith(['a', 'b', 'c']), socketWith(['a', 'b'])];
  expect(copyFrom([fewer, more])).toBeNull();
  expect(tried).toEqual([]);
  expect(copyFrom([fewer, more, same])?.feeds).toHaveLength(2);
  expect(tried).toEqual([same, same]);
  expect(copyFrom([fewer, fewer, more, more, same])).toBeNull();
});

it('[ACL7] F8: copies from the next socket if one feed of the first cannot be copied', () => {
  const [first, second] = [socketWith(['a', 'b']), socketWith(['a', 'b'])];
  const copyUnless = (isRefused: (subscriber: unknown, feed: string) => boolean) =>
    copyAuthorizations(lookup, [first, second], (subscriber, feed, authorized) =>
      isRefused(subscriber, feed) ? null : { ...authorized, seq: subscriber === first ? 11 : 12 },
    );
  expect(copyUnless(() => false)?.feeds.map(({ seq }) => seq)).toEqual([11, 11]);
  const copy = copyUnless((subscriber, feed) => subscriber === first && feed === 'root:a');
  expect(copy?.feeds.map(({ seq }) => seq)).toEqual([12, 12]);
  expect(copyUnless((_, feed) => feed === 'root:a')).toBeNull();
});
