// The check of searches has no schema. It accepts and refuses what the schema of node:find does.

import { runs } from '@taskgraph/testkit/runs';
import { isRefusal } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TaskgraphError } from '../error.ts';
import { checkSearch, type NodeSearch } from './search-check.ts';

/** The search with its times in UTC, or the code of the refusal. */
function checked(search: unknown): unknown {
  try {
    return checkSearch(search as NodeSearch);
  } catch (error) {
    if (error instanceof TaskgraphError) return error.code;
    throw error;
  }
}

/** The same by the schema. */
function parsed(search: object): unknown {
  const payload = parsePayload(OPERATIONS['node:find'], search);
  if (isRefusal(payload)) return payload.code;
  const { limit: _limit, order, ...rest } = payload;
  return 'order' in search ? { order, ...rest } : rest;
}

const ID = '01890000-0000-7123-8000-000000000003';
const time = fc.constantFrom('2026-12-24', '20261224', '2026-12-24T18:00+02:00', '2026-02-30', 'today', '');
/** Values of which some are valid for each condition. */
const value = fc.oneof(
  fc.constantFrom<unknown>('none', 'me', '', ID, 'x'.repeat(256), 0, 3, 4, 0.5, -1, true, false, null),
  fc.array(fc.constantFrom<unknown>('a', 'me', 0, 2, 4, null, ['a']), { maxLength: 3 }),
  fc.constantFrom(64, 65).map((length) => Array.from({ length }, () => 'a')),
  fc.constantFrom(64, 65).map((length) => Array.from({ length }, () => 1)),
  fc.record({ from: time, to: time }, { requiredKeys: [] }),
  fc.record({ min: fc.constantFrom<unknown>(0, 1.5, '1', null), max: fc.constant(3) }, { requiredKeys: [] }),
  fc.array(
    fc.constantFrom<unknown>('abcd', 'abc', 'ABCD', '0'.repeat(32), '0'.repeat(33), 'x'.repeat(500), 'x'.repeat(501)),
    {
      maxLength: 2,
    },
  ),
  fc.constantFrom<unknown>({ all: ['a'] }, { all: 'a' }, { all: ['a'], some: [] }, { from: '2026-12-24', at: 1 }),
);
/** The other conditions are whole ids, which a replica compares without a check of their form. */
const NAMES =
  'id title status tag assignee owner priority volume due overdue created edited ready blocked leaf top unlinked level published';
const name = fc.constantFrom(...NAMES.split(' '), 'unknown', '__proto__');
const conditions = fc.dictionary(name, value, { maxKeys: 2, noNullPrototype: true });
const where = fc.oneof(
  value,
  conditions,
  fc.tuple(conditions, fc.oneof(value, fc.array(conditions, { maxLength: 9 }))).map(([all, any]) => ({ ...all, any })),
);
const FIELDS: Readonly<Record<keyof NodeSearch, fc.Arbitrary<unknown>>> = {
  root: fc.constantFrom<unknown>(ID, 1, null),
  text: fc.oneof(
    fc.constantFrom<unknown>('', ' ', 5, null, 'x'.repeat(200), 'x'.repeat(201), undefined),
    fc.constantFrom(10, 11).map((count) => Array.from({ length: count }, () => 'word').join('  ')),
  ),
  where,
  sort: fc.constantFrom<unknown>(
    'due',
    'priority',
    'edited',
    'created',
    'completed',
    'title',
    'status',
    '',
    1,
    'toString',
  ),
  order: fc.constantFrom<unknown>('asc', 'desc', 'up', null),
  locale: fc.constantFrom<unknown>('de', 'pt-BR', 'sv-u-kn', 'no_such locale', '', 'e', 'x'.repeat(36), 5),
};

test.each(Object.entries(FIELDS))('[FIND9] a replica checks %s as node:find does', (field, values) => {
  const property = fc.property(values, (given) => {
    const search = { [field]: given };
    expect(checked(search)).toEqual(parsed(search));
  });
  fc.assert(property, { numRuns: runs(field === 'where' ? 3_000 : 100) });
});

test('[FIND9] a replica counts conditions as node:find does', () => {
  const group = { ready: true, blocked: false };
  for (const search of [
    { where: { any: Array.from({ length: 8 }, () => group) } },
    { where: { overdue: true, any: Array.from({ length: 8 }, () => group) } },
    { where: { overdue: undefined, any: Array.from({ length: 8 }, () => group) } },
  ]) {
    expect(checked(search)).toEqual(parsed(search));
  }
});

test.each(['limit', 'after', 'fields', 'nothing'])('[FIND9] a search of a replica has no field %s', (field) => {
  expect(checked({ [field]: 1 })).toBe('bad_request.unknown_field');
});
