import { expect, it } from 'vitest';
import { hashPassword, isPassword } from './passwords.ts';

it('[AUTH1] keeps a password as argon2id, with a salt of its own each time', async () => {
  const hashes = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  for (const hash of hashes) {
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await isPassword(hash, 'correct horse')).toBe(true);
    expect(await isPassword(hash, 'correct horsf')).toBe(false);
  }
  expect(hashes[0]).not.toBe(hashes[1]);
});

it('[AUTH1] checks a password of nobody too, and finds it wrong', async () => {
  expect(await isPassword(null, 'correct horse')).toBe(false);
});
