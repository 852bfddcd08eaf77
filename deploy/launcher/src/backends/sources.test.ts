import { expect, test } from 'vitest';
import { parseJavaVersion } from './sources.ts';

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['openjdk version "21" 2023-09-19', 21],
  ['java version "1.8.0_402"', 8],
  ['Unable to locate a Java Runtime.', undefined],
])('the major version in %j is %s', (output, version) => {
  expect(parseJavaVersion(output)).toBe(version);
});
