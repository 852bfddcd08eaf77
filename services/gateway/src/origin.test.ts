import { expect, it } from 'vitest';
import { configuration } from './configuration.ts';
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

it('lists origins as browsers write them: what would never match, or match any page, ends the start', () => {
  const read = (text: string) => configuration.ALLOWED_ORIGINS.schema.safeParse(text);
  expect(read('https://a.example, http://localhost:5173').data).toEqual(['https://a.example', 'http://localhost:5173']);
  const wrong = [
    '*',
    'null',
    'a.example',
    'https://a.example/',
    'https://a.example:443',
    'https://A.example',
    'https://a.example,',
  ];
  for (const text of [...wrong, 'file:///a', 'https://a.example/page', 'https://user@a.example']) {
    expect(read(text).success, text).toBe(false);
  }
});
