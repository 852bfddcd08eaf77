import { readFileSync } from 'node:fs';
import type { DiffEntry, Slice } from '@taskgraph/client';
import { Op } from '@taskgraph/wire/codes';
import { WEBHOOK_BODIES } from '@taskgraph/wire/webhooks/webhook-bodies';
import { expect, test } from 'vitest';
import { createSliceMessages } from './slice-messages.ts';

const HOOK = '01900000-0000-7000-8000-000000000009';
const id = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const feed = `user:${id(100)}`;

function slice(changes: Partial<Slice>): Slice {
  const actor = { username: 'ann', email: 'ann@example.org' };
  return { batchId: id(1), ts: '2026-12-01T08:00:00.000Z', actor, feed, seq: 7, nodes: [], links: [], ...changes };
}

const entry = (op: number, number: number, before: object = {}, after: object = {}): DiffEntry => ({
  op,
  before: { ...before },
  after: { id: id(number), ...after },
});
const typesOf = (message: ReturnType<ReturnType<typeof createSliceMessages>['of']>) =>
  message?.data.events.map((event) => `${event.type} ${Number(String(event.id).slice(-12))}`) ?? null;

test('[HOOK4 HOOK5] a slice becomes a message with its events, in the form of the service', () => {
  const nodes = [entry(Op.NODE_ADD, 1, {}, { title: 'a' }), entry(Op.NODE_STATUS, 2, { status: 0 }, { status: 3 })];
  const message = createSliceMessages(HOOK, []).of(slice({ nodes, links: [entry(Op.LINK_ADD, 3)] }));
  expect(WEBHOOK_BODIES['graph.changed'].parse(message)).toEqual(message);
  expect(typesOf(message)).toEqual(['node.added 1', 'node.completed 2', 'link.added 3']);
  expect(message?.data.feeds).toEqual({ [feed]: [6, 7] });
  expect(message?.data.batches).toMatchObject([{ batchId: id(1), actor: { username: 'ann' } }]);
});

test('[HOOK5] each operation on a node or a link has a type', () => {
  const codes = Object.entries(Op).filter(([name]) => /^(NODE|LINK)_/.test(name) && name !== 'NODE_STATUS');
  const text = readFileSync(new URL('./slice-messages.ts', import.meta.url), 'utf8');
  for (const [, code] of codes) expect(text).toMatch(new RegExp(`^ {2}${code}: '`, 'm'));
});

test.each([
  [0, 3, 'node.completed'],
  [3, 0, 'node.reopened'],
  [0, 2, 'node.blocked'],
  [2, 0, 'node.unblocked'],
  [3, 2, 'node.reopened'],
  [0, 1, 'node.changed'],
])('[HOOK5] a status from %i to %i is %s', (before, after, type) => {
  const nodes = [entry(Op.NODE_STATUS, 1, { status: before }, { status: after })];
  expect(typesOf(createSliceMessages(HOOK, []).of(slice({ nodes })))).toEqual([`${type} 1`]);
});

test('[HOOK5] what joins a feed or leaves it is an event', () => {
  const moved = { joined: { nodes: [id(1)], links: [id(2)] }, left: { nodes: [id(3)], links: [id(4)] } };
  const expected = ['node.joined 1', 'link.joined 2', 'node.left 3', 'link.left 4'];
  expect(typesOf(createSliceMessages(HOOK, []).of(slice(moved)))).toEqual(expected);
});

test('[HOOK5] filters select types and kinds, and a slice without events gives no message', () => {
  const nodes = [entry(Op.NODE_ADD, 1), entry(Op.NODE_UPDATE, 2)];
  const links = [entry(Op.LINK_ADD, 3)];
  const filtered = (...filters: string[]) => typesOf(createSliceMessages(HOOK, filters).of(slice({ nodes, links })));
  expect(filtered('node.added', 'link.*')).toEqual(['node.added 1', 'link.added 3']);
  expect(filtered('access.*')).toBeNull();
  expect(createSliceMessages(HOOK, []).of(slice({ batchId: null, nodes }))).toBeNull();
});

test('[HOOK5] an entity of a batch that several feeds have is in one message', () => {
  const messages = createSliceMessages(HOOK, []);
  const both = { nodes: [entry(Op.NODE_ADD, 1), entry(Op.NODE_ADD, 2)] };
  expect(typesOf(messages.of(slice({ nodes: [entry(Op.NODE_ADD, 1)] })))).toEqual(['node.added 1']);
  expect(typesOf(messages.of(slice({ ...both, feed: 'root:x' })))).toEqual(['node.added 2']);
  expect(messages.of(slice({ ...both, feed: 'root:y' }))).toBeNull();
  expect(typesOf(messages.of(slice({ ...both, batchId: id(5) })))).toHaveLength(2);
});
