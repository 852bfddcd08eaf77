import type { FeedState, LockedUser, NodeState } from '@taskgraph/domain/state/state';
import { emptyWorld, type World } from '@taskgraph/domain/state/world';
import { expect, test } from 'vitest';
import { type CachedWorld, type CommittedGroup, createGraphCache, type GraphCache } from './graph-cache.ts';

const ann: LockedUser = { id: 'ann', username: 'ann', email: 'ann@x', rev: 5, lastTs: 't5', seq: 7, epoch: 1 };
const FEED: FeedState = { id: 'root:n', ownerId: 'ann', seq: 3, epoch: 1, grants: 1, public: false };

function worldWith(feed: FeedState): World {
  const world = emptyWorld();
  world.feeds.set(feed.id, feed);
  return world;
}

/** A group of Ann's as it ends; by default it only read. */
function group(user: LockedUser, { loaded = emptyWorld(), left = emptyWorld(), bumps = false } = {}): CommittedGroup {
  const bumped = new Set(bumps ? ['ann'] : []);
  return {
    users: new Map([['ann', user]]),
    before: loaded,
    after: left,
    bumped,
    heads: new Map(bumps ? [['user:ann', 8]] : []),
    newest: new Map(bumps ? [['ann', 't6']] : []),
  };
}

const locked = (user: LockedUser) => new Map([[user.id, user]]);

function begin(graphCache: GraphCache, user = ann): CachedWorld {
  const cachedWorld = graphCache.openWorld();
  cachedWorld.beginDecision(locked(user));
  return cachedWorld;
}

const seen = (graphCache: GraphCache) => graphCache.openWorld().world.feeds.get('root:n');

test('a group finds data that another group read, and the owners to lock for it', () => {
  const graphCache = createGraphCache(1_000_000);
  begin(graphCache).store(group(ann, { loaded: worldWith(FEED) }));
  const { world, used, users } = graphCache.openWorld();
  expect(world.feeds.get('root:n')).toEqual(FEED);
  expect([...used]).toEqual(['ann']);
  expect(users(['ann'])?.get('ann')).toEqual(ann);
  expect(users(['ann', 'bob'])).toBeNull();
  expect(graphCache.bytes()).toBeGreaterThan(0);
});

test("a change moves its owner to the next revision, and the owner's other data stays cached", () => {
  const graphCache = createGraphCache(1_000_000);
  begin(graphCache).store(group(ann, { loaded: worldWith(FEED) }));
  begin(graphCache).store(group(ann, { bumps: true }));
  expect(graphCache.openWorld().users(['ann'])?.get('ann')).toEqual({ ...ann, rev: 6, lastTs: 't6', seq: 8 });
  expect(seen(graphCache)).toEqual(FEED);
});

test('an owner with another revision under the lock is removed from the cache', () => {
  const graphCache = createGraphCache(1_000_000);
  begin(graphCache).store(group(ann, { loaded: worldWith(FEED) }));
  graphCache.openWorld().beginDecision(locked({ ...ann, rev: 6 }));
  expect(seen(graphCache)).toBeUndefined();
});

test('an owner is removed if the database was restored to an earlier state, even with an equal revision', () => {
  const graphCache = createGraphCache(1_000_000);
  begin(graphCache).store(group(ann, { loaded: worldWith(FEED) }));
  graphCache.openWorld().beginDecision(locked({ ...ann, lastTs: 't4' }));
  expect(seen(graphCache)).toBeUndefined();
});

test('an owner is removed if another group cached data of theirs since this one was decided', () => {
  const graphCache = createGraphCache(1_000_000);
  begin(graphCache).store(group(ann));
  const changing = begin(graphCache);
  // Read before the change, and remembered after the decision: the change says nothing of it.
  begin(graphCache).store(group(ann, { loaded: worldWith(FEED) }));
  changing.store(group(ann, { bumps: true }));
  expect(seen(graphCache)).toBeUndefined();
  expect(graphCache.openWorld().users(['ann'])).toBeNull();
});

test('a group in progress removes data that another cached meanwhile at an earlier revision', () => {
  const graphCache = createGraphCache(1_000_000);
  const early = begin(graphCache);
  // Another worker has changed something since, and this group has locked the result.
  const later = { ...ann, rev: 7, lastTs: 't7' };
  const late = begin(graphCache, later);
  early.store(group(ann, { loaded: worldWith(FEED), bumps: true }));
  late.beginDecision(locked(later));
  expect(late.world.feeds.get('root:n')).toBeUndefined();
  late.store(group(later));
  expect(seen(graphCache)).toBeUndefined();
});

test('a growing node uses more memory', () => {
  const graphCache = createGraphCache(1_000_000);
  const keep = (description: string) => {
    const left = emptyWorld();
    const node = { id: 'n', ownerId: 'ann', title: '', description, tags: [], assignee: [] } as Partial<NodeState>;
    left.nodes.set('n', node as NodeState);
    const user = graphCache.openWorld().users(['ann'])?.get('ann') ?? ann;
    begin(graphCache, user).store(group(user, { left }));
    return graphCache.bytes();
  };
  const small = keep('');
  expect(keep('a'.repeat(10_000)) - small).toBeGreaterThanOrEqual(20_000);
  expect(keep('')).toBe(small);
});

test('a feed is cached with the last number that the group assigned', () => {
  const graphCache = createGraphCache(1_000_000);
  const done = group(ann, { loaded: worldWith(FEED), bumps: true });
  begin(graphCache).store({ ...done, heads: new Map([['root:n', 4]]) });
  expect(seen(graphCache)).toEqual({ ...FEED, seq: 4 });
});

test('it stays within its size limit, and is empty at a limit of 0', () => {
  const small = createGraphCache(60_000);
  const feeds = emptyWorld();
  for (let at = 0; at < 1_000; at++) feeds.feeds.set(`root:${at}`, { ...FEED, id: `root:${at}` });
  begin(small).store(group(ann, { loaded: feeds }));
  expect(small.bytes()).toBeGreaterThan(0);
  expect(small.bytes()).toBeLessThanOrEqual(60_000);
  const none = createGraphCache(0);
  begin(none).store(group(ann, { loaded: worldWith(FEED) }));
  expect(seen(none)).toBeUndefined();
});
