// The checks of answers and pushes report faults. All other tests rely on them, and a check that
// passes everything would go unnoticed.
import { expect, test } from 'vitest';
import {
  conformingReply,
  expectConforming,
  faultsOfAck,
  faultsOfConnectError,
  faultsOfPush,
  faultsOfResponse,
  isSelective,
} from './conformance.ts';

const trace_id = '0'.repeat(32);
const TIME = '2026-01-05T08:00:00.000Z';
const ID = '01985f0e-3d10-7a11-9c4a-6e8f0a124b53';
const actor = { username: 'ann', email: 'ann@example.com' };
const diff = { batchId: null, actor, ts: TIME, nodes: [], links: [], access: [], user: [] };
const changed = { ok: true, diff, feeds: {}, trace_id };
const refused = { ok: false, error: 'not_found', message: 'No.', trace_id };

test('a declared answer has no fault', () => {
  expect(faultsOfAck('node:trash', changed)).toEqual([]);
  expect(faultsOfAck('node:trash', refused)).toEqual([]);
  expect(faultsOfResponse('POST', '/api/node/trash', 200, changed)).toEqual([]);
  expect(faultsOfResponse('POST', '/api/node/trash', 404, refused)).toEqual([]);
  expect(faultsOfResponse('GET', '/api/health', 200, { ok: true, status: 'up', trace_id })).toEqual([]);
  expect(faultsOfResponse('POST', '/api/logout', 200, { ok: true, trace_id })).toEqual([]);
});

test.each([
  ['an undeclared field', { ...changed, more: 1 }, 'more'],
  ['an undeclared inner field', { ...changed, diff: { ...diff, secret: 1 } }, 'secret'],
  ['a missing field', { ok: true, diff, trace_id }, 'feeds'],
  ['a value of another type', { ...changed, diff: { ...diff, ts: 'now' } }, 'diff.ts'],
  [
    'an entry of an undo',
    { ...changed, diff: { ...diff, nodes: [{ op: 1, before: {}, after: {}, title: '' }] } },
    'title',
  ],
  ['a refusal without a message', { ok: false, error: 'not_found', trace_id }, 'message'],
  ['a code of another call', { ...refused, error: 'conflict.cycle' }, 'conflict.cycle'],
  ['a code that does not exist', { ...refused, error: 'conflict.whatever' }, 'error'],
])('%s is a fault', (_what, body, named) => {
  expect(faultsOfAck('node:trash', body).join()).toContain(named);
  expect(faultsOfResponse('POST', '/api/node/trash', body.ok ? 200 : 404, body).join()).toContain(named);
});

test('[GEN3] another status than the code’s is a fault, and so is the success of an unknown route', () => {
  expect(faultsOfResponse('POST', '/api/node/trash', 400, refused).join()).toContain('status 400');
  expect(faultsOfResponse('POST', '/api/node/trash', 201, changed).join()).toContain('status 201');
  expect(faultsOfResponse('GET', '/api/nowhere', 200, changed).join()).toContain('no such route');
  expect(faultsOfResponse('GET', '/api/nowhere', 404, refused)).toEqual([]);
});

test('pushes and refused connections must fit their declarations', () => {
  expect(faultsOfPush('feeds:heads', { feeds: { [`user:${ID}`]: 1 } })).toEqual([]);
  expect(faultsOfPush('feeds:heads', { feeds: {}, more: 1 }).join()).toContain('more');
  expect(faultsOfPush('nonsense', {}).join()).toContain('not declared');
  expect(faultsOfConnectError(refused)).toEqual([]);
  expect(faultsOfConnectError({ message: 'No.' })).not.toEqual([]);
});

test('[EVT2] the fault of a union is that of the nearest form', () => {
  const slice = { ...diff, batchId: ID, feed: `user:${ID}`, seq: 1 };
  expect(faultsOfPush('graph:diff', slice)).toEqual([]);
  expect(faultsOfPush('graph:diff', { feed: `user:${ID}`, seq: 1, truncated: true })).toEqual([]);
  const [fault = ''] = faultsOfPush('graph:diff', { ...slice, secret: 1 });
  expect(fault).toContain('Unrecognized key: "secret"');
});

test('[NGET3] nodes may lack fields only if the call selects fields', () => {
  const page = { ok: true, hasMore: false, next: null, links: [], trace_id };
  const changes = { ...page, position: 'p', gone: { nodes: [], links: [] }, feeds: { gained: [], lost: [] } };
  const node = { id: ID, version: 1, title: 'Ship' };
  for (const [event, body] of [
    ['graph:get', { ...page, nodes: [node] }],
    ['node:get', { ok: true, nodes: [node], missing: [], feeds: {}, position: 'p', trace_id }],
    ['changes:get', { ...changes, nodes: [node] }],
  ] as const) {
    expect(faultsOfAck(event, body, true)).toEqual([]);
    expect(faultsOfAck(event, body)).not.toEqual([]);
    expect(faultsOfAck(event, { ...body, nodes: [{ ...node, title: 5 }] }, true).join()).toContain('title');
    expect(faultsOfAck(event, { ...body, nodes: [{ ...node, secret: 5 }] }, true).join()).toContain('secret');
    expect(faultsOfAck(event, { ...body, nodes: [{ id: ID, title: 'Ship' }] }, true).join()).toContain('version');
  }
  expect([isSelective({ fields: [] }), isSelective({}), isSelective(null)]).toEqual([true, false, false]);
});

test('replies of workers and their slices must fit their declarations', () => {
  const reply = { ok: true, body: { diff, feeds: {} } } as const;
  expect(conformingReply('node:trash', reply)).toBe(reply);
  expect(() => conformingReply('node:trash', { ok: true, body: { diff } })).toThrow('feeds');
  expect(() => conformingReply('node:trash', { ok: false, error: 'conflict.cycle', message: 'No.' })).toThrow(
    'not among',
  );
  const bare = { feed: `user:${ID}`, epoch: 1, seq: 1 };
  expect(() => expectConforming([{ ...bare, diff: { ...diff, batchId: ID } }])).not.toThrow();
  expect(() => expectConforming([{ ...bare, diff: { nodes: [] } }])).toThrow('graph:diff');
});
