// The calls of docs/interface.md: routes, events, required fields, defaults and bounds.
import { composeId } from '@taskgraph/wire/ids';
import { operationOf, socketOperations } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { describe, expect, test } from 'vitest';

const id = composeId(7, 1_700_000_000_000, 1, new Uint8Array(6));
const other = composeId(7, 1_700_000_000_000, 2, new Uint8Array(6));
const time = '2030-01-01T00:00:00.000Z';
const email = 'bob@example.com';

function parse(event: string, raw: object): unknown {
  const operation = operationOf(event);
  if (operation === undefined) throw new Error(`there is no ${event}`);
  return parsePayload(operation, raw);
}

test.each([
  ['GET /api/graph', 'graph:get'],
  ['GET /api/trash', 'trash:page'],
  ['GET /api/history', 'history:page'],
  ['POST /api/node', 'node:add'],
  ['PUT /api/node', 'node:update'],
  ['POST /api/node/trash', 'node:trash'],
  ['POST /api/node/restore', 'node:restore'],
  ['DELETE /api/node', 'node:delete'],
  ['POST /api/node/public', 'node:publish'],
  ['PUT /api/node/public', 'node:publish:update'],
  ['DELETE /api/node/public', 'node:unpublish'],
  ['POST /api/node/access', 'node:access'],
  ['PUT /api/node/access', 'node:access:update'],
  ['DELETE /api/node/access', 'node:access:delete'],
  ['POST /api/link', 'link:add'],
  ['POST /api/link/trash', 'link:trash'],
  ['POST /api/link/swap', 'link:swap'],
  ['DELETE /api/link', 'link:delete'],
  ['POST /api/history/undo', 'batch:undo'],
  ['POST /api/history/redo', 'batch:redo'],
])('[WIRE1] %s and the event %s are the same call', (route, event) => {
  const { method, path } = operationOf(event)?.transports.rest ?? {};
  expect(`${method} ${path}`).toBe(route);
});

test('[WIRE1] no path contains a version of the interface', () => {
  for (const { transports } of socketOperations) expect(transports.rest.path).toMatch(/^\/api\/[a-z]+(\/[a-z]+)?$/);
});

const needed: Record<string, object> = {
  'node:update': { id },
  'node:trash': { id },
  'node:restore': { id },
  'node:delete': { id },
  'node:publish': { id },
  'node:publish:update': { id },
  'node:unpublish': { id },
  'node:access': { id, email },
  'node:access:update': { id, email },
  'node:access:delete': { id, email },
  'link:add': { source: id, target: other },
  'link:trash': { id },
  'link:swap': { id },
  'link:delete': { id },
  'batch:undo': { batchId: id },
  'batch:redo': { batchId: id },
};
/** Fields of updates, which need at least one besides the id. */
const changes: Record<string, object> = {
  'node:update': { title: 'a' },
  'node:publish:update': { due: null },
  'node:access:update': { level: 2 },
};

test.each(
  Object.entries(needed).flatMap(([event, fields]) => Object.keys(fields).map((field) => [event, field] as const)),
)('[GEN4] %s needs %s', (event, field) => {
  const whole = { ...needed[event], ...changes[event] };
  const without = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));
  expect(parse(event, whole)).not.toHaveProperty('code');
  expect(parse(event, without)).toMatchObject({ code: `bad_request.missing_${field}` });
});

test.each([
  ['node:add', {}, {}],
  ['node:publish', { id }, { branch: true }],
  ['node:publish', { id, due: time, branch: false }, {}],
  ['node:publish:update', { id, due: null }, {}],
  ['node:publish:update', { id, branch: false }, {}],
  ['node:access', { id, email }, { level: 3, branch: true }],
  ['node:access', { id, email, level: 1, due: time, branch: false }, {}],
  ['node:access:update', { id, email, level: 1 }, {}],
  ['node:access:update', { id, email, due: null }, {}],
  ['node:access:update', { id, email, branch: true }, {}],
  ['link:add', { source: id, target: other }, { type: 0, private: false }],
  ['link:add', { source: id, target: other, type: 1, private: true }, {}],
  ['graph:get', {}, { limit: 1000, offset: 0 }],
  ['trash:page', {}, { limit: 100, offset: 0 }],
  ['history:page', {}, { limit: 100, offset: 0, order: 'newest' }],
])('[WIRE1 WIRE6] %s of %j has the defaults %j', (event, raw, assumed) => {
  expect(parse(event, raw)).toEqual({ ...raw, ...assumed });
});

test.each([
  ['graph:get', 'limit', 1, 5_000],
  ['trash:page', 'limit', 1, 1_000],
  ['history:page', 'limit', 1, 1_000],
  ['graph:get', 'offset', 0, Number.MAX_SAFE_INTEGER],
  ['trash:page', 'offset', 0, Number.MAX_SAFE_INTEGER],
  ['history:page', 'offset', 0, Number.MAX_SAFE_INTEGER],
  ['node:access', 'level', 1, 3],
  ['node:access:update', 'level', 1, 3],
])('[GEN4] %s: %s is between %i and %i', (event, field, least, most) => {
  const code = (value: number) => parse(event, { ...needed[event], [field]: value });
  for (const value of [least, most]) expect(code(value)).toMatchObject({ [field]: value });
  for (const value of [least - 1, most + 1]) expect(code(value)).toMatchObject({ code: 'bad_request.out_of_range' });
});

describe('[NODE1 GEN4] the fields of a new node', () => {
  test.each<[field: string, takes: unknown, not: unknown]>([
    ['target', id, 'parent'],
    ['title', 'a', 5],
    ['description', 'a', null],
    ['status', 3, 'Completed'],
    ['dueDate', time, 'tomorrow'],
    ['tags', ['a', 'b'], 'a'],
    ['priority', 7, 0.5],
    ['independent', true, 1],
    ['volume', 7, '7'],
    ['assignee', ['a', 'b'], 'a'],
    ['pinned', true, 'true'],
    ['collapsed', true, null],
  ])('%s accepts %j and rejects %j', (field, takes, not) => {
    expect(parse('node:add', { [field]: takes })).toEqual({ [field]: takes });
    const code = field === 'target' ? 'bad_request.invalid_uuid' : `bad_request.invalid_${field}`;
    expect(parse('node:add', { [field]: not })).toMatchObject({ code });
  });
});
