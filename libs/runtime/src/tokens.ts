// The text of API tokens: `tg_`, 30 random base62 characters, 6 of their CRC32. The sum lets a gateway refuse typing errors cheaply.
import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'tg_';
const RANDOM_LENGTH = 30;
const SUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^tg_[0-9A-Za-z]{36}$/;

/** A new token. 30 base62 characters carry 178 random bits. */
export function newTokenText(): string {
  let random = '';
  for (let index = 0; index < RANDOM_LENGTH; index++) random += ALPHABET[randomInt(ALPHABET.length)];
  return PREFIX + random + sumOf(random);
}

/** Whether a text can be a token at all: its shape and its sum are right. */
export function hasTokenShape(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return text.endsWith(sumOf(random));
}

/** CRC32 in base62, padded to six characters. */
function sumOf(random: string): string {
  let rest = crc32(random);
  let text = '';
  for (let index = 0; index < SUM_LENGTH; index++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

const PUBLIC_TOKEN_BYTES = 24;

/** A public token: 192 random bits, URL-safe (PUB2). It is no UUID, so that it can't be taken for a node's id. */
export function newPublicToken(): string {
  return randomBytes(PUBLIC_TOKEN_BYTES).toString('base64url');
}
