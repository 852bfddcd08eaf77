import { expect, test } from 'vitest';
import { languageOf } from './language.ts';

test('[CON36] the choice of the reader counts, then the first language of the browser that has texts', () => {
  expect(languageOf('en', ['ar'])).toBe('en');
  expect(languageOf('ar', ['en-GB'])).toBe('ar');
  expect(languageOf(null, ['fr', 'ar-EG', 'en'])).toBe('ar');
  expect(languageOf(null, ['de', 'en-US', 'ar'])).toBe('en');
  expect(languageOf('system', [])).toBe('en');
  expect(languageOf(null, ['arn', 'eng', 'fr'])).toBe('en');
});
