// Where a command writes: results to one stream, and all else that people may want to know to the other. Titles are written by others: no line for people
// has a character that steers a terminal or ends the line, whether the stream is a terminal or a pipe to one.
import { jsonText, onOneLine } from '@taskgraph/client/transfer';
import { type Paint, paintOf, shown } from './paint.ts';

export interface Output {
  /** A line of the result. */
  line(text: string): void;
  /** A result for programs, such as a file, a script or help. It may have several lines, and steers nothing where it goes to a terminal itself. */
  text(text: string): void;
  /** The same as JSON; `space`: as of JSON.stringify. */
  json(value: unknown, space?: number): void;
  /** A line about the result, such as that it is old; it never mixes with what programs read. */
  note(text: string): void;
  /** A failure, with its remedy, in several lines. */
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

/** A stream as far as output needs it. */
interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly isInteractive: boolean;
  readonly hasColours: (sink: Sink) => boolean;
}

export function processOutput(): Output {
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY === true && stderr.isTTY === true;
  return outputTo({ stdout, stderr, isInteractive, hasColours });
}

export function outputTo({ stdout, stderr, isInteractive, hasColours }: OutputOptions): Output {
  const paintNotes = paintOf(hasColours(stderr));
  const text = (given: string) => void stdout.write(`${stdout.isTTY ? unsteered(given) : given}\n`);
  return {
    text,
    line: (given) => void stdout.write(`${shown(given)}\n`),
    json: (value, space) => text(jsonText(value, space)),
    note: (given) => void stderr.write(`${shown(paintNotes.dim(given))}\n`),
    error: (given) => void stderr.write(`${given.split('\n').map(shown).join('\n')}\n`),
    columns: stdout.isTTY ? stdout.columns || 80 : null,
    isInteractive,
    paint: paintOf(hasColours(stdout)),
    paintNotes,
  };
}

/** Lines and tabs stay. */
function unsteered(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, onOneLine);
}

/** NO_COLOR and FORCE_COLOR count as elsewhere; without them nothing is coloured that programs may read. */
function hasColours({ isTTY }: Sink): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  return !NO_COLOR && (Boolean(FORCE_COLOR) || (isTTY === true && TERM !== 'dumb'));
}
