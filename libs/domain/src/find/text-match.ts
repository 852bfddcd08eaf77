// Matches the words of a search at the beginnings of words in a node's texts. Pure: no query
// language, and no statistics of other texts. Rules: FIND4, FIND5, IO7.
import { foldText } from './fold-text.ts';

/** The texts of a node in folded form, in the order in which hits are ranked. */
export interface FoldedTexts {
  readonly title: string;
  readonly tags: readonly string[];
  readonly description: string;
}

export function foldTexts({ title, tags, description }: FoldedTexts): FoldedTexts {
  return { title: foldText(title), tags: tags.map(foldText), description: foldText(description) };
}

/** Most words of a search. Folding may separate more words than the text shows. */
export const MOST_WORDS = 10;

/** The folded words of a search, each once. */
export function searchWords(text: string): string[] {
  const words = foldText(text).split(/\s+/);
  return [...new Set(words.filter((word) => word !== ''))];
}

/** Whether a folded text has a word that begins with a search word. */
export type WordTest = (text: string) => boolean;

/** Scripts that separate no words, and characters of no word: each of them may begin a match. */
const UNSEPARATED =
  /^(?:[^\p{L}\p{N}\p{M}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/u;

/** Tests take a time in proportion to the text. */
export function createWordTest(word: string): WordTest {
  if (UNSEPARATED.test(word)) return (text) => text.includes(word);
  // Backtracks: a fixed text after one character.
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${word.replaceAll(SYNTAX, '\\$&')}`, 'u');
  return (text) => pattern.test(text);
}

const SYNTAX = /[\^$\\.*+?()[\]{}|/]/g;

/** The ranks of a hit: lower ones come first. */
export const IN_TITLE = 0;
export const IN_TAGS = 1;
export const IN_DESCRIPTION = 2;

/** The rank of a node: that of its lowest-ranked word. Null if a word of the search is missing. */
export function rankOf(words: readonly WordTest[], { title, tags, description }: FoldedTexts): number | null {
  let rank = IN_TITLE;
  for (const isIn of words) {
    if (isIn(title)) continue;
    if (tags.some(isIn)) rank = Math.max(rank, IN_TAGS);
    else if (isIn(description)) rank = IN_DESCRIPTION;
    else return null;
  }
  return rank;
}
