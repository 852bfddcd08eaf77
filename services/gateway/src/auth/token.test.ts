import { expect, it } from 'vitest';
import { bearerToken, hashOf } from './token.ts';

it('[AUTH3] reads the header with its scheme in any case', () => {
  expect(bearerToken('Bearer abc')).toBe('abc');
  expect(bearerToken('bearer  abc ')).toBe('abc');
});

it('[AUTH3] gives null for anything else', () => {
  for (const header of [undefined, '', 'Bearer', 'Bearer a b', 'Basic abc', 'abc'])
    expect(bearerToken(header)).toBeNull();
});

it('[AUTH2] hashes a token as SHA-256 in hex', () => {
  expect(hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
