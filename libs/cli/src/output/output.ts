// The output of a command: results go to standard output, notes and errors to standard error. Other
// users write the titles, so lines for people contain no control characters and no line breaks, in
// a terminal or a pipe.
import { jsonText, onOneLine } from '@taskgraph/client/transfer';
import { createPaint, type Paint, render } from './paint.ts';

export interface Output {
  /** A line of the result. */
  line(text: string): void;
  /** A result of several lines, such as a file. A terminal gets it without control characters. */
  text(text: string): void;
  /** A result as JSON; `space` as in JSON.stringify. */
  json(value: unknown, space?: number): void;
  /** A note about the result, such as its age, on standard error. */
  note(text: string): void;
  /** A failure with its remedy, in several lines. */
  error(text: string): void;
  /** Columns of the terminal; null without a terminal. */
  readonly columns: number | null;
  /** Whether a person is at the terminal, for questions and progress. */
  readonly isInteractive: boolean;
  /** Colours of results. */
  readonly paint: Paint;
  /** Colours of notes and failures. */
  readonly paintNotes: Paint;
}

/** The part of a stream that output needs. */
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
  return createOutput({ stdout, stderr, isInteractive, hasColours });
}

export function createOutput({ stdout, stderr, isInteractive, hasColours }: OutputOptions): Output {
  const paintNotes = createPaint(hasColours(stderr));
  const text = (given: string) => void stdout.write(`${stdout.isTTY ? withoutControls(given) : given}\n`);
  return {
    text,
    line: (given) => void stdout.write(`${render(given)}\n`),
    json: (value, space) => text(jsonText(value, space)),
    note: (given) => void stderr.write(`${render(paintNotes.dim(given))}\n`),
    error: (given) => void stderr.write(`${given.split('\n').map(render).join('\n')}\n`),
    columns: stdout.isTTY ? stdout.columns || 80 : null,
    isInteractive,
    paint: createPaint(hasColours(stdout)),
    paintNotes,
  };
}

/** Removes control characters except line breaks and tabs. */
function withoutControls(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, onOneLine);
}

/** NO_COLOR and FORCE_COLOR decide; without them only a terminal gets colours. */
function hasColours({ isTTY }: Sink): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  return !NO_COLOR && (Boolean(FORCE_COLOR) || (isTTY === true && TERM !== 'dumb'));
}
