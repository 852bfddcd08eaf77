// The scopes of tokens: their stored forms, and the refusals outside them.
import { expect, test } from 'vitest';
import {
  CHANGE_SCOPES,
  isReadOnly,
  mayChange,
  refuseMissingScopes,
  SCOPE_MEANINGS,
  SCOPES,
  scopesOf,
} from './scopes.ts';

test('[SCOPE1] a token without scopes has all, and a read-only one has read', () => {
  expect(scopesOf({ readOnly: false })).toBe(null);
  expect(scopesOf({ readOnly: true })).toEqual(['read']);
  // Scopes count before the mark that makes an earlier release treat the token as read-only.
  expect(scopesOf({ readOnly: true, scopes: ['delete', 'edit'] })).toEqual(['edit', 'delete']);
  expect(scopesOf({ readOnly: false, scopes: [] })).toEqual([]);
  expect(scopesOf({ readOnly: false, scopes: ['read', 'of a later release'] })).toEqual(['read']);
});

test('[SCOPE1] a refusal names the scopes that are missing', () => {
  expect(refuseMissingScopes(['edit'], null)).toBe(null);
  expect(refuseMissingScopes(['edit'], ['read', 'edit'])).toBe(null);
  expect(refuseMissingScopes(['edit', 'link'], ['edit'])).toMatchObject({
    code: 'forbidden.scope',
    details: { missing: ['link'] },
  });
  expect(refuseMissingScopes(['edit'], [])).toMatchObject({ code: 'forbidden.scope' });
  expect(refuseMissingScopes(['edit'], ['read'])).toMatchObject({
    code: 'forbidden.read_only',
    details: { missing: ['edit'] },
  });
});

test('[SCOPE1] each scope has a meaning, and is for reads, changes of the graph or webhooks', () => {
  expect(Object.keys(SCOPE_MEANINGS)).toEqual([...SCOPES]);
  expect(['read', ...CHANGE_SCOPES, 'hooks']).toEqual([...SCOPES]);
  expect(SCOPES.filter((scope) => mayChange([scope]))).toEqual(CHANGE_SCOPES);
  expect(SCOPES.filter((scope) => isReadOnly([scope]))).toEqual(['read']);
  expect([mayChange(null), isReadOnly(null), isReadOnly([])]).toEqual([true, false, false]);
});
