// The etags that a client has of an answer, by its If-None-Match.

/** Most of them that are looked at. */
const MOST_ETAGS = 8;
/** More than so many take in a header. */
const MOST_CHARACTERS = 1_000;
const ETAG = /^\s*(?:W\/)?"([\w-]{1,64})"\s*$/;

/** Ours among the etags of a header, without quotes; whatever else stands there matches nothing. */
export function etagsIn(header: string): string[] {
  const parts = header.length > MOST_CHARACTERS ? [] : header.split(',');
  return parts.slice(0, MOST_ETAGS).flatMap((part) => ETAG.exec(part)?.[1] ?? []);
}
