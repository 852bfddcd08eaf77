import { refuse } from '@taskgraph/wire/errors';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { expect, test } from 'vitest';
import { answerOf } from '../http/answer.ts';
import { withSignInPage } from './refused-navigation.ts';

const refused = answerOf(refuse('forbidden.identity', 'It is another identity.'), 'trace');
const navigation = {
  operation: OPERATIONS['oidc:callback'],
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  hasFile: (path: string) => path === '/signin',
};

test('[CON43] a refused navigation leads to the sign-in form, with nothing but the code', () => {
  for (const operation of [OPERATIONS['oidc:callback'], OPERATIONS['oidc:login']]) {
    const { status, observedStatus, headers, body } = withSignInPage(refused, { ...navigation, operation });
    expect([status, observedStatus, headers]).toEqual([303, 403, { Location: '/signin#refused=forbidden.identity' }]);
    expect(body).toBe(refused.body);
  }
});

test('[CON43] other requests, other operations, internal errors, answers without a refusal, and services without the console have none', () => {
  for (const accept of ['', '*/*', 'application/json', 'text/htmlx'])
    expect(withSignInPage(refused, { ...navigation, accept })).toBe(refused);
  expect(withSignInPage(refused, { ...navigation, operation: OPERATIONS.capabilities })).toBe(refused);
  expect(withSignInPage(refused, { ...navigation, hasFile: () => false })).toBe(refused);
  const failed = answerOf(refuse('internal.exception', 'Please report the trace id.'), 'trace');
  expect(withSignInPage(failed, navigation)).toBe(failed);
  const done = answerOf({ ok: true, body: {} }, 'trace');
  expect(withSignInPage(done, navigation)).toBe(done);
});
