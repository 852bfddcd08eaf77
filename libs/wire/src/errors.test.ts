import { expect, test } from 'vitest';
import { refusalOf } from './bus/calls.ts';
import { errorBodyOf, isRefusal, refuse, refuseField } from './errors.ts';

test('[GEN3] every error body has ok, error, message and trace_id, and details only if there are any', () => {
  const plain = { ok: false, error: 'not_found', message: 'There is no such node.', trace_id: 't' };
  expect(errorBodyOf(refuse('not_found', 'There is no such node.'), 't')).toStrictEqual(plain);
  const detailed = refuse('version_conflict', 'Stale.', { version: 3 });
  expect(errorBodyOf(detailed, 't')).toMatchObject({ error: 'version_conflict', details: { version: 3 } });
});

test('only values of `refuse` are refusals', () => {
  expect(isRefusal(refuse('forbidden', 'No.'))).toBe(true);
  for (const value of [null, undefined, 'forbidden', [], { refused: false }, { code: 'forbidden' }]) {
    expect(isRefusal(value)).toBe(false);
  }
});

test('[GEN4] the refusal of a field has its name in the code and the path of the fault in the details', () => {
  const refused = { refused: true, code: 'bad_request.invalid_tags', message: 'Too long.' };
  expect(refuseField('invalid', 'tags', 'Too long.')).toStrictEqual({ ...refused, details: { path: 'tags' } });
  expect(refuseField('invalid', 'tags', 'Too long.', 'tags.3').details).toEqual({ path: 'tags.3' });
});

test("the refusal in another service's reply becomes an error body", () => {
  const reply = { ok: false, error: 'conflict.cycle', message: 'No.', details: { path: [] } } as const;
  expect(errorBodyOf(refusalOf(reply), 't')).toStrictEqual({ ...reply, trace_id: 't' });
});
