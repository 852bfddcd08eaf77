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

/** The folded words of a search. */
export function searchWords(text: string): string[] {
  return foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The ranks of a hit: lower ones come first. */
export const IN_TITLE = 0;
export const IN_TAGS = 1;
export const IN_DESCRIPTION = 2;

/** The rank of a node: that of its lowest-ranked word. Null if a word of the search is missing. */
export function rankOf(words: readonly string[], { title, tags, description }: FoldedTexts): number | null {
  let rank = IN_TITLE;
  for (const word of words) {
    if (beginsWord(title, word)) continue;
    if (tags.some((tag) => beginsWord(tag, word))) rank = Math.max(rank, IN_TAGS);
    else if (beginsWord(description, word)) rank = IN_DESCRIPTION;
    else return null;
  }
  return rank;
}

const LETTER_BEFORE = /[\p{L}\p{N}\p{M}]$/u;
/**
 * Characters that belong to no word, and characters of scripts that do not separate words. Each may
 * begin a match anywhere.
 */
const UNSEPARATED =
  /^(?:[^\p{L}\p{N}\p{M}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/u;

/** Whether a folded text has a word that begins with the folded search word. */
function beginsWord(text: string, word: string): boolean {
  const isUnseparated = UNSEPARATED.test(word);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || isUnseparated || !LETTER_BEFORE.test(text.slice(Math.max(0, at - 2), at))) return true;
  }
  return false;
}
