import { expect, it } from 'vitest';
import { refuseOrigin } from './origin.ts';

it('lets clients without an origin, pages of the same host and listed ones pass', () => {
  expect(refuseOrigin(undefined, 'a.example', [])).toBeNull();
  expect(refuseOrigin('', 'a.example', [])).toBeNull();
  expect(refuseOrigin('https://a.example', 'a.example', [])).toBeNull();
  expect(refuseOrigin('https://a.example', 'A.example:443', [])).toBeNull();
  expect(refuseOrigin('http://localhost:8080', 'localhost:8080', [])).toBeNull();
  expect(refuseOrigin('https://b.example', 'a.example', ['https://b.example'])).toBeNull();
});

it('refuses all other pages', () => {
  const strangers = ['null', 'https://b.example', 'https://a.example.evil', 'https://a.example:8443', 'nonsense', '*'];
  for (const origin of strangers) expect(refuseOrigin(origin, 'a.example', [])?.code).toBe('forbidden.origin');
  expect(refuseOrigin('https://a.example', undefined, [])?.code).toBe('forbidden.origin');
  expect(refuseOrigin('https://', '', [''])?.code).toBe('forbidden.origin');
});
