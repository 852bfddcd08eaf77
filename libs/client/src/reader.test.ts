import { afterEach, expect, test, vi } from 'vitest';
import { credentialsHash, isSameReader } from './reader.ts';

afterEach(() => vi.unstubAllGlobals());

test('[ACL7] a hash identifies credentials and distinguishes tokens from public tokens', async () => {
  const hashes = await Promise.all(
    [{ token: 'one' }, { token: 'one' }, { token: 'other' }, { publicToken: 'one' }].map((credentials) =>
      credentialsHash(credentials),
    ),
  );
  expect(new Set(hashes).size).toBe(3);
  expect(hashes[0]).toBe(hashes[1]);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

test('[ACL7] without SHA-256, as on pages without HTTPS, credentials identify no reader', async () => {
  vi.stubGlobal('crypto', {});
  const credentials = await credentialsHash({ token: 'one' });
  expect(credentials).toBeNull();
  expect(isSameReader({ credentials, user: null }, { credentials, user: null })).toBe(false);
  expect(isSameReader({ credentials, user: 'ann' }, { credentials, user: 'ann' })).toBe(true);
});

test('[ACL7] the user decides, and credentials only until both users are known', () => {
  const same = { credentials: 'a', user: 'ann' };
  expect(isSameReader(undefined, same)).toBe(false);
  expect(isSameReader({ credentials: 'a', user: 'bob' }, same)).toBe(false);
  expect(isSameReader({ credentials: 'b', user: 'ann' }, same)).toBe(true);
  expect(isSameReader({ credentials: 'a', user: null }, same)).toBe(true);
  expect(isSameReader({ credentials: 'b', user: null }, same)).toBe(false);
});
