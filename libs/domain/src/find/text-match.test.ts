import { expect, test } from 'vitest';
import { createWordTest, foldTexts, IN_DESCRIPTION, IN_TAGS, IN_TITLE, rankOf, searchWords } from './text-match.ts';

const rank = (text: string, node: { title?: string; tags?: string[]; description?: string }) =>
  rankOf(searchWords(text).map(createWordTest), foldTexts({ title: '', tags: [], description: '', ...node }));

test.each([
  ['ship', 'Ship the release', IN_TITLE],
  ['rel', 'Ship the release', IN_TITLE],
  ['lease', 'Ship the release', null],
  ['release ship', 'Ship the release', IN_TITLE],
  ['ship later', 'Ship the release', null],
  ['istanbul', 'İSTANBUL işleri', IN_TITLE],
  ['strasse', 'Große Straße', IN_TITLE],
  ['café', 'Cafe', IN_TITLE],
  ['#42', 'see issue#42', IN_TITLE],
  ['42', 'see issue#42', IN_TITLE],
  ['c++', 'Learn C++', IN_TITLE],
  ['会議', '明日の会議', IN_TITLE],
  ['議', '明日の会議', IN_TITLE],
  ['ประชุม', 'การประชุม', IN_TITLE],
  ['한', '한글', IN_TITLE],
  ['하', '한글', null],
])('[FIND4] %j in the title %j: %j', (text, title, expected) => {
  expect(rank(text, { title })).toBe(expected);
});

test('[FIND5] a hit ranks by the lowest place of its words', () => {
  const node = { title: 'Ship it', tags: ['web', 'back end'], description: 'before Monday' };
  expect(rank('ship', node)).toBe(IN_TITLE);
  expect(rank('ship web', node)).toBe(IN_TAGS);
  expect(rank('end', node)).toBe(IN_TAGS);
  expect(rank('monday ship', node)).toBe(IN_DESCRIPTION);
  expect(rank('ship tuesday', node)).toBeNull();
});

test('[FIND4] a text without words matches every node', () => {
  expect(rank('   ', { title: 'a' })).toBe(IN_TITLE);
});

test('[FIND4] a word counts once, and folding may separate several words', () => {
  expect(searchWords('A a Á')).toEqual(['a']);
  expect(searchWords('\ufdfa').length).toBeGreaterThan(1);
});

test.each(['a.c', '(a', 'a]', '$', 'a\\', 'a/b', '{1}', 'a|b', '^a', 'a-b'])(
  '[FIND4] %j has no meaning but itself',
  (word) => {
    const isIn = createWordTest(word);
    expect([isIn(`x ${word} y`), isIn('abc a1 b')]).toEqual([true, false]);
  },
);
