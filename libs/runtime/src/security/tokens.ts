// Token texts: `tg_` (API token), `tgs_` (session) or `cal_` (address of a calendar), 30 random base62
// characters and 6 of their CRC32. The checksum lets a gateway reject typing errors cheaply. Rules:
// AUTH2, ICAL1.
import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIXES = { api: 'tg_', session: 'tgs_', calendar: 'cal_' } as const;
const RANDOM_LENGTH = 30;
const SUM_LENGTH = 6;
/** Random characters shown to distinguish a user's tokens. */
const SHOWN_LENGTH = 4;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^(tgs?_|cal_)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** A new token. 30 base62 characters carry 178 random bits. */
export function newTokenText(kind: keyof typeof PREFIXES = 'api'): string {
  let random = '';
  for (let index = 0; index < RANDOM_LENGTH; index++) random += ALPHABET[randomInt(ALPHABET.length)];
  return PREFIXES[kind] + random + sumOf(random);
}

/** Whether a text has a token's shape and a valid checksum. */
export function hasTokenShape(text: string): boolean {
  return isSound(text) && !text.startsWith(PREFIXES.calendar);
}

/** Whether a text has the shape of a calendar's secret and a valid checksum. */
export function hasCalendarShape(text: string): boolean {
  return isSound(text) && text.startsWith(PREFIXES.calendar);
}

function isSound(text: string): boolean {
  const [, , random = '', sum] = SHAPE.exec(text) ?? [];
  return random !== '' && sum === sumOf(random);
}

/** Whether a text has a session token's shape. */
export function hasSessionShape(text: string): boolean {
  return text.startsWith(PREFIXES.session) && hasTokenShape(text);
}

/** The prefix that is stored and shown. It distinguishes a user's tokens and authorizes nothing. */
export function shownPrefix(text: string): string {
  return text.slice(0, text.indexOf('_') + 1 + SHOWN_LENGTH);
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

/** A public token: 192 random bits, URL-safe (PUB2). It differs in form from a node's id. */
export function newPublicToken(): string {
  return randomBytes(PUBLIC_TOKEN_BYTES).toString('base64url');
}
