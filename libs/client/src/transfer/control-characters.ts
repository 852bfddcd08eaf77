// Removes or escapes the characters of users' texts that a terminal, a line of a file or a log would interpret.

/**
 * Characters that control a terminal, end a line, or change the direction of the text that follows: C0, DEL and C1; the marks, embeddings
 * and isolates of bidirectional text; line and paragraph separators; and the deprecated and interlinear format characters.
 */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/gu;

/** The text on one line, with a blank in place of each such character. */
export function onOneLine(text: string): string {
  return text.replaceAll(STEERING, ' ');
}

/** JSON with the same value in which each such character is escaped, so that it is safe to show anywhere. `space` as for JSON.stringify. */
export function jsonText(value: unknown, space?: number): string {
  // JSON.stringify escapes line breaks inside texts; the remaining ones separate parts of the JSON.
  return JSON.stringify(value, null, space).replaceAll(STEERING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
