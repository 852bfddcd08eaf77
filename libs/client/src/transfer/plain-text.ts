// Texts of users in places that interpret some of their characters: a terminal, a line of a file or of a log.

/**
 * Characters that steer a terminal, end a line for some reader, or change the direction of what follows: C0, DEL and C1, the marks, embeddings and isolates
 * of bidirectional text, line and paragraph separators, and the deprecated and interlinear format characters.
 */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/gu;

/** The text on one line that steers nothing: each such character is a blank. */
export function onOneLine(text: string): string {
  return text.replaceAll(STEERING, ' ');
}

/** JSON in which each such character is an escape, so that it may be shown anywhere and says the same. `space`: as of JSON.stringify. */
export function jsonText(value: unknown, space?: number): string {
  // JSON.stringify has escaped the line breaks of texts: those that are left are between its parts.
  return JSON.stringify(value, null, space).replaceAll(STEERING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
