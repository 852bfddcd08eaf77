import { PASSWORD_LENGTH } from '@taskgraph/wire/account-fields';
import { expect, it } from 'vitest';
import { isCommonPassword } from './common-passwords.ts';

it.each([
  'qwertyuiop',
  '1234567890',
  'password123',
  'PASSWORD123',
  'Basketball',
  'Password2026!',
  '!!!football99',
  'aaaaaaaaaaaa',
  'abcabcabcabc',
  '12121212121',
])('[AUTH4] %s is common', (password) => {
  expect(password.length).toBeGreaterThanOrEqual(PASSWORD_LENGTH.least);
  expect(isCommonPassword(password)).toBe(true);
});

it.each(['ann.miller@example.com', 'Ann.Miller@Example.com1', 'annmiller2026'])(
  '[AUTH4] %s resembles a name of its user',
  (password) => {
    expect(isCommonPassword(password, ['ann.miller@example.com', 'annmiller'])).toBe(true);
    expect(isCommonPassword(password)).toBe(false);
  },
);

it.each([
  'correct horse battery staple',
  'ann.miller@example.com likes tea',
  'kd83hf-2lsk9',
  '密碼密碼很長的一句話呀',
  '8302947love1938',
])('[AUTH4] %j is not', (password) => {
  expect(isCommonPassword(password, ['ann.miller@example.com', ''])).toBe(false);
});

it('[AUTH4] takes time proportional to the length of the longest password', () => {
  const timeOf = (text: string) => {
    const times = Array.from({ length: 5 }, () => {
      const startedMs = performance.now();
      for (let round = 0; round < 500; round++) isCommonPassword(text, ['a'.repeat(200)]);
      return performance.now() - startedMs;
    });
    return Math.min(...times);
  };
  const harmless = timeOf('kd83hf-2lsk9 '.repeat(80).slice(0, PASSWORD_LENGTH.most));
  for (const worst of [
    `${'1'.repeat(PASSWORD_LENGTH.most - 1)}a`,
    '!'.repeat(PASSWORD_LENGTH.most),
    `${'ab'.repeat(499)}aa`,
  ]) {
    expect(timeOf(worst) / harmless, worst.slice(0, 10)).toBeLessThan(20);
  }
});
