// Keys of commands, also on a page without TLS.
import { afterEach, expect, test, vi } from 'vitest';
import { randomKey } from './random-key.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

afterEach(() => vi.unstubAllGlobals());

test('[GEN8] a key is a random UUID', () => {
  expect(UUID.test(randomKey())).toBe(true);
  expect(randomKey()).not.toBe(randomKey());
});

test('[GEN8] so it is where the browser makes none', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const keys = Array.from({ length: 1_000 }, randomKey);
  expect(keys.filter((key) => !UUID.test(key))).toEqual([]);
  expect(new Set(keys).size).toBe(1_000);
});
