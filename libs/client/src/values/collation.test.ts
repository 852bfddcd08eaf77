import { expect, test } from 'vitest';
import { compareText } from './collation.ts';

test('[IO7] texts are sorted by collation, with digits as numbers', () => {
  const sorted = ['Step 10', 'zebra', 'Step 9', 'Ábel', 'Zoo', 'apple', 'Step 09a', 'étude', 'East'].sort(compareText);
  expect(sorted).toEqual(['Ábel', 'apple', 'East', 'étude', 'Step 9', 'Step 09a', 'Step 10', 'zebra', 'Zoo']);
});
