import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RESOURCE_FIELDS } from '../entities.ts';
import { anyId, composeId } from '../ids.ts';
import { flatFields } from './flat-fields.ts';
import { errorsOf, type Operation } from './operation.ts';
import { operationOf, operations } from './operations.ts';
import { parsePayload, parseQuery } from './payload-parser.ts';

const id = composeId(7, 1_700_000_000_000, 1, new Uint8Array(6));
const other = composeId(7, 1_700_000_000_000, 2, new Uint8Array(6));

function operation(event: string) {
  const found = operationOf(event);
  if (found === undefined) throw new Error(`there is no ${event}`);
  return found;
}
const parse = (event: string, raw: unknown) => parsePayload(operation(event), raw);
const query = (event: string, raw: Record<string, string>) => parseQuery(operation(event), raw);

type Case = [event: string, raw: unknown, code: string, path?: string];

const refusals: Case[] = [
  ['node:update', null, 'bad_request.invalid_body'],
  ['node:update', [], 'bad_request.invalid_body'],
  ['node:update', 'text', 'bad_request.invalid_body'],
  // Read-only fields, and unknown ones.
  ['node:update', { id, createdTime: 'x' }, 'bad_request.immutable_field', 'createdTime'],
  ['node:update', { id, completedTime: null }, 'bad_request.immutable_field', 'completedTime'],
  ['node:update', { id, ownerEmail: 'x' }, 'bad_request.immutable_field', 'ownerEmail'],
  ['node:add', { id }, 'bad_request.immutable_field', 'id'],
  ['node:add', { inTrash: true }, 'bad_request.immutable_field', 'inTrash'],
  ['link:update', { id, source: id }, 'bad_request.immutable_field', 'source'],
  ['link:add', { source: id, target: other, wasBlocker: true }, 'bad_request.immutable_field', 'wasBlocker'],
  ['node:update', { id, color: 'red' }, 'bad_request.unknown_field', 'color'],
  ['node:update', { id, openBlockers: 0 }, 'bad_request.unknown_field', 'openBlockers'],
  ['link:update', { id, title: 'x' }, 'bad_request.unknown_field', 'title'],
  ['node:add', JSON.parse('{"__proto__": {"title": "x"}}'), 'bad_request.unknown_field', '__proto__'],
  ['node:add', { constructor: 1 }, 'bad_request.unknown_field', 'constructor'],
  // Missing fields.
  ['node:update', { title: 'x' }, 'bad_request.missing_id', 'id'],
  ['link:add', {}, 'bad_request.missing_source', 'source'],
  ['link:add', { source: id }, 'bad_request.missing_target', 'target'],
  // Fields of the wrong type.
  ['node:update', { id, title: 5 }, 'bad_request.invalid_title', 'title'],
  ['node:update', { id, independent: 'true' }, 'bad_request.invalid_independent', 'independent'],
  ['node:update', { id, priority: '1' }, 'bad_request.invalid_priority', 'priority'],
  ['node:update', { id, priority: 1.5 }, 'bad_request.invalid_priority', 'priority'],
  ['node:update', { id, tags: 'a' }, 'bad_request.invalid_tags', 'tags'],
  ['node:update', { id, tags: ['a', 5] }, 'bad_request.invalid_tags', 'tags.1'],
  ['node:update', { id, dueDate: '2026-02-30T00:00:00Z' }, 'bad_request.invalid_dueDate', 'dueDate'],
  ['link:add', { source: id, target: other, private: 1 }, 'bad_request.invalid_private', 'private'],
  // Text that cannot be stored, and lengths in UTF-16 units.
  ['node:update', { id, title: 'a\0' }, 'bad_request.invalid_title', 'title'],
  ['node:update', { id, title: '\ud800' }, 'bad_request.invalid_title', 'title'],
  ['node:update', { id, title: '\u{1f600}'.repeat(251) }, 'bad_request.invalid_title', 'title'],
  ['node:update', { id, tags: ['ok', 'a'.repeat(101)] }, 'bad_request.invalid_tags', 'tags.1'],
  ['node:update', { id, tags: Array(65).fill('a') }, 'bad_request.invalid_tags', 'tags'],
  ['history:page', { ops: [1, 9] }, 'bad_request.invalid_ops', 'ops.1'],
  ['history:page', { ops: ['1'] }, 'bad_request.invalid_ops', 'ops.0'],
  ['history:page', { actor: [] }, 'bad_request.invalid_actor', 'actor'],
  ['history:page', { order: 'oldest', offset: 1 }, 'bad_request.invalid_offset', 'offset'],
  // Numbers out of bounds.
  ['node:update', { id, priority: -1 }, 'bad_request.out_of_range', 'priority'],
  ['node:update', { id, volume: 1_000_001 }, 'bad_request.out_of_range', 'volume'],
  ['node:update', { id, status: 4 }, 'bad_request.out_of_range', 'status'],
  ['node:update', { id, x: JSON.parse('1e999') }, 'bad_request.out_of_range', 'x'],
  ['node:update', { id, title: 'x', version: 0 }, 'bad_request.out_of_range', 'version'],
  ['link:add', { source: id, target: other, type: 2 }, 'bad_request.out_of_range', 'type'],
  ['graph:get', { limit: 0 }, 'bad_request.out_of_range', 'limit'],
  ['graph:get', { limit: 5001 }, 'bad_request.out_of_range', 'limit'],
  ['trash:page', { limit: 1001 }, 'bad_request.out_of_range', 'limit'],
  ['trash:page', { offset: -1 }, 'bad_request.out_of_range', 'offset'],
  // Ids, of any type.
  ['node:trash', { id: 'x' }, 'bad_request.invalid_uuid', 'id'],
  ['node:trash', { id: 5 }, 'bad_request.invalid_uuid', 'id'],
  ['node:trash', { id: null }, 'bad_request.invalid_uuid', 'id'],
  ['node:trash', { id: [id] }, 'bad_request.invalid_uuid', 'id'],
  ['node:add', { target: {} }, 'bad_request.invalid_uuid', 'target'],
  ['link:add', { source: true, target: id }, 'bad_request.invalid_uuid', 'source'],
];

test.each(refusals)('[GEN4] %s of %j is %s', (event, raw, code, path) => {
  expect(parse(event, raw)).toMatchObject({ code, ...(path === undefined ? {} : { details: { path } }) });
});

const orders: Case[] = [
  ['node:update', { title: 5, color: 'red' }, 'bad_request.unknown_field'],
  ['node:update', { title: 5, version: 'x' }, 'bad_request.missing_id'],
  ['link:add', { source: 5, type: 7 }, 'bad_request.missing_target'],
  ['link:add', { type: 7, target: id, source: 5 }, 'bad_request.invalid_uuid'],
  ['node:update', { id, status: 2, title: 5 }, 'bad_request.invalid_title'],
];

test.each(orders)(
  '[GEN4] unknown fields come before missing ones, and these before invalid ones: %s of %j is %s',
  (event, raw, code) => {
    expect(parse(event, raw)).toMatchObject({ code });
  },
);

test('[GEN6] a status with a capital is an unknown field', () => {
  expect(parse('node:update', { id, Status: 1 })).toMatchObject({ code: 'bad_request.unknown_field' });
});

test('[GEN4] null clears optional fields only', () => {
  expect(parse('node:update', { id, dueDate: null })).toEqual({ id, dueDate: null });
  const fields = Object.keys(operation('node:update').payload.shape).filter((field) => field !== 'dueDate');
  expect(fields.length).toBeGreaterThan(10);
  for (const field of fields) {
    const code = field === 'id' ? 'bad_request.invalid_uuid' : `bad_request.invalid_${field}`;
    expect(parse('node:update', { id, [field]: null })).toMatchObject({ code });
  }
});

test('[GEN2 GEN4] ids and timestamps are normalised', () => {
  const raw = { id: id.toUpperCase(), dueDate: '2026-01-05T08:00:00+02:00' };
  expect(parse('node:update', raw)).toEqual({ id, dueDate: '2026-01-05T06:00:00.000Z' });
});

test.each([
  ['node:update', { id }],
  ['node:update', { id, version: 3 }],
  ['link:update', { id }],
  ['link:update', { id, version: 3 }],
])('[GEN9] %s of %j names no field', (event, raw) => {
  expect(parse(event, raw)).toMatchObject({ code: 'bad_request.no_fields' });
});

test.each([
  ['node:add', {}],
  ['node:update', { id }],
])('[BLK2] %s refuses to set Blocked by hand', (event, raw) => {
  expect(parse(event, { ...raw, status: 2 })).toMatchObject({ code: 'bad_request.status_blocked' });
  for (const status of [0, 1, 3]) expect(parse(event, { ...raw, status })).toMatchObject({ status });
});

test('[LNK2] a node cannot be linked to itself, in any spelling of its id', () => {
  const raw = { source: id, target: id.toUpperCase() };
  expect(parse('link:add', raw)).toMatchObject({ code: 'bad_request.self_link' });
});

/** Commands, and account calls with another method than GET. */
const isMutation = ({ kind, transports }: Operation) =>
  kind === 'account' ? transports.rest.method !== 'GET' : kind === 'command';
const NAMES = [...new Set(Object.values(RESOURCE_FIELDS).flatMap((names) => [...names])), 'color', '__proto__'];

describe.each(operations.filter((each) => !isMutation(each)).map((read) => [read.name, read] as const))(
  'the read %s',
  (_, read) => {
    const unknown = NAMES.filter((name) => !Object.hasOwn(read.payload.shape, name));

    const { flattened } = read.transports.rest;
    /** Members of a field, which only a query may have by themselves. */
    const inQuery = new Set(flattened === undefined ? [] : flatFields(read.payload.shape[flattened]).keys());

    test('[GEN4] answers unknown_field for every name that it does not have, of fields of entities too', () => {
      expect(unknown.length).toBeGreaterThan(NAMES.length / 2);
      for (const name of unknown) {
        const refused = { code: 'bad_request.unknown_field', details: { path: name } };
        const raw = JSON.parse(`{${JSON.stringify(name)}: "x"}`);
        expect(parsePayload(read, raw), name).toMatchObject(refused);
        if (!inQuery.has(name)) expect(parseQuery(read, raw), name).toMatchObject(refused);
        const overSockets = read.transports.socket?.payload;
        if (overSockets === undefined || Object.hasOwn(overSockets.shape, name)) continue;
        expect(parsePayload({ ...read, payload: overSockets }, raw), name).toMatchObject(refused);
      }
      expect(errorsOf(read, 'rest')).not.toContain('bad_request.immutable_field');
    });
  },
);

test.each(operations.filter(isMutation).map((mutation) => [mutation.name, mutation] as const))(
  '[GEN4] the mutation %s tells immutable fields from unknown ones',
  (_, mutation) => {
    expect(mutation.resource).toBeDefined();
    expect(errorsOf(mutation, 'rest')).toContain('bad_request.immutable_field');
  },
);

describe('query strings', () => {
  test('[GEN5] a DELETE reads its fields as text', () => {
    expect(query('node:delete', { id, version: '3' })).toEqual({ id, version: 3 });
    expect(query('link:delete', { id })).toEqual({ id });
  });

  test.each([
    ['graph:get', { limit: '5', offset: '10' }, { limit: 5, offset: 10 }],
    ['graph:get', {}, { limit: 1000, offset: 0 }],
    ['trash:page', {}, { limit: 100, offset: 0 }],
    ['node:add', { x: '-1.5', pinned: 'true', collapsed: 'false' }, { x: -1.5, pinned: true, collapsed: false }],
    ['node:add', { title: '5', description: 'true' }, { title: '5', description: 'true' }],
    ['node:add', { title: 'null', dueDate: 'null' }, { title: 'null', dueDate: null }],
  ])('[GEN4 GEN5] %s accepts %j', (event, raw, payload) => {
    expect(query(event, raw as Record<string, string>)).toEqual(payload);
  });

  test.each([
    ['graph:get', { limit: 'five' }, 'bad_request.invalid_limit'],
    ['graph:get', { limit: '' }, 'bad_request.invalid_limit'],
    ['graph:get', { limit: '0x10' }, 'bad_request.invalid_limit'],
    ['graph:get', { limit: '1.5' }, 'bad_request.invalid_limit'],
    ['graph:get', { limit: '5001' }, 'bad_request.out_of_range'],
    ['graph:get', { limit: 'null' }, 'bad_request.invalid_limit'],
    ['graph:get', { page: '2' }, 'bad_request.unknown_field'],
    ['node:add', { pinned: '1' }, 'bad_request.invalid_pinned'],
    ['node:delete', { id: 'null' }, 'bad_request.invalid_uuid'],
    ['node:delete', {}, 'bad_request.missing_id'],
    ['node:delete', { id, title: 'x' }, 'bad_request.immutable_field'],
  ])('[GEN4 GEN5] %s of %j is %s', (event, raw, code) => {
    expect(query(event, raw as Record<string, string>)).toMatchObject({ code });
  });

  test('[GEN5] a field is read in the type of its schema, below defaults, null and transformations', () => {
    const payload = z.strictObject({ id: anyId, count: z.int().nullable().default(1), flag: z.boolean().optional() });
    const parsed = parseQuery({ payload, resource: 'node' }, { id, count: 'null', flag: 'true' });
    expect(parsed).toEqual({ id, count: null, flag: true });
  });
});
