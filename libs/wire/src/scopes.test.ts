// The scopes of tokens: their stored forms, and the refusals outside them.
import { expect, test } from 'vitest';
import { CHANGING, mayChange, onlyReads, refuseLackingScopes, SCOPE_MEANINGS, SCOPES, scopesOf } from './scopes.ts';

test('[SCOPE1] a token without scopes has all, and a read-only one has read', () => {
  expect(scopesOf({ readOnly: false })).toBe(null);
  expect(scopesOf({ readOnly: true })).toEqual(['read']);
  // Scopes count before the mark that makes an earlier release treat the token as read-only.
  expect(scopesOf({ readOnly: true, may: ['delete', 'edit'] })).toEqual(['edit', 'delete']);
  expect(scopesOf({ readOnly: false, may: [] })).toEqual([]);
  expect(scopesOf({ readOnly: false, may: ['read', 'of a later release'] })).toEqual(['read']);
});

test('[SCOPE1] a refusal names the scopes that are missing', () => {
  expect(refuseLackingScopes(['edit'], null)).toBe(null);
  expect(refuseLackingScopes(['edit'], ['read', 'edit'])).toBe(null);
  expect(refuseLackingScopes(['edit', 'link'], ['edit'])).toMatchObject({
    code: 'forbidden.scope',
    details: { needs: ['link'] },
  });
  expect(refuseLackingScopes(['edit'], [])).toMatchObject({ code: 'forbidden.scope' });
  expect(refuseLackingScopes(['edit'], ['read'])).toMatchObject({
    code: 'forbidden.read_only',
    details: { needs: ['edit'] },
  });
});

test('[SCOPE1] each scope has a meaning, and is for reads, changes of the graph or webhooks', () => {
  expect(Object.keys(SCOPE_MEANINGS)).toEqual([...SCOPES]);
  expect(['read', ...CHANGING, 'hooks']).toEqual([...SCOPES]);
  expect(SCOPES.filter((scope) => mayChange([scope]))).toEqual(CHANGING);
  expect(SCOPES.filter((scope) => onlyReads([scope]))).toEqual(['read']);
  expect([mayChange(null), onlyReads(null), onlyReads([])]).toEqual([true, false, false]);
});
