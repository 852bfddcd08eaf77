// Removes comments and trailing commas from JSON with comments, as configurations have them.
import { endQuoteOf } from './json-text.ts';

/**
 * The text as plain JSON. Blanks replace what is removed, so that lines stay. A comment that does
 * not end stays, and makes the text invalid.
 */
export function withoutComments(text: string): string {
  const units = text.split('');
  /** The last comma, unless a value follows it. */
  let comma: number | null = null;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at] as string;
    if (unit === '"') {
      at = endQuoteOf(text, at);
      comma = null;
    } else if (unit === '/') {
      const end = endOfComment(text, at);
      if (end === null) break;
      for (; at < end; at++) if (!/[\r\n]/.test(units[at] as string)) units[at] = ' ';
      at--;
    } else if (unit === ',') comma = at;
    else if (unit === '}' || unit === ']') {
      if (comma !== null) units[comma] = ' ';
      comma = null;
    } else if (!/\s/.test(unit)) comma = null;
  }
  return units.join('');
}

/** The offset after a comment; null if none begins there, or if it does not end. */
function endOfComment(text: string, start: number): number | null {
  if (text[start + 1] === '/') {
    const end = text.indexOf('\n', start);
    return end < 0 ? text.length : end;
  }
  const end = text[start + 1] === '*' ? text.indexOf('*/', start + 2) : -1;
  return end < 0 ? null : end + 2;
}
