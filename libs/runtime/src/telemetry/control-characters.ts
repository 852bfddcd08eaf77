// Removes or escapes characters of users' texts that would control an operator's terminal.
// `@taskgraph/client` has its own copy, since it imports no other package of this repository.

/**
 * Characters that control a terminal, end a line, or change the direction of the text that follows:
 * C0, DEL and C1; the marks, embeddings and isolates of bidirectional text; line and paragraph
 * separators; and the deprecated and interlinear format characters.
 */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/gu;

/** The text on one line, with these characters replaced by blanks. */
export function onOneLine(text: string): string {
  return text.replaceAll(STEERING, ' ');
}

/** A line of JSON with the same value and these characters escaped, except line breaks. */
export function escapedLine(json: string): string {
  return json.replaceAll(STEERING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
