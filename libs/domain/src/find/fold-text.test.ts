// Comparison of words in all scripts: every code point, special casings, compatibility forms and
// marks.
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';

const HIGHEST = 0x10ffff;

/** All assigned characters for which the fault is not null. */
function faultsOf(fault: (character: string) => string | null): string[] {
  const faults: string[] = [];
  for (let point = 0; point <= HIGHEST; point++) {
    const character = String.fromCodePoint(point);
    if (/[\p{Cn}\p{Co}\p{Cs}]/u.test(character)) continue;
    const found = fault(character);
    if (found !== null) faults.push(`U+${point.toString(16)}: ${found}`);
  }
  return faults;
}

test('[IO7] every character equals its upper case, its lower case and its normal forms', () => {
  const formsOf = (character: string): readonly [name: string, text: string][] => [
    ['upper', character.toUpperCase()],
    ['lower', character.toLowerCase()],
    ['lower of upper', character.toUpperCase().toLowerCase()],
    ['upper of lower', character.toLowerCase().toUpperCase()],
    ...(['NFC', 'NFD', 'NFKC', 'NFKD'] as const).map((form): [string, string] => [form, character.normalize(form)]),
    ['folded', foldText(character)],
  ];
  const wrong = faultsOf((character) => {
    const fold = foldText(character);
    // Most forms are the character itself.
    const other = formsOf(character).find(([, text]) => text !== character && foldText(text) !== fold);
    return other === undefined ? null : `${other[0]} ${foldText(other[1])} is not ${fold}`;
  });
  expect(wrong).toEqual([]);
}, 60_000);

test('[IO7] characters that match without case in patterns are equal', () => {
  const simple = faultsOf((character) => {
    if (!/\p{Changes_When_Casemapped}/u.test(character)) return null;
    const pattern = new RegExp(`^${character}$`, 'iu');
    const others = [character.toUpperCase(), character.toLowerCase()].filter((other) => pattern.test(other));
    return others.every((other) => foldText(other) === foldText(character)) ? null : others.join(' ');
  });
  expect(simple).toEqual([]);
}, 60_000);

test('[IO7] letters of scripts without case differ exactly as in Unicode', () => {
  const scripts =
    /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Thai}\p{Script=Tibetan}\p{Script=Khmer}\p{Script=Thaana}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Ethiopic}]/u;
  const wrong = faultsOf((character) => {
    if (!scripts.test(character) || /\p{Default_Ignorable_Code_Point}/u.test(character.normalize('NFKD'))) return null;
    return foldText(character) === character.normalize('NFKC') ? null : foldText(character);
  });
  expect(wrong).toEqual([]);
}, 60_000);

test('[IO7] texts equal their upper case, lower case and normal forms, and folding twice changes nothing', () => {
  const words = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'aIİıißẞΣςσᾳ̈́ͅΐйи\u0306\u0323\u200dが한ﬁאָأ'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  });
  const property = fc.property(words, (text) => {
    const fold = foldText(text);
    expect(foldText(fold)).toBe(fold);
    for (const form of ['NFC', 'NFD'] as const) expect(foldText(text.normalize(form))).toBe(fold);
    // Changing case reorders no marks, and the iota below a vowel is one until it is a letter.
    const ordered = text.normalize('NFD');
    expect(foldText(ordered.toUpperCase())).toBe(foldText(ordered.toLowerCase()));
  });
  fc.assert(property, { numRuns: runs(1_000) });
});

test.each([
  ['İstanbul işleri', 'istanbul isleri'],
  ['ISPARTA', 'ısparta'],
  ['Café', 'Cafe\u0301'],
  ['CAFÉ', 'cafe'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['ΟΔΥΣΣΕΎΣ', 'Οδυσσεύς'],
  ['οδυσσευς', 'Οδυσσεύσ'],
  ['ᾳδης', 'ΑΙΔΗΣ'],
  ['ﬁnal oﬃce', 'Final Office'],
  ['Ｔａｓｋ　１', 'task 1'],
  ['ꭰꮃꮩ', 'ᎠᎳᏙ'],
  ['Łódź', 'lodz'],
  ['Smørrebrød', 'smorrebrod'],
  ['Œuvre', 'oeuvre'],
  ['Việt Nam', 'viet nam'],
  ['Ёлка', 'елка'],
  ['за́мок', 'замок'],
  ['שָׁלוֹם', 'שלום'],
  ['مُحَمَّد', 'محمد'],
  ['أحمد', 'احمد'],
  ['مـــهم', 'مهم'],
  ['ｶﾞｷﾞ', 'ガギ'],
  ['\u1112\u1161\u11ab', '한'],
  ['co\u00adoperate', 'cooperate'],
  ['☕\ufe0f', '☕'],
  ['①②', '12'],
  ['x²', 'X2'],
  ['ǆ', 'Ǆ'],
  ['ǅ', 'dz'],
  ['K', 'k'],
  ['ſ', 'S'],
])('[IO7] %s equals %s', (one, other) => {
  expect(foldText(one)).toBe(foldText(other));
});

test.each([
  ['война', 'воина'],
  ['か', 'が'],
  ['ハ', 'パ'],
  ['कि', 'क'],
  ['ก้', 'ก'],
  ['가', '각'],
  ['a≠b', 'a=b'],
])('[IO7] %s differs from %s', (one, other) => {
  expect(foldText(one)).not.toBe(foldText(other));
});

test('[IO7] a Hangul syllable does not match the beginning of a longer one', () => {
  expect(foldText('각').includes(foldText('가'))).toBe(false);
});

test('[IO7] letters with a bar fold to the plain letters of collation', () => {
  const base = new Intl.Collator('en', { sensitivity: 'base' });
  for (const letter of 'æðøđħłœ') {
    expect(base.compare(letter, foldText(letter))).toBe(0);
    expect(foldText(letter)).toMatch(/^[a-z]+$/);
  }
});
