import { describe, expect, it } from 'vitest';
import { bearerToken, hasTokenShape } from './token.ts';

const TOKEN = 'tg_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1yLcDB';

describe('hasTokenShape', () => {
  it('[AUTH2] takes 30 base62 characters with their CRC32', () => {
    expect(hasTokenShape(TOKEN)).toBe(true);
  });

  it('[AUTH2] refuses a typing error anywhere, and whatever looks different', () => {
    for (let index = 0; index < TOKEN.length; index++) {
      expect(hasTokenShape(`${TOKEN.slice(0, index)}Z${TOKEN.slice(index + 1)}`)).toBe(false);
    }
    for (const text of ['', 'tg_', `${TOKEN}x`, ` ${TOKEN}`, `${TOKEN}\n`, 'x'.repeat(100_000)]) {
      expect(hasTokenShape(text)).toBe(false);
    }
  });
});

describe('bearerToken', () => {
  it('reads the header in any case of its scheme', () => {
    expect(bearerToken('Bearer abc')).toBe('abc');
    expect(bearerToken('bearer  abc ')).toBe('abc');
  });

  it('gives null for anything else', () => {
    for (const header of [undefined, '', 'Bearer', 'Bearer a b', 'Basic abc', 'abc'])
      expect(bearerToken(header)).toBeNull();
  });
});
