// Texts of users as models get them. Models read characters that people do not see, so a title could
// contain instructions that nobody notices. Such characters are escaped like control characters.
import { jsonText, onOneLine } from '@taskgraph/wire/control-characters';

/**
 * Soft hyphens, spaces without width, invisible operators, byte order marks, and plane 14: tags,
 * which repeat ASCII invisibly, and variation selectors. Joiners stay, because words and emojis
 * need them.
 */
const INVISIBLE_CHARACTERS = /[\u00ad\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e0fff}]/gu;

/** JSON with the same value, on one line, in which every character is visible. */
export function modelJson(value: unknown, space?: number): string {
  return jsonText(value, space).replaceAll(INVISIBLE_CHARACTERS, escaped);
}

/** The text on one line, with a space in place of each control or invisible character. */
export function modelLine(text: string): string {
  return onOneLine(text).replaceAll(INVISIBLE_CHARACTERS, ' ');
}

/** The UTF-16 units of a character, each as JSON escapes it. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
