// Compression in threads of zlib, as workers and gateways use it.
import type { Transform } from 'node:stream';

/** Up to this length, compression takes less than a millisecond; longer texts go to a thread. */
export const MAXIMUM_SYNC_BYTES = 32 * 1_024;
/** Output that a thread produces before it reports. */
export const CHUNK_BYTES = 64 * 1_024;
/** The level that costs least, for answers. */
export const FAST_LEVEL = 1;

/** All output of a stream for this input. Rejects past the bound. */
export function outputOf(
  stream: Transform,
  input: readonly Uint8Array[],
  maximumBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const output: Uint8Array[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > maximumBytes) stream.destroy(new Error('a compressed answer is longer than announced'));
      else output.push(chunk);
    });
    stream.on('end', () => resolve(output));
    stream.on('error', reject);
    for (const piece of input) stream.write(piece);
    stream.end();
  });
}
