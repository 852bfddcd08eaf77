// The JSON of a successful answer, compressed once by its worker. A gateway asks for it only for clients
// that accept gzip, and forwards the bytes to them. Rule: ZIP2.
//
// 1. The text is an object without its closing brace, because each answer has fields of its own at
//    the end. It begins with `ok`.
// 2. The bytes are blocks of raw deflate (RFC 1951). None of them is marked as the last one, and they
//    end at a whole byte, so that a gateway can add uncompressed blocks.
// 3. A text with a public token is never compressed (`public-token.ts`).
import type { Transform } from 'node:stream';
import { constants, crc32, createDeflateRaw, createInflateRaw, deflateRawSync } from 'node:zlib';
import { byteLengthOf } from './byte-pieces.ts';

/** The compressed text of an answer. */
export interface CompressedJson {
  readonly deflated: Uint8Array;
  /** The text's bytes. */
  readonly length: number;
  /** The text's CRC-32. */
  readonly crc: number;
}

/** Up to this length of the text, the work takes less than a millisecond; longer texts go to a thread. */
const MAXIMUM_SYNC_BYTES = 32 * 1_024;
/** Size of the output buffer of a thread. */
const CHUNK_BYTES = 64 * 1_024;
/** The level that costs least, as for answers that gateways compress. */
const LEVEL = 1;
/** Ends the bytes at a whole byte, without a last block. */
const finishFlush = constants.Z_SYNC_FLUSH;

const BEGINNING = Buffer.from('{"ok":true,');

/** Compresses the JSON of an object that has fields, given in pieces. */
export async function compressJson(pieces: readonly Uint8Array[]): Promise<CompressedJson> {
  const text = textOf(pieces);
  const length = byteLengthOf(text);
  const crc = text.reduce((sum, piece) => crc32(piece, sum), 0);
  const options = { level: LEVEL, chunkSize: CHUNK_BYTES, finishFlush };
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
 * The JSON of the object without `ok`, in pieces. A thread decompresses it. Rejects unless the bytes hold
 * exactly the announced text.
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

/** All output of a stream for this input. Rejects past the bound. */
function outputOf(
  stream: Transform,
  input: readonly Uint8Array[],
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const output: Uint8Array[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > mostBytes) stream.destroy(new Error('a compressed answer is longer than announced'));
      else output.push(chunk);
    });
    stream.on('end', () => resolve(output));
    stream.on('error', reject);
    for (const piece of input) stream.write(piece);
    stream.end();
  });
}
