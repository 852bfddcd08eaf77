// SHA-256 of the content of files. Browsers only compute it on pages with TLS or of this machine, and
// imports work on all pages.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** 64 hexadecimal digits. Of a text, its UTF-8 counts. */
export function contentHash(content: string | Uint8Array): string {
  return bytesToHex(sha256(typeof content === 'string' ? utf8ToBytes(content) : content));
}
