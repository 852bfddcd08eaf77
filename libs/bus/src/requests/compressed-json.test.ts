// Compressed answers: the same text, and no more of it than announced. Rule: ZIP2.
import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressJson, decompressJson } from './compressed-json.ts';

const piecesOf = (json: string) => [json.slice(0, 10), json.slice(10)].map((piece) => Buffer.from(piece));
const textOf = (json: string) => `{"ok":true,${json.slice(1, -1)}`;
/** Random, so that compression hardly shortens it. */
const jsonOf = (bytes: number) => JSON.stringify({ nodes: [{ title: `ü ${randomBytes(bytes).toString('base64')}` }] });

test.each([
  ['short', 10],
  ['that is compressed in a thread', 100_000],
])('[ZIP2] an answer %s has the same text again, and the same body', async (_, bytes) => {
  const json = jsonOf(bytes);
  const compressed = await compressJson(piecesOf(json));
  expect(compressed).toMatchObject({ length: Buffer.byteLength(textOf(json)), crc: crc32(textOf(json)) });
  expect(String(Buffer.concat(await decompressJson(compressed)))).toBe(json);
});

test('[ZIP2] titles alike take a tenth of their bytes', async () => {
  const nodes = Array.from({ length: 1_000 }, (_, index) => ({ title: `a task of the plan, number ${index}` }));
  const { deflated, length } = await compressJson([Buffer.from(JSON.stringify({ nodes }))]);
  expect(deflated.length).toBeLessThan(length / 8);
});

test.each([
  ['longer', { length: 50_000 }],
  ['shorter', { length: 5_000_000 }],
  ['another', { crc: 1 }],
])('[ZIP2] bytes whose text is %s than announced are refused, and never decompressed beyond that', async (_, wrong) => {
  // Compressed a thousandfold.
  const bomb = { ...(await compressJson([Buffer.from(JSON.stringify({ title: 'x'.repeat(1_000_000) }))])), ...wrong };
  expect(bomb.deflated.length).toBeLessThan(10_000);
  await expect(decompressJson(bomb)).rejects.toThrow();
});

test('[ZIP2] bytes that are no deflate are refused', async () => {
  const deflated = Buffer.from('no deflate at all');
  const broken = { deflated, length: 40_000, crc: 0 };
  await expect(decompressJson(broken)).rejects.toThrow();
  const cut = deflateRawSync(randomBytes(1_000)).subarray(0, 500);
  await expect(decompressJson({ deflated: cut, length: 1_000, crc: 0 })).rejects.toThrow('another text');
});
