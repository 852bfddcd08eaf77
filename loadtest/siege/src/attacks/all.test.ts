import { expect, test } from 'vitest';
import { ATTACKS, chooseAttacks, labelOf } from './all.ts';

test('attacks are chosen by their present and their former names', () => {
  expect(chooseAttacks(['texts', 'deaf', 'large-command'])).toEqual(['texts', 'slow-reader', 'large-command']);
  expect(chooseAttacks([])).toEqual(Object.keys(ATTACKS));
  expect(chooseAttacks(['unknown'])).toEqual([]);
});

test('labels contain the former name', () => {
  expect(
    ['deaf', 'farewells', 'giants', 'guesses', 'gifts'].map((name) => labelOf(chooseAttacks([name])[0] ?? '')),
  ).toEqual([
    'slow-reader (deaf)',
    'disconnect-abuse (farewells)',
    'large-command (giants)',
    'anonymous-flood (guesses)',
    'unwanted-grants (gifts)',
  ]);
});
