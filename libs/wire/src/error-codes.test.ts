import { expect, test } from 'vitest';
import { ERRORS, httpStatusOf, STATUS_BY_FAMILY } from './error-codes.ts';

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

test('[GEN3] the status of every code in the table is that of its first part, except for `too_large` and `method`', () => {
  const others = Object.entries(ERRORS).filter(([code, { status }]) => {
    return status !== STATUS_BY_FAMILY[code.split('.', 1)[0] as keyof typeof STATUS_BY_FAMILY];
  });
  expect(others.map(([code]) => code)).toEqual(['bad_request.method', 'bad_request.too_large']);
});
