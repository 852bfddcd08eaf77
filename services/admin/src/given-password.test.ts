import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { givenPassword } from './given-password.ts';

const input = (...chunks: (string | Uint8Array)[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

it('[AUTH1] reads a password from an option, or returns none', async () => {
  expect(await givenPassword({ password: 'correct horse' }, input('unread'))).toBe('correct horse');
  expect(await givenPassword({}, input('unread'))).toBeUndefined();
});

it('[AUTH1] reads the first line of standard input, in any chunks', async () => {
  for (const given of [{ 'password-stdin': true }, { password: '-' }]) {
    for (const chunks of [
      ['correct horse'],
      ['correct horse\n'],
      ['correct horse\r\nmore\n'],
      ['corr', 'ect ', 'horse\n'],
    ]) {
      expect(await givenPassword(given, input(...chunks))).toBe('correct horse');
    }
  }
  const [half, rest] = [Buffer.from('pässword').subarray(0, 2), Buffer.from('pässword').subarray(2)];
  expect(await givenPassword({ password: '-' }, input(half, rest))).toBe('pässword');
  expect(await givenPassword({ password: '-' }, input('  two blanks \n'))).toBe('  two blanks ');
});

it('[AUTH1] stops reading after the first line, even if the input stays open', async () => {
  const endless = new Readable({ read: () => undefined });
  endless.push('correct horse\n');
  expect(await givenPassword({ 'password-stdin': true }, endless)).toBe('correct horse');
});

it('[AUTH1] refuses two passwords, an empty or oversized one, and invalid UTF-8', async () => {
  const read = (...chunks: (string | Uint8Array)[]) => givenPassword({ 'password-stdin': true }, input(...chunks));
  await expect(givenPassword({ password: 'a', 'password-stdin': true }, input('b'))).rejects.toThrow(
    '--password-stdin',
  );
  for (const none of ['', '\n', '\r\nmore']) await expect(read(none)).rejects.toThrow('no password');
  await expect(read('x'.repeat(20_000))).rejects.toThrow('too much');
  await expect(read(Uint8Array.of(0xff, 0xff, 0x0a))).rejects.toThrow();
});
