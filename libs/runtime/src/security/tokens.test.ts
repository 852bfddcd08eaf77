import { expect, it } from 'vitest';
import {
  hasCalendarShape,
  hasSessionShape,
  hasTokenShape,
  newPublicToken,
  newTokenText,
  shownPrefix,
} from './tokens.ts';

it('[PUB2] a public token has at least 128 random bits, is URL-safe and never the same', () => {
  const tokens = Array.from({ length: 1_000 }, newPublicToken);
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]+$/);
    expect(Buffer.from(token, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
  }
  expect(new Set(tokens).size).toBe(tokens.length);
});

it('[AUTH2] an API token is tg_, 30 random base62 characters and 6 of their checksum', () => {
  const tokens = Array.from({ length: 1_000 }, newTokenText);
  for (const token of tokens) expect(token).toMatch(/^tg_[0-9A-Za-z]{36}$/);
  expect(new Set(tokens).size).toBe(tokens.length);
});

it('[AUTH2] a typing error in an API token is detected', () => {
  const token = newTokenText();
  expect(hasTokenShape(token)).toBe(true);
  for (let at = 0; at < token.length; at++) {
    const wrong = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1);
    expect([wrong, hasTokenShape(wrong)]).toEqual([wrong, false]);
  }
  for (const other of ['', 'tg_', `${token}x`, ` ${token}`, token.slice(0, -1)])
    expect(hasTokenShape(other)).toBe(false);
});

it('[AUTH1] a session is tgs_ and otherwise like an API token, and neither is accepted as the other', () => {
  const [session, api] = [newTokenText('session'), newTokenText()];
  expect(session).toMatch(/^tgs_[0-9A-Za-z]{36}$/);
  expect([hasTokenShape(session), hasSessionShape(session), hasSessionShape(api)]).toEqual([true, true, false]);
  expect([shownPrefix(session), shownPrefix(api)]).toEqual([session.slice(0, 8), api.slice(0, 7)]);
});

it('[ICAL1] the secret of an address is cal_ and otherwise like an API token, and neither is accepted as the other', () => {
  const [secret, api] = [newTokenText('calendar'), newTokenText()];
  expect(secret).toMatch(/^cal_[0-9A-Za-z]{36}$/);
  expect([hasCalendarShape(secret), hasTokenShape(secret), hasSessionShape(secret)]).toEqual([true, false, false]);
  expect([hasCalendarShape(api), hasCalendarShape(`${secret.slice(0, -1)}!`)]).toEqual([false, false]);
  const typo = secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x');
  expect(hasCalendarShape(typo)).toBe(false);
});
