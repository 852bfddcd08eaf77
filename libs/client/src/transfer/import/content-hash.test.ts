import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { contentHash } from './content-hash.ts';

const NONE = new Uint8Array();

test.each([['a plan'], ['“é” 日本 😀'], [''], [NONE], [new Uint8Array([0, 0xff, 0x80])]])(
  '[IO1] is SHA-256, so that a file has the same import everywhere: %j',
  (content) => {
    expect(contentHash(content)).toBe(createHash('sha256').update(content).digest('hex'));
  },
);

test('[IO1] works on pages without TLS, where browsers offer no hashes', () => {
  const { getRandomValues } = crypto;
  vi.stubGlobal('crypto', { getRandomValues });
  try {
    expect(contentHash('a plan')).toHaveLength(64);
  } finally {
    vi.unstubAllGlobals();
  }
});
