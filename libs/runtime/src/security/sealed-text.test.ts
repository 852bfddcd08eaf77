import { describe, expect, test } from 'vitest';
import { openText, sealText } from './sealed-text.ts';

const SECRET = 'a secret of this test';
const ann = { purpose: 'history', context: 'ann' } as const;

describe('a sealed text', () => {
  test('gives its content back for its context, and shows nothing of either', () => {
    const text = sealText(SECRET, ann, 'content');
    expect(openText(SECRET, ann, text)).toBe('content');
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toMatch(/content|ann/);
  });

  test('is the same for the same content, and differs for another context', () => {
    const text = sealText(SECRET, ann, 'content');
    expect(sealText(SECRET, ann, 'content')).toBe(text);
    expect(sealText(SECRET, { ...ann, context: 'bob' }, 'content').slice(0, 16)).not.toBe(text.slice(0, 16));
  });

  test('does not open with another context or secret', () => {
    const text = sealText(SECRET, ann, 'content');
    expect(openText(SECRET, { ...ann, context: 'bob' }, text)).toBeNull();
    expect(openText('another secret of it', ann, text)).toBeNull();
  });

  test('opens with any secret during a rotation, and is sealed by the first', () => {
    const old = sealText(SECRET, ann, 'content');
    const both = ['the next secret of it', SECRET] as const;
    expect(openText(both, ann, old)).toBe('content');
    expect(openText('the next secret of it', ann, sealText(both, ann, 'content'))).toBe('content');
  });

  test('does not open after a change of any byte', () => {
    const bytes = Buffer.from(sealText(SECRET, ann, 'content'), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(openText(SECRET, ann, changed.toString('base64url'))).toBeNull();
    }
  });

  test.each(['', 'x', '....', 'node:01890000-0000-7123-8000-000000000002'])('%j is none', (text) => {
    expect(openText(SECRET, ann, text)).toBeNull();
  });
});
