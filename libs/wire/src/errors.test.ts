import { expect, test } from 'vitest';
import { refusalOf } from './bus/calls.ts';
import { errorBodyOf, isRefusal, refuse, refuseField } from './errors.ts';

test('[GEN3] every error body says ok, error, message and trace_id, and details only where there are some', () => {
  const plain = { ok: false, error: 'not_found', message: 'There is no such node.', trace_id: 't' };
  expect(errorBodyOf(refuse('not_found', 'There is no such node.'), 't')).toStrictEqual(plain);
  const detailed = refuse('version_conflict', 'Stale.', { version: 3 });
  expect(errorBodyOf(detailed, 't')).toMatchObject({ error: 'version_conflict', details: { version: 3 } });
});

test('only what `refuse` made is a refusal', () => {
  expect(isRefusal(refuse('forbidden', 'No.'))).toBe(true);
  for (const value of [null, undefined, 'forbidden', [], { refused: false }, { code: 'forbidden' }]) {
    expect(isRefusal(value)).toBe(false);
  }
});

test('[GEN4] a refusal of a field names it in its code, and leads to what is wrong in it', () => {
  const refused = { refused: true, code: 'bad_request.invalid_tags', message: 'Too long.' };
  expect(refuseField('invalid', 'tags', 'Too long.')).toStrictEqual({ ...refused, details: { path: 'tags' } });
  expect(refuseField('invalid', 'tags', 'Too long.', 'tags.3').details).toEqual({ path: 'tags.3' });
});

test('a service passes on how another refused', () => {
  const reply = { ok: false, error: 'conflict.cycle', message: 'No.', details: { path: [] } } as const;
  expect(errorBodyOf(refusalOf(reply), 't')).toStrictEqual({ ...reply, trace_id: 't' });
});
