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
  return {
    line: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${paintNotes.dim(text)}\n`),
    error: (text) => void process.stderr.write(`${text}\n`),
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : null,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    paint: paintFor(process.stdout),
    paintNotes,
  };
}

/** The package's own rule colours the logs of builds too, where programs read along. */
function paintFor(stream: { readonly isTTY?: boolean }): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  return colors.createColors(!NO_COLOR && (Boolean(FORCE_COLOR) || (stream.isTTY === true && TERM !== 'dumb')));
}
