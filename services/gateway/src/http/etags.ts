// The etags in an If-None-Match header: the answers that the client has.

/** Etags that are read; the rest is ignored. */
const MOST_ETAGS = 8;
/** A longer header is ignored. */
const MOST_CHARACTERS = 1_000;
const ETAG = /^\s*(?:W\/)?"([\w-]{1,64})"\s*$/;

/** The header's etags in the gateway's own format, without quotes. */
export function etagsIn(header: string): string[] {
  const parts = header.length > MOST_CHARACTERS ? [] : header.split(',');
  return parts.slice(0, MOST_ETAGS).flatMap((part) => ETAG.exec(part)?.[1] ?? []);
}
