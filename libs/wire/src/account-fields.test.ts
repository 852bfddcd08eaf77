import { describe, expect, test } from 'vitest';
import { anyEmail, reachableEmail, username } from './account-fields.ts';

describe('usernames', () => {
  test.each(['a', 'Ann Onym', 'Zo\u00eb', '\u5c0f\u660e', 'a\u00a0b', '\u{1f600}', 'a'.repeat(100)])(
    '[AUTH1] %j is a valid username',
    (name) => {
      expect(username.parse(name)).toBe(name);
    },
  );

  const controls = ['\u0000', '\u0001', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029'];
  test.each(controls)('[AUTH1] a control character %j at the beginning, inside or at the end is refused', (control) => {
    for (const name of [`${control}ann`, `a${control}nn`, `ann${control}`, control]) {
      expect(username.safeParse(name).success, JSON.stringify(name)).toBe(false);
    }
  });

  test.each(['', ' ', '\u00a0 ', 'a'.repeat(101), '\ud800'])('[AUTH1] %j is not a valid username', (name) => {
    expect(username.safeParse(name).success).toBe(false);
  });
});

describe('e-mails', () => {
  test('[ACL4] are case-folded, and the bound applies to the folded text', () => {
    expect(anyEmail.parse('Ann@Example.COM')).toBe('ann@example.com');
    // This letter becomes two units in lower case.
    expect(anyEmail.safeParse('\u0130'.repeat(127)).success).toBe(true);
    expect(anyEmail.safeParse('\u0130'.repeat(128)).success).toBe(false);
  });

  test('[AUTH1] an address for mail is valid, and a long or other text is refused', () => {
    expect(reachableEmail.parse('Ann@Example.COM')).toBe('ann@example.com');
    for (const text of [`${'a'.repeat(250)}@example.com`, `${'a@'.repeat(100_000)}b`, 'ann', '']) {
      expect(reachableEmail.safeParse(text).success).toBe(false);
    }
  });

  test.each(['importer-0a1b2c3d4e5f@bots.invalid', 'X@Bots.INVALID'])(
    '[BOT1] mail, registrations and providers cannot use the address of a bot, such as %s',
    (email) => {
      expect(reachableEmail.safeParse(email).success).toBe(false);
      expect(anyEmail.safeParse(email).success).toBe(true);
    },
  );
});
