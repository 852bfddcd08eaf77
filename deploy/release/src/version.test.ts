// The versions that every package manager accepts, and their forms.
import { expect, test } from 'vitest';
import { readVersion } from './version.ts';

test.each([
  ['1.2.3', '1.2.3', false],
  ['0.10.0', '0.10.0', false],
  ['1.2.3-alpha.1', '1.2.3a1', true],
  ['1.2.3-beta.0', '1.2.3b0', true],
  ['1.2.3-rc.12', '1.2.3rc12', true],
])('%s is %s in Python; prerelease: %s', (text, python, isPrerelease) => {
  expect(readVersion(text)).toEqual({ text, python, isPrerelease });
});

test.each(['', 'v1.2.3', '1.2', '01.2.3', '1.2.3-rc1', '1.2.3-dev.1', '1.2.3+build', '1.2.3 ', `1.2.${'9'.repeat(7)}`])(
  '%j is rejected',
  (text) => {
    expect(() => readVersion(text)).toThrow('is not a version of a release');
  },
);

test('a missing version is rejected with the usage', () => {
  expect(() => readVersion(undefined)).toThrow('the option --version is missing');
});
