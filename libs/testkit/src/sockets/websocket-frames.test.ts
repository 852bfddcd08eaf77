import { expect, test } from 'vitest';
import { createFrameReader, frameOf } from './websocket-frames.ts';

/** The frame as a server sends it, without a mask. */
function served(text: string): Buffer {
  const frame = frameOf(text);
  const at = frame.length - Buffer.byteLength(text) - 4;
  const bytes = Buffer.concat([frame.subarray(0, at), frame.subarray(at + 4)]);
  bytes[1] = (bytes[1] as number) & 0x7f;
  return bytes;
}

const TEXTS = ['', '2', 'x'.repeat(125), 'y'.repeat(126), 'z'.repeat(65_535), 'ü'.repeat(40_000)];

test.each([13, 4_096, 1_000_000])('frames of every length are parsed from pieces of %i bytes', (size) => {
  const found: string[] = [];
  const read = createFrameReader((payload) => found.push(payload.toString()));
  const bytes = Buffer.concat(TEXTS.map(served));
  for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
  expect(found).toEqual(TEXTS);
});

test("a client's frames are masked", () => {
  expect((frameOf('hello')[1] as number) & 0x80).toBe(0x80);
});

test('frames are parsed byte by byte', () => {
  const found: string[] = [];
  const read = createFrameReader((payload) => found.push(payload.toString()));
  for (const byte of Buffer.concat(['', '2', 'x'.repeat(300)].map(served))) read(Buffer.from([byte]));
  expect(found).toEqual(['', '2', 'x'.repeat(300)]);
});

test('a close frame goes to its own listener', () => {
  const [texts, closed]: [string[], string[]] = [[], []];
  const read = createFrameReader(
    (payload) => texts.push(payload.toString()),
    (payload) => closed.push(`${payload.readUInt16BE(0)} ${payload.subarray(2)}`),
  );
  const close = Buffer.concat([Buffer.from([0x88, 6, 0x03, 0xe8]), Buffer.from('done')]);
  read(Buffer.concat([served('2'), close]));
  expect([texts, closed]).toEqual([['2'], ['1000 done']]);
});
