// Keys of commands, also on a page without TLS.
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { randomKey } from './random-key.ts';

afterEach(() => vi.unstubAllGlobals());

test('[GEN8] a key is a random UUID', () => {
  expect(z.uuidv4().safeParse(randomKey()).success).toBe(true);
  expect(randomKey()).not.toBe(randomKey());
});

test('[GEN8] so it is where the browser makes none', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const keys = Array.from({ length: 1_000 }, randomKey);
  expect(keys.filter((key) => !z.uuidv4().safeParse(key).success)).toEqual([]);
  expect(new Set(keys).size).toBe(1_000);
});
