import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { compressJson } from '@taskgraph/bus/requests/compressed-json';
import { expect, test } from 'vitest';
import { gzipFrame } from './gzip-frame.ts';

test.each([0, 1, 255, 65_535])('[ZIP2] a worker’s bytes and %i bytes after them are one gzip file', async (count) => {
  const title = randomBytes(50_000).toString('base64');
  const compressed = await compressJson([Buffer.from(JSON.stringify({ title }))]);
  const following = Buffer.from(randomBytes(count).map((byte) => 97 + (byte % 26)));
  const pieces = gzipFrame(compressed, following);
  expect(pieces).toContain(compressed.deflated);
  // Decompression verifies the length and the checksum.
  expect(String(gunzipSync(Buffer.concat(pieces)))).toBe(`{"ok":true,"title":"${title}"${following}`);
});

test('[ZIP2] what follows shares no context with the texts: its bytes are in the file as they are', async () => {
  const compressed = await compressJson([Buffer.from(JSON.stringify({ title: 'a trace id '.repeat(100) }))]);
  const following = Buffer.from('a trace id a trace id');
  expect(Buffer.concat(gzipFrame(compressed, following)).includes(following)).toBe(true);
  expect(() => gzipFrame(compressed, Buffer.alloc(65_536))).toThrow(RangeError);
});
