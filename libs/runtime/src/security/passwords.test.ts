import { expect, it } from 'vitest';
import { hashPassword, isProven, passwordKey, proveKey, saltOf } from './passwords.ts';

const CLAIM = ['session', 'ann', 'a token'];
const isPassword = async (hash: string, password: string) =>
  isProven(hash, CLAIM, proveKey(await passwordKey(saltOf(hash), password), CLAIM));

it('[AUTH1] stores a password as argon2id, with a new salt each time', async () => {
  const hashes = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  for (const hash of hashes) {
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await isPassword(hash, 'correct horse')).toBe(true);
    expect(await isPassword(hash, 'correct horsf')).toBe(false);
  }
  expect(hashes[0]).not.toBe(hashes[1]);
});

it('[AUTH1] a proof is valid for one claim, and neither it nor the salt contains the hash', async () => {
  const hash = await hashPassword('correct horse');
  const [salt, secret = ''] = [saltOf(hash), hash.split('$').at(-1)];
  const proof = proveKey(await passwordKey(salt, 'correct horse'), CLAIM);
  expect(isProven(hash, CLAIM, proof)).toBe(true);
  for (const claim of [[...CLAIM, ''], ['session', 'ann', 'another token'], ['session', 'ann,"a token'], []]) {
    expect(isProven(hash, claim, proof)).toBe(false);
  }
  for (const wrong of ['', 'x', proof.slice(1), `${proof}x`]) expect(isProven(hash, CLAIM, wrong)).toBe(false);
  expect(salt + proof).not.toContain(secret);
});

it('[AUTH1] creates a key for an unknown user too, with a salt of the same cost', async () => {
  const [nobodys, somebodys] = await Promise.all([
    passwordKey(null, 'correct horse'),
    passwordKey(saltOf(await hashPassword('correct horse')), 'correct horse'),
  ]);
  expect(nobodys).toHaveLength(somebodys.length);
  expect(nobodys.equals(somebodys)).toBe(false);
});

it('[AUTH1] a foreign salt is rejected, and so is one that costs too much', () => {
  for (const salt of ['', '$argon2i$v=19$m=1,t=1,p=1$c2FsdA', '$argon2id$v=19$m=9999999,t=2,p=1$c2FsdA']) {
    expect(() => passwordKey(salt, 'x')).toThrow('not in the form of argon2id');
  }
});
