// Frames an answer that its worker has compressed as a gzip file (RFC 1952), without opening it. Its
// own fields and the blanks follow as an uncompressed block, so they share no context with the
// answer's texts. Rule: ZIP2.
import { crc32 } from 'node:zlib';
import type { CompressedJson } from '@taskgraph/bus/requests/compressed-json';

/** Magic, method deflate, no flags, no time, no level, Unix. */
const HEADER = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** The flag of the last block; its type is 0, uncompressed. */
const LAST_BLOCK = 1;
/** The longest uncompressed block. */
const MOST_BLOCK_BYTES = 0xffff;

/** The pieces of a gzip file of the compressed text and the text that follows it. */
export function gzipFrame({ deflated, length, crc }: CompressedJson, following: Uint8Array): readonly Uint8Array[] {
  if (following.length > MOST_BLOCK_BYTES) throw new RangeError(`${following.length} bytes do not fit into a block`);
  const block = Buffer.allocUnsafe(5);
  block.writeUInt8(LAST_BLOCK, 0);
  block.writeUInt16LE(following.length, 1);
  block.writeUInt16LE(following.length ^ MOST_BLOCK_BYTES, 3);
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(crc32(following, crc), 0);
  trailer.writeUInt32LE((length + following.length) >>> 0, 4);
  return [HEADER, deflated, block, following, trailer];
}
