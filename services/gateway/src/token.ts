// The look of an API token, judged before any worker is asked. Rule: AUTH2.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const TOKEN = /^tg_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Whether a text is `tg_`, 30 base62 characters, and their CRC32 as 6 base62 digits. A typing error is refused without a look-up. */
export function hasTokenShape(text: string): boolean {
  const parts = TOKEN.exec(text);
  return parts !== null && checksumOf(parts[1]!) === parts[2];
}

function checksumOf(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let index = 0; index < 6; index++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** The SHA-256 of a token in hex: what workers know a token by. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The token of an `Authorization: Bearer TOKEN` header, or null. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
