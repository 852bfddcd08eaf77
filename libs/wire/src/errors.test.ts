import { expect, test } from 'vitest';
import { errorBodyOf, httpStatusOf, isRefusal, refuse } from './errors.ts';

test.each([
  ['unauthorized', 401],
  ['forbidden', 403],
  ['forbidden.read_only', 403],
  ['forbidden.session_required', 403],
  ['no_permission', 403],
  ['not_found', 404],
  ['not_found.public', 404],
  ['version_conflict', 409],
  ['conflict', 409],
  ['conflict.cycle', 409],
  ['conflict.already_undone', 409],
  ['rate_limited', 429],
  ['internal', 500],
  ['internal.exception', 500],
  ['unavailable', 503],
  ['bad_request', 400],
  ['bad_request.unknown_field', 400],
  ['bad_request.too_large', 413],
  ['not_trashed_node', 400],
  ['not_trashed_link', 400],
  ['invalid_due', 400],
])('[GEN3] %s has the status %i', (code, status) => {
  expect(httpStatusOf(code)).toBe(status);
});

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
