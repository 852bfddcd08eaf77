// Texts of users in lines for operators, who read them in a terminal. `@taskgraph/client` has the same for its users: it imports nothing of ours.

/**
 * Characters that steer a terminal, end a line for some reader, or change the direction of what follows: C0, DEL and C1, the marks, embeddings and isolates
 * of bidirectional text, line and paragraph separators, and the deprecated and interlinear format characters.
 */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/gu;

/** The text on one line that steers nothing: each such character is a blank. */
export function onOneLine(text: string): string {
  return text.replaceAll(STEERING, ' ');
}

/** A line of JSON, which says the same with each such character but its end as an escape. */
export function escapedLine(json: string): string {
  return json.replaceAll(STEERING, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
