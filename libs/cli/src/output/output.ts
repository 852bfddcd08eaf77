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
  /** Colours where the terminal has them and NO_COLOR is not set. */
  readonly paint: Paint;
}

export function processOutput(): Output {
  return {
    line: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${colors.dim(text)}\n`),
    error: (text) => void process.stderr.write(`${text}\n`),
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : null,
    isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    paint: colors,
  };
}
