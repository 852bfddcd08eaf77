import { randomBytes } from 'node:crypto';
import { decompressJson } from '@taskgraph/bus/requests/compressed-json';
import type { RawReply } from '@taskgraph/bus/requests/raw-reply';
import { expect, test } from 'vitest';
import { CachedPage, createPageCache, type PageRequest } from './page-cache.ts';

const page = (text: string) => Buffer.from(JSON.stringify({ text }));

/** A page of which everything can be changed, and how often it was made. */
function asked(change: Partial<PageRequest> = {}, owners = ['ann'], text = 'a') {
  const made = { count: 0 };
  const question: PageRequest = {
    reader: 'ann',
    key: ['graph', 'ann'],
    access: { level: 1 },
    owners: ['ann'],
    acceptsCompressed: false,
    etags: [],
    revisions: async (ids) => new Map(ids.map((id) => [id, 1])),
    async make() {
      made.count++;
      return { pieces: [page(text)], owners: new Set(owners) };
    },
    ...change,
  };
  return { question, made };
}

async function textOf(reply: RawReply) {
  if ('json' in reply) return { form: 'plain', text: String(Buffer.from(reply.json)) };
  return { form: 'compressed', text: String(Buffer.concat(await decompressJson(reply.compressed))) };
}

test('[EVT3] a page is served from the cache while nothing changes', async () => {
  const cache = createPageCache(100_000);
  const { question, made } = asked();
  const first = await cache.get(question);
  expect(await cache.get(question)).toBe(first);
  expect([made.count, cache.counts()]).toEqual([1, { hits: 1, misses: 1 }]);
});

test.each<[string, Partial<PageRequest>]>([
  ['the request', { key: ['graph', 'bob'] }],
  ['access', { access: { level: 2 } }],
  ['the revision of an owner', { revisions: async (ids) => new Map(ids.map((id) => [id, 2])) }],
])('[ACL1 EVT3] a page is read again if %s differs', async (_, change) => {
  const cache = createPageCache(100_000);
  await cache.get(asked().question);
  const { question, made } = asked(change, ['ann'], 'b');
  expect((await cache.get(question)).reply).toMatchObject({ json: page('b') });
  expect(made.count).toBe(1);
});

test.each<[string, Partial<PageRequest>]>([
  ['access', { access: { level: 2 } }],
  ['the revision of an owner', { revisions: async (ids) => new Map(ids.map((id) => [id, 2])) }],
])('[ZIP2 ACL1 EVT3] a compressed page is read again if %s differs, and gets another etag', async (_, change) => {
  const cache = createPageCache(100_000);
  const first = await cache.get(asked({ acceptsCompressed: true }, ['ann'], 'a'.repeat(9_000)).question);
  const { question, made } = asked({ ...change, acceptsCompressed: true }, ['ann'], 'b'.repeat(9_000));
  const { reply } = await cache.get(question);
  expect(await textOf(reply)).toEqual({ form: 'compressed', text: String(page('b'.repeat(9_000))) });
  expect([made.count, reply.etag === first.reply.etag]).toEqual([1, false]);
});

test('[ZIP2] a long page is compressed once, and the cache counts its compressed bytes', async () => {
  const cache = createPageCache(100_000);
  const text = 'a task of the plan '.repeat(10_000);
  const { question } = asked({ acceptsCompressed: true }, ['ann'], text);
  const { reply } = await cache.get(question);
  if (!('compressed' in reply)) throw new Error('it is not compressed');
  expect(reply.compressed.length).toBeGreaterThan(text.length);
  expect(cache.bytes()).toBeLessThan(10_000);
  expect((await cache.get(question)).reply).toBe(reply);
  const { reply: plain } = await cache.get(asked({ key: ['graph', 'bob'], acceptsCompressed: true }).question);
  expect(plain).not.toHaveProperty('compressed');
});

test('[ZIP2] each requester gets its own form of a cached page, with one etag, and the shorter one stays', async () => {
  const cache = createPageCache(1_000_000);
  const text = 'a task of the plan '.repeat(10_000);
  const { question, made } = asked({}, ['ann'], text);
  const forms: unknown[] = [];
  for (const acceptsCompressed of [false, true, false, true]) {
    const { reply } = await cache.get({ ...question, acceptsCompressed });
    forms.push([(await textOf(reply)).form, (await textOf(reply)).text === String(page(text)), reply.etag]);
  }
  const { etag } = (await cache.get(question)).reply;
  expect(forms).toEqual(['plain', 'compressed', 'plain', 'compressed'].map((form) => [form, true, etag]));
  expect([made.count, cache.counts(), cache.bytes() < 10_000]).toEqual([1, { hits: 4, misses: 1 }, true]);
});

test('[ZIP2] a requester that has the page gets it unconverted, since only its etag is sent', async () => {
  const cache = createPageCache(1_000_000);
  const { question } = asked({ acceptsCompressed: true }, ['ann'], 'a task of the plan '.repeat(10_000));
  const { reply } = await cache.get(question);
  expect(reply).toHaveProperty('compressed');
  const { etag } = reply;
  expect((await cache.get({ ...question, acceptsCompressed: false, etags: ['other', etag] })).reply).toBe(reply);
  // Nor is it compressed when the cache no longer has it.
  const cold = await createPageCache(0).get({ ...question, etags: [etag] });
  expect([cold.reply.etag, 'json' in cold.reply]).toEqual([etag, true]);
});

test('[ZIP2] a page that cannot be compressed for want of memory stays plain', async () => {
  const pieces = [page('a'.repeat(9_000))];
  const form = { acceptsCompressed: true, etags: [] };
  const fail = () => Promise.reject(new Error('out of memory'));
  const plain = await CachedPage.of(pieces, form, fail);
  expect(await textOf(plain.reply)).toEqual({ form: 'plain', text: String(pieces[0]) });
  expect(await plain.inForm(form, fail)).toBe(plain);
  expect((await textOf((await plain.inForm(form)).reply)).form).toBe('compressed');
});

test('[ZIP2] a page with a public token stays plain, so that its length does not reveal the token', async () => {
  const cache = createPageCache(100_000);
  const nodes = [{ title: 'x'.repeat(9_000), publicToken: 'q3Zc0pVtXw8Hn1sYb6KdRg' }];
  const make = async () => ({ pieces: [Buffer.from(JSON.stringify({ nodes }))], owners: new Set(['ann']) });
  for (const { question } of [asked({ make, acceptsCompressed: true }), asked({ make, acceptsCompressed: true })])
    expect((await cache.get(question)).reply).not.toHaveProperty('compressed');
  const open = nodes.map((node) => ({ ...node, publicToken: null }));
  const makeOpen = async () => ({ pieces: [Buffer.from(JSON.stringify({ open }))], owners: new Set(['ann']) });
  expect(
    (await cache.get(asked({ key: ['open'], make: makeOpen, acceptsCompressed: true }).question)).reply,
  ).toHaveProperty('compressed');
});

test('[EVT3] a page with unexpected owners is cached from the second time on, because its owners are then read first', async () => {
  const cache = createPageCache(100_000);
  const { question, made } = asked({}, ['ann', 'bob']);
  for (let times = 0; times < 4; times++) await cache.get(question);
  expect(made.count).toBe(2);
  // Now Bob's revision counts as well.
  const bobs = asked({ revisions: async (ids) => new Map(ids.map((id) => [id, id === 'bob' ? 2 : 1])) }, [
    'ann',
    'bob',
  ]);
  await cache.get(bobs.question);
  expect(bobs.made.count).toBe(1);
});

test('[EVT3] a page of a deleted owner is not cached', async () => {
  const cache = createPageCache(100_000);
  const { question, made } = asked({ revisions: async () => new Map() });
  for (let times = 0; times < 3; times++) await cache.get(question);
  expect(made.count).toBe(3);
});

test('[GEN11] the cache stays within its byte limit, and evicts the least recently used page first', async () => {
  const cache = createPageCache(11_000);
  const one = (id: number) => asked({ reader: `${id}`, key: [id] }, ['ann'], 'x'.repeat(1_000));
  for (const id of [1, 2, 4, 5]) await cache.get(one(id).question);
  expect(cache.bytes()).toBeGreaterThan(9_000);
  await cache.get(one(1).question);
  await cache.get(one(3).question);
  expect(cache.bytes()).toBeLessThanOrEqual(11_000);
  const [first, second] = [one(1), one(2)];
  await cache.get(first.question);
  await cache.get(second.question);
  expect([first.made.count, second.made.count]).toEqual([0, 1]);
});

test('[GEN11] one reader uses at most a quarter of the cache, and evicts no pages of others', async () => {
  const cache = createPageCache(16_000);
  const one = (reader: string, id: number) => asked({ reader, key: [reader, id] }, ['ann'], 'x'.repeat(100));
  await cache.get(one('bob', 0).question);
  for (let id = 0; id < 100; id++) await cache.get(one('eve', id).question);
  expect(cache.bytes()).toBeLessThan(6_000);
  const [bobs, first, last] = [one('bob', 0), one('eve', 0), one('eve', 99)];
  for (const { question } of [bobs, last, first]) await cache.get(question);
  expect([bobs, first, last].map(({ made }) => made.count)).toEqual([0, 1, 0]);
});

test.each([
  ['longer than a quarter of the cache', ['ann'], randomBytes(60_000).toString('base64')],
  ['of too many owners', Array.from({ length: 101 }, (_, index) => `user ${index}`), 'a'],
])('[GEN11] a page %s is not cached', async (_, owners, text) => {
  const cache = createPageCache(200_000);
  const { question, made } = asked({ owners }, owners, text);
  for (let times = 0; times < 3; times++) await cache.get(question);
  expect([made.count, cache.bytes()]).toEqual([3, 0]);
});

test('[GEN11] a page retains only the counted memory: short pages would otherwise retain their pool', async () => {
  const cache = createPageCache(100_000);
  const { reply } = await cache.get(asked().question);
  expect(reply.encoded?.buffer.byteLength).toBe(reply.encoded?.length);
});

test('[EVT3] a failed page leaves no cache entry', async () => {
  const cache = createPageCache(4_000);
  await expect(cache.get(asked({ make: () => Promise.reject(new Error('away')) }).question)).rejects.toThrow('away');
  expect(cache.bytes()).toBe(0);
});
