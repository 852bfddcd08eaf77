import { expect, test } from 'vitest';
import { codingFor } from './accept-encoding.ts';

test.each([
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br;q=0.8,gzip;q=0.5', 'br'],
  ['gzip;q=1.000', 'gzip'],
  ['gzip ; Q=0.001', 'gzip'],
  ['gzip;q=0', null],
  ['gzip;q=0.000, br;q=0.', null],
  ['*;q=0', null],
  ['*;q=0, gzip', 'gzip'],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['identity;q=0', null],
  ['deflate, compress, zstd', null],
  // Weights that RFC 9110 does not have.
  ['gzip;q=1.5', null],
  ['gzip;q=-1', null],
  ['gzip;q=0.1234', null],
  ['gzip;q=', null],
  ['gzip;q=x, br;q=0.1', 'br'],
  [';;;,,,;q=1', null],
  [`${'x,'.repeat(500)}gzip`, null],
])('[ZIP1] %j is answered with %j', (header, coding) => {
  expect(codingFor(header, ['br', 'gzip'])).toBe(coding);
});

test('[ZIP1] codings of equal weight come in the order of the answer', () => {
  expect(codingFor('gzip, br', ['gzip', 'br'])).toBe('gzip');
  expect(codingFor('gzip;q=0.5, br;q=0.6', ['gzip', 'br'])).toBe('br');
});
