// Compares the reader of JSON with JSON.parse, and tests its bounds.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenFile } from '../graph/transfer-graph.ts';
import { readJson } from './json-cursor.ts';

function lineOf(text: string): number | null | 'accepted' {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof BrokenFile) return error.line;
    throw error;
  }
  return 'accepted';
}

test('[IO2] accepts exactly the texts that JSON.parse accepts, unless a name occurs twice', () => {
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
      expect(lineOf(text)).not.toBe('accepted');
      return;
    }
    try {
      expect(readJson(text).value).toEqual(value);
    } catch (error) {
      // JSON.parse would drop all values but the last.
      if (!(error instanceof BrokenFile && error.reason.endsWith(' twice'))) throw error;
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
])('[IO2] %j is refused with its line', (text, line) => {
  expect(lineOf(text)).toBe(line);
});

test('[IO2] depth is bounded, and length needs no recursion', () => {
  expect(lineOf(`\n${'['.repeat(1_000_000)}`)).toBe(2);
  expect(lineOf(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`)).toBe(1);
  expect(lineOf(`${'['.repeat(64)}${']'.repeat(64)}`)).toBe('accepted');
  expect(lineOf(`"${'x'.repeat(10_000_000)}"`)).toBe('accepted');
  expect(lineOf(`"${'\\"'.repeat(5_000_000)}`)).toBe(1);
  expect(lineOf(`[${'1,'.repeat(1_000_000)}`)).toBe(1);
});
