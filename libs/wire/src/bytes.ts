// Bytes in pieces, which are not concatenated since they are long.

/** The bytes of all pieces. */
export function byteLengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
