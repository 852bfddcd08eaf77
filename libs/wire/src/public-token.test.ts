import { expect, test } from 'vitest';
import { hasPublicToken } from './public-token.ts';

test('[ZIP2] a public token is found in either form, and a text that looks like one is not', () => {
  const has = (body: object) => hasPublicToken(Buffer.from(JSON.stringify(body)));
  expect(has({ publicToken: 'q3Zc0pVtXw8Hn1sYb6KdRg' })).toBe(true);
  expect(has({ after: { PublicToken: 'q3Zc0pVtXw8Hn1sYb6KdRg' } })).toBe(true);
  expect(has({ publicToken: null, title: '"publicToken":"q3Z"' })).toBe(false);
});
