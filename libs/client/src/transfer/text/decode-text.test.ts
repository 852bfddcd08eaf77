// Tests of the encodings of files.
import { expect, test } from 'vitest';
import { checkEncoding, decodeText, encodingLosses } from './decode-text.ts';

const TEXT = 'title;note\nCafé;“10 €”\n';
const utf16 = (text: string, mark: boolean) => new Uint8Array(Buffer.from(`${mark ? '\uFEFF' : ''}${text}`, 'utf16le'));
const swapped = (bytes: Uint8Array) => new Uint8Array(Buffer.from(bytes).swap16());
const WINDOWS = Uint8Array.from([...'Caf'].map((each) => each.charCodeAt(0)).concat(0xe9, 0x20, 0x80, 0x93, 0x94));

test.each([
  ['UTF-8', new TextEncoder().encode(TEXT), TEXT, 'utf-8'],
  ['UTF-16 with a mark', utf16(TEXT, true), TEXT, 'utf-16le'],
  ['UTF-16 with a mark, the other way round', swapped(utf16(TEXT, true)), TEXT, 'utf-16be'],
  ['UTF-16 without a mark', utf16(TEXT, false), TEXT, 'utf-16le'],
  ['UTF-16 without a mark, the other way round', swapped(utf16(TEXT, false)), TEXT, 'utf-16be'],
  ['Windows-1252', WINDOWS, 'Café €“”', 'windows-1252'],
])('[IO10] %s is decoded, and reported if it is converted', (_what, bytes, text, encoding) => {
  const decoded = decodeText(bytes);
  expect(decoded).toEqual({ text, encoding });
  expect(encodingLosses(decoded)).toHaveLength(encoding === 'utf-8' ? 0 : 1);
});

test('[IO2] bytes of no encoding are refused with their line, and Windows-1252 outside of tables', () => {
  const bytes = Uint8Array.from([0x61, 0x0a, 0xe9, 0x81]);
  expect(() => decodeText(bytes)).toThrow('line 2: it is not UTF-8 text');
  expect(() => checkEncoding(WINDOWS, decodeText(WINDOWS), false)).toThrow('line 1: it is not UTF-8 text');
  expect(() => checkEncoding(WINDOWS, decodeText(WINDOWS), true)).not.toThrow();
});
