// Reads JSON of files: values know their lines, so that a message about a wrong value names its
// line. Rule: IO2.
import { BrokenFile } from '../graph/transfer-graph.ts';
import { type LineTree, MAXIMUM_ENTRIES, type PathStep, scanJson } from './json-scanner.ts';

/**
 * A value of the file and its line. Methods that expect another type of value throw a BrokenFile.
 */
export interface JsonCursor {
  readonly value: unknown;
  /** The line of this object, or of the object around the value. */
  readonly line: number;
  /** Throws a BrokenFile with this line. */
  refuse(reason: string): never;
  /** The field with this name; its value is undefined if there is none. */
  at(name: string): JsonCursor;
  list(what: string, most?: number): JsonCursor[];
  /** The names of the fields. */
  names(): string[];
  object(what: string): JsonCursor;
  /** The text; '' for undefined and null. */
  text(what: string): string;
  /** Whether the value is neither undefined nor null. */
  isThere(): boolean;
}

/** Reads one value. Throws a BrokenFile. */
export function readJson(text: string): JsonCursor {
  const source = withoutByteOrderMark(text);
  const [first] = scanJson(source, false);
  return cursorAt(JSON.parse(source), first?.lines, 1);
}

/** Reads one or more values, one after the other. Throws a BrokenFile. */
export function readJsonValues(text: string): JsonCursor[] {
  const source = withoutByteOrderMark(text);
  const values = scanJson(source, true);
  return values.map(({ start, lines }, index) =>
    cursorAt(JSON.parse(source.slice(start, values[index + 1]?.start)), lines, lines.line),
  );
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** `outerLine` is the line of the object around the value. */
function cursorAt(value: unknown, lines: LineTree | undefined, outerLine: number): JsonCursor {
  const line = lines?.line ?? outerLine;
  const within = (step: PathStep, inner: unknown) => cursorAt(inner, lines?.within?.get(step), line);
  const self: JsonCursor = {
    value,
    line,
    refuse(reason) {
      throw new BrokenFile(line, reason);
    },
    at: (name) => within(name, ownField(value, name)),
    list(what, most = MAXIMUM_ENTRIES) {
      if (!Array.isArray(value)) return self.refuse(`${what} must be a list`);
      if (value.length > most) return self.refuse(`${what} has more than ${most} entries`);
      return value.map((each, index) => within(index, each));
    },
    names: () => Object.keys(value as object),
    object(what) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return self;
      return self.refuse(`${what} must be an object`);
    },
    text(what) {
      if (value === undefined || value === null) return '';
      return typeof value === 'string' ? value : self.refuse(`${what} must be a text`);
    },
    isThere: () => value !== undefined && value !== null,
  };
  return self;
}

function ownField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
