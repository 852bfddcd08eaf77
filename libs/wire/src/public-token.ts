// Public tokens in answers, which are never compressed: an answer also has texts of other users, so
// its compressed length would reveal the token bit by bit (BREACH). Rules: ZIP1, ZIP2.

/**
 * The beginning of a public token in an answer. The first letter is missing, because history
 * capitalises the names of fields. A user's text cannot contain these bytes, because JSON escapes its
 * quotes.
 */
const PUBLIC_TOKEN = 'ublicToken":"';

/** Whether a part of an answer has a public token. */
export function hasPublicToken(piece: Uint8Array): boolean {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.length).includes(PUBLIC_TOKEN);
}
