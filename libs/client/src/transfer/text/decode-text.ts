// Decodes the bytes of a file: UTF-8, UTF-16, or Windows-1252 in tables, which old programs write.
// Rules: IO2, IO10.
import type { TransferLoss } from '../graph/loss-report.ts';
import { BrokenFile } from '../graph/transfer-graph.ts';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** The characters of the bytes 128 to 159. A byte without one is no text. */
const HIGH_CHARACTERS = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

/** Bytes at the beginning that show UTF-16 without a mark. */
const SAMPLE = 1_000;

/**
 * The text of a file. Throws a BrokenFile with the line of the first byte that is not UTF-8 if no
 * other encoding fits either.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const utf16 = utf16Of(bytes);
  if (utf16 !== null) {
    const text = decoded(bytes, utf16);
    if (text !== null) return { text, encoding: utf16 };
  }
  const utf8 = decoded(bytes, 'utf-8');
  if (utf8 !== null) return { text: utf8, encoding: 'utf-8' };
  const text = windowsText(bytes);
  if (text === null) throw notUtf8(bytes);
  return { text, encoding: 'windows-1252' };
}

/** The loss of a file that was converted; empty for UTF-8. */
export function encodingLosses({ encoding }: DecodedText): TransferLoss[] {
  if (encoding === 'utf-8') return [];
  const name = encoding === 'windows-1252' ? 'Windows-1252' : 'UTF-16';
  return [{ what: `the encoding ${name}, which was converted`, count: 1, places: ['the file'] }];
}

/**
 * Throws a BrokenFile if the format does not allow the encoding: only tables may have another one
 * than UTF-8 or UTF-16, because no mark shows it.
 */
export function checkEncoding(bytes: Uint8Array, { encoding }: DecodedText, isTable: boolean): void {
  if (encoding === 'windows-1252' && !isTable) throw notUtf8(bytes);
}

/** UTF-16 by its mark, or by zero bytes at every second place. */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const length = Math.min(bytes.length, SAMPLE) & ~1;
  const zeros = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (length < 4 || even > 0 === odd > 0) return null;
  if (odd * 4 > length) return 'utf-16le';
  return even * 4 > length ? 'utf-16be' : null;
}

/** Null if the bytes are not of this encoding. A mark stays in front of UTF-8, as before. */
function decoded(bytes: Uint8Array, encoding: 'utf-8' | 'utf-16le' | 'utf-16be'): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'utf-8' }).decode(bytes);
  } catch {
    return null;
  }
}

/** Some releases of Node decode windows-1252 as ISO 8859-1. */
function windowsText(bytes: Uint8Array): string | null {
  const CHUNK = 8_192;
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const codes: number[] = [];
    for (const byte of bytes.subarray(start, start + CHUNK)) {
      const code = byte >= 0x80 && byte < 0xa0 ? HIGH_CHARACTERS.charCodeAt(byte - 0x80) : byte;
      if (code < 32 && code !== 9 && code !== 10 && code !== 13) return null;
      codes.push(code);
    }
    parts.push(String.fromCharCode(...codes));
  }
  return parts.join('');
}

function notUtf8(bytes: Uint8Array): BrokenFile {
  let [line, start] = [1, 0];
  for (let end = bytes.indexOf(10); end >= 0 && isUtf8(bytes.subarray(start, end)); end = bytes.indexOf(10, start)) {
    start = end + 1;
    line++;
  }
  return new BrokenFile(line, 'it is not UTF-8 text');
}

function isUtf8(bytes: Uint8Array): boolean {
  return decoded(bytes, 'utf-8') !== null;
}
