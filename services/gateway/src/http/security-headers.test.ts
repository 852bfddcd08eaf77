import { expect, it } from 'vitest';
import { securityHeaders } from './security-headers.ts';

const settings = { hstsSeconds: 0, allowedOrigins: ['https://app.example.com'] };

it('answers are data that browsers do not store, frame, run or treat as another type', () => {
  expect(securityHeaders('', settings)).toEqual({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-site',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
});

it('only pages of an allowed origin may embed answers', () => {
  const policyFor = (origin: string) => securityHeaders(origin, settings)['Cross-Origin-Resource-Policy'];
  expect(policyFor('https://app.example.com')).toBe('cross-origin');
  for (const origin of ['', 'null', 'https://app.example.com.evil', 'https://tasks.example.com']) {
    expect(policyFor(origin)).toBe('same-site');
  }
});

it('browsers are told to use only HTTPS if that is configured', () => {
  const hsts = (hstsSeconds: number) => securityHeaders('', { ...settings, hstsSeconds })['Strict-Transport-Security'];
  expect(hsts(31_536_000)).toBe('max-age=31536000');
  expect(hsts(0)).toBeUndefined();
});
