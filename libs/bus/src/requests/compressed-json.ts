// The JSON of a successful answer, compressed once by its worker. A gateway requests it only for
// clients that accept gzip, and forwards the bytes to them. Rule: ZIP2.
//
// 1. The text is an object without its closing brace, because each answer has fields of its own at
//    the end. It begins with `ok`.
// 2. The bytes are blocks of raw deflate (RFC 1951). None of them is marked as the last one, and
//    they end at a whole byte, so that a gateway can add uncompressed blocks.
// 3. A text with a public token is never compressed (`public-token.ts`).
import { constants, crc32, createDeflateRaw, createInflateRaw, deflateRawSync } from 'node:zlib';
import { byteLengthOf } from '@taskgraph/wire/bytes';
import { CHUNK_BYTES, FAST_LEVEL, MAXIMUM_SYNC_BYTES, outputOf } from './zlib-output.ts';

/** The compressed text of an answer. */
export interface CompressedJson {
  readonly deflated: Uint8Array;
  /** The text's bytes. */
  readonly length: number;
  /** The text's CRC-32. */
  readonly crc: number;
}

/** Ends the bytes at a whole byte, without a last block. */
const finishFlush = constants.Z_SYNC_FLUSH;

const BEGINNING = Buffer.from('{"ok":true,');

/** Compresses the JSON of an object that has fields, given in pieces. */
export async function compressJson(pieces: readonly Uint8Array[]): Promise<CompressedJson> {
  const text = textOf(pieces);
  const length = byteLengthOf(text);
  const crc = text.reduce((sum, piece) => crc32(piece, sum), 0);
  const options = { level: FAST_LEVEL, chunkSize: CHUNK_BYTES, finishFlush };
  const deflated =
    length <= MAXIMUM_SYNC_BYTES
      ? deflateRawSync(Buffer.concat(text), options)
      : Buffer.concat(await outputOf(createDeflateRaw(options), text));
  return { deflated, length, crc };
}

/** The pieces of the JSON with `ok` as the first field, and without the closing brace. */
function textOf(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const last = pieces.length - 1;
  return [
    BEGINNING,
    ...pieces.map((piece, index) => piece.subarray(index === 0 ? 1 : 0, index === last ? -1 : undefined)),
  ];
}

/**
 * The JSON of the object without `ok`, in pieces. A thread decompresses it. Rejects unless the bytes
 * hold exactly the announced text.
 */
export async function decompressJson(compressed: CompressedJson): Promise<readonly Uint8Array[]> {
  const { deflated, length } = compressed;
  const stream = createInflateRaw({ chunkSize: CHUNK_BYTES, finishFlush });
  const text = Buffer.concat(await outputOf(stream, [deflated], length));
  verifyText(compressed, text);
  return [Buffer.from('{'), text.subarray(BEGINNING.length), Buffer.from('}')];
}

function verifyText({ length, crc }: CompressedJson, text: Uint8Array): void {
  if (text.length !== length || crc32(text) !== crc) throw new Error('a compressed answer has another text');
}
