// Removes or escapes characters of users' texts that a terminal, file, log or model would interpret.

/**
 * Characters that control a terminal, end a line or change the direction of text: C0, DEL and C1;
 * marks, embeddings and isolates of bidirectional text; line and paragraph separators; deprecated
 * and interlinear format characters.
 */
const CONTROL_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/gu;

/** The text on one line, with a space in place of each control character. */
export function onOneLine(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, ' ');
}

/**
 * JSON with escaped control characters, which is safe to show anywhere. `space` as for
 * JSON.stringify.
 */
export function jsonText(value: unknown, space?: number): string {
  return escapedLine(JSON.stringify(value, null, space));
}

/**
 * JSON with the same value and escaped control characters, except line breaks: those inside texts
 * are escaped already, and the others belong to the JSON.
 */
export function escapedLine(json: string): string {
  return json.replaceAll(CONTROL_CHARACTERS, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
