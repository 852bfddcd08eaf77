import { expect, test } from 'vitest';
import { z } from 'zod';
import { list, text } from '../fields.ts';
import { flatFields } from './flat-fields.ts';
import { OPERATIONS } from './operations.ts';
import { parseQuery } from './payload-parser.ts';

const find = (query: Record<string, string>) => parseQuery(OPERATIONS['node:find'], query);

test('[FIND2] members of an object and of its members are parameters, and lists of objects are not', () => {
  const schema = z.strictObject({
    flag: z.boolean().optional(),
    range: z.union([z.strictObject({ from: z.number().optional() }), z.literal('none')]).optional(),
    any: list(z.strictObject({ flag: z.boolean() }), 2),
    names: list(text(5), 2).optional(),
  });
  expect([...flatFields(schema).keys()]).toEqual(['flag', 'range.from', 'range', 'names']);
});

test('[FIND2 GEN5] a query string states the conditions of a search', () => {
  expect(
    find({
      status: '0,1',
      tag: 'a,b',
      'assignee.all': 'me',
      'priority.min': '2',
      'due.to': '2026-12-24',
      leaf: 'true',
    }),
  ).toMatchObject({
    where: {
      status: [0, 1],
      tag: ['a', 'b'],
      assignee: { all: ['me'] },
      priority: { min: 2 },
      due: { to: '2026-12-24T23:59:59.999Z' },
      leaf: true,
    },
  });
  expect(find({ due: 'none', text: 'a' })).toMatchObject({ text: 'a', where: { due: 'none' } });
  expect(find({ text: 'a' })).not.toHaveProperty('where');
});

test.each([
  [{ status: 'x' }, 'bad_request.invalid_where'],
  [{ 'due.to': 'soon' }, 'bad_request.invalid_where'],
  [{ due: 'none', 'due.to': '2026-12-24' }, 'bad_request.invalid_where'],
  [{ where: '{}' }, 'bad_request.invalid_where'],
  [{ where: 'x', leaf: 'true' }, 'bad_request.invalid_where'],
  [{ any: 'x' }, 'bad_request.unknown_field'],
  [{ 'due.until': 'x' }, 'bad_request.unknown_field'],
  [{ 'where.leaf': 'true' }, 'bad_request.unknown_field'],
  [{ __proto__x: '1' }, 'bad_request.unknown_field'],
])('[FIND2 GEN4] the query %j is refused as %s', (query, code) => {
  expect(find(query as Record<string, string>)).toMatchObject({ code });
});
