// JSON with lines: it takes what JSON.parse takes, refuses what that refuses, and is bounded.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from './json-source.ts';
import { BrokenFile } from './model.ts';

function lineOf(text: string): number | null | 'taken' {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof BrokenFile) return error.line;
    throw error;
  }
  return 'taken';
}

test('[IO2] it takes what is JSON, and nothing else', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9"',
    '"\\x"',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    ' ',
    '\n',
    '"',
    '\\',
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
    fc.json().map((json) => `\n ${json} `),
    fc
      .tuple(fc.json(), fc.nat(), pieces)
      .map(([json, at, piece]) => json.slice(0, at % (json.length + 1)) + piece + json.slice(at % (json.length + 1))),
  );
  const property = fc.property(texts, (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      expect(lineOf(text)).not.toBe('taken');
      return;
    }
    try {
      expect(readJson(text).value).toEqual(value);
    } catch (error) {
      // JSON.parse would keep the last of them alone.
      if (!(error instanceof BrokenFile && error.reason.endsWith('stands twice in one object'))) throw error;
    }
  });
  fc.assert(property, { numRuns: runs(2_000) });
});

test.each([
  ['{"a":1,\n"b":[1,2}', 2],
  ['[1,\n\n x]', 3],
  ['["a\nb"]', 1],
  ['[1]\n\n[2]', 3],
  ['\n\n', 3],
  ['{"a"\n1}', 2],
])('[IO2] %j is broken in its line', (text, line) => {
  expect(lineOf(text)).toBe(line);
});

test('[IO2] depth is bounded, and length does no harm', () => {
  expect(lineOf(`\n${'['.repeat(1_000_000)}`)).toBe(2);
  expect(lineOf(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)).toBe(1);
  expect(lineOf(`${'['.repeat(64)}${']'.repeat(64)}`)).toBe('taken');
  expect(lineOf(`"${'x'.repeat(10_000_000)}"`)).toBe('taken');
  expect(lineOf(`"${'\\"'.repeat(5_000_000)}`)).toBe(1);
  expect(lineOf(`[${'1,'.repeat(1_000_000)}`)).toBe(1);
});
