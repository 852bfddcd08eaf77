// Where a command writes: results to one stream, and all else that people may want to know to the other.
import colors from 'picocolors';

export type Paint = Pick<typeof colors, 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'>;

export interface Output {
  /** A line of the result. */
  line(text: string): void;
  /** A line about the result, such as that it is old; it never mixes with what programs read. */
  note(text: string): void;
  /** A failure, with its remedy. */
  error(text: string): void;
  /** Columns of the terminal; null where there is none. */
  readonly columns: number | null;
  /** Whether a person looks on who can be asked and shown progress. */
  readonly isInteractive: boolean;
  /** Colours of results, where somebody looks on and NO_COLOR is not set. */
  readonly paint: Paint;
  /** Those of notes and failures, which may go elsewhere. */
  readonly paintNotes: Paint;
}

export function processOutput(): Output {
  const paintNotes = paintFor(process.stderr);
  const write = (stream: NodeJS.WriteStream, text: string) =>
    void stream.write(`${stream.isTTY ? unsteered(text) : text}\n`);
  return {
    line: (text) => write(process.stdout, text),
    note: (text) => write(process.stderr, paintNotes.dim(text)),
    error: (text) => write(process.stderr, text),
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : null,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    paint: paintFor(process.stdout),
    paintNotes,
  };
}

/** Characters that steer a terminal, or turn the direction of those that follow. */
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** The words of others on one line that steers nothing. */
export function printable(text: string): string {
  return text.replaceAll(STEERING, ' ');
}

/** A colour of ours behind its escape character, or one character that steers. */
const COLOUR_OR_STEERING = /\p{Cc}\[(?:1|2|22|3[1-6]|39)m|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Titles are written by others, who must not steer the terminal of whoever lists them: colours of ours, line breaks and tabs alone stay. */
export function unsteered(text: string): string {
  const isKept = (found: string) =>
    found === '\n' || found === '\t' || (found.length > 1 && found.startsWith('\u001b'));
  return text.replaceAll(COLOUR_OR_STEERING, (found) => (isKept(found) ? found : ' '));
}

/** The package's own rule colours the logs of builds too, where programs read along. */
function paintFor(stream: { readonly isTTY?: boolean }): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  return colors.createColors(!NO_COLOR && (Boolean(FORCE_COLOR) || (stream.isTTY === true && TERM !== 'dumb')));
}
