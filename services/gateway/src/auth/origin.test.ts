import { expect, it, test } from 'vitest';
import { configuration } from '../configuration.ts';
import { isLoopback, refuseOrigin } from './origin.ts';

type Settings = Parameters<typeof refuseOrigin>[2];
const secure: Settings = { allowedOrigins: [], cookies: { isSecure: true } };
const plain: Settings = { allowedOrigins: [], cookies: { isSecure: false } };
const named: Settings = { allowedOrigins: [], cookies: { isSecure: true, publicOrigin: 'https://a.example' } };

it('accepts clients without an origin, pages of the same host, and listed origins', () => {
  expect(refuseOrigin(undefined, 'a.example', secure)).toBeNull();
  expect(refuseOrigin('', 'a.example', secure)).toBeNull();
  expect(refuseOrigin('https://a.example', 'a.example', secure)).toBeNull();
  expect(refuseOrigin('https://a.example', 'A.example:443', secure)).toBeNull();
  expect(refuseOrigin('http://localhost:8080', 'localhost:8080', secure)).toBeNull();
  expect(
    refuseOrigin('https://b.example', 'a.example', { ...named, allowedOrigins: ['https://b.example'] }),
  ).toBeNull();
});

it('refuses all other pages', () => {
  const strangers = ['null', 'https://b.example', 'https://a.example.evil', 'https://a.example:8443', 'nonsense', '*'];
  for (const settings of [secure, plain, named]) {
    for (const origin of [...strangers, 'ws://a.example', `https://${'a'.repeat(300)}`]) {
      expect(refuseOrigin(origin, 'a.example', settings)?.code, origin).toBe('forbidden.origin');
    }
  }
  expect(refuseOrigin('https://a.example', undefined, secure)?.code).toBe('forbidden.origin');
  expect(refuseOrigin('https://', '', { ...secure, allowedOrigins: [''] })?.code).toBe('forbidden.origin');
});

it('checks a page’s scheme too: without TLS, only pages of this machine count as ours, unless cookies work without TLS', () => {
  for (const [origin, host] of [
    ['http://a.example', 'a.example'],
    ['http://a.example', 'a.example:80'],
    ['http://a.example:8080', 'a.example:8080'],
    // A name that leads to this machine does not make a page of this machine.
    ['http://localhost.evil.example:8080', 'localhost.evil.example:8080'],
  ] as const) {
    expect(refuseOrigin(origin, host, secure)?.code, origin).toBe('forbidden.origin');
    expect(refuseOrigin(origin, host, plain), origin).toBeNull();
  }
  for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080']) {
    expect(refuseOrigin(`http://${host}`, host, secure), host).toBeNull();
  }
});

it('checks pages only by the public address if that is set', () => {
  expect(refuseOrigin('https://a.example', 'gateway:8080', named)).toBeNull();
  for (const origin of ['http://a.example', 'https://gateway:8080', 'http://gateway:8080', 'http://localhost:8080']) {
    expect(refuseOrigin(origin, new URL(origin).host, named)?.code, origin).toBe('forbidden.origin');
  }
});

test.each([
  ['localhost', true],
  ['LOCALHOST:80', true],
  ['127.1.2.3:8080', true],
  ['[::1]', true],
  ['a.localhost.example', false],
  ['127.0.0.1.example', false],
  ['localhost@a.example', false],
  ['10.0.0.1', false],
  ['', false],
])('a host %j is this machine: %s', (host, isOurs) => expect(isLoopback(host)).toBe(isOurs));

it('lists origins in the browsers’ form: an entry that never matches, or matches any page, prevents the start', () => {
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
