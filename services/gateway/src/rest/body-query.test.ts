import { refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { withQuery } from './body-query.ts';

const command = { kind: 'command' };
const value = { title: 'a' };
const unknown = (path: string) => ({ code: 'bad_request.unknown_field', details: { path } });

test.each([
  ['dryRun=true', { title: 'a', dryRun: true }],
  ['dryRun=false', { title: 'a', dryRun: false }],
  ['dryRun=yes', { title: 'a', dryRun: 'yes' }],
  ['%64ryRun=true', { title: 'a', dryRun: true }],
  ['', value],
  ['&', value],
])('[DRY1] the query %s of a mutation with a body', (query, expected) => {
  expect(withQuery({ value }, query, command)).toEqual({ value: expected });
});

test.each([
  ['a parameter that no call has', 'dryRun=true&dry-run=1', 'dry-run'],
  ['a typing error', 'dryrun=true', 'dryrun'],
  ['a field that the body has', 'title=b', 'title'],
  ['a field that the body could have', 'description=b', 'description'],
  ['a name of the prototype', '__proto__=1', '__proto__'],
  ['a parameter before a broken dryRun', 'dryRun=1&dryRun=2&other=1', 'other'],
  ['a very long name', 'x'.repeat(200), 'x'.repeat(100)],
])('[GEN13] %s is refused beside a body', (_what, query, path) => {
  expect(withQuery({ value }, query, command)).toMatchObject(unknown(path));
});

test.each([{ kind: 'read' }, { kind: 'account' }])(
  '[GEN13] no query is accepted beside the body of %j',
  (definition) => {
    expect(withQuery({ value }, 'dryRun=true', definition)).toMatchObject(unknown('dryRun'));
    expect(withQuery({ value }, 'title=b', definition)).toMatchObject(unknown('title'));
    expect(withQuery({ value }, '', definition)).toEqual({ value });
  },
);

test('[DRY1 GEN13] a repeated dryRun is refused', () => {
  const twice = { code: 'bad_request.invalid_dryRun' };
  expect(withQuery({ value }, 'dryRun=true&dryRun=false', command)).toMatchObject(twice);
  for (const dryRun of [true, false]) {
    expect(withQuery({ value: { dryRun } }, 'dryRun=true', command)).toMatchObject(twice);
  }
});

test('[GEN13] a query that is the input, and a refused body, are not changed', () => {
  const query = { query: { values: { id: 'a' }, repeated: [] } };
  expect(withQuery(query, 'id=a', command)).toBe(query);
  expect(withQuery({ value: null }, 'dryRun=true', command)).toEqual({ value: null });
  const refusal = refuse('bad_request.invalid_json', 'No.');
  expect(withQuery(refusal, 'dryRun=true', command)).toBe(refusal);
  expect(withQuery({ value }, 'a=%', command)).toMatchObject({ code: 'bad_request' });
});
