// JSON with the lines of its values, so that a broken file is refused where it is broken. It is bounded in depth, and walks without recursion. Rule: IO2.
import { BrokenFile, TRANSFER_BOUNDS } from './model.ts';

const ESCAPED = /u[0-9a-fA-F]{4}|["\\/bfnrt]/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Values of a file, of all kinds: several times as many as the largest graph has. Each takes memory many times its length. */
const MOST_VALUES = 5_000_000;
/** Names in one object: more than any format has fields. */
const MOST_NAMES = 10_000;

type Step = string | number;

type State = 'value' | 'key' | 'colon' | 'after' | 'first' | 'firstKey';

interface Open {
  readonly isList: boolean;
  /** The names in it so far. */
  readonly names: Set<string>;
  /** The key or the index of the value that comes next. */
  step: Step;
}

/** The lines at which objects begin, by their paths. */
type Lines = ReadonlyMap<string, number>;

/**
 * Walks over the text token by token. Throws a BrokenFile where it is no JSON, nested too deeply, or more than memory may be had for, and where an object
 * has one name twice, of which all but the last would be lost. Gives the lines of all objects that are no deeper than three levels, which are what
 * formats call a task.
 */
function linesOf(text: string): Lines {
  const lines = new Map<string, number>();
  const open: Open[] = [];
  let [at, line, values] = [0, 1, 0];
  /** The things that may stand here: a value, a key, what follows a value, or a value or key that ends an empty list or object. */
  let state = 'value' as State;
  const broken = (reason: string) => new BrokenFile(line, reason);
  const close = () => {
    open.pop();
    state = 'after';
  };
  const begin = (isList: boolean) => {
    if (open.length === TRANSFER_BOUNDS.depth) throw broken(`it is nested deeper than ${TRANSFER_BOUNDS.depth} levels`);
    if (!isList && open.length <= 4) lines.set(pathText(open.map(({ step }) => step)), line);
    open.push({ isList, names: new Set(), step: isList ? 0 : '' });
    state = isList ? 'first' : 'firstKey';
  };
  const count = () => {
    if (++values > MOST_VALUES) throw broken(`it has more than ${MOST_VALUES} values`);
  };
  const named = ({ names }: Open, name: string) => {
    if (names.has(name)) throw broken(`the name ${JSON.stringify(name.slice(0, 60))} stands twice in one object`);
    if (names.size === MOST_NAMES) throw broken(`an object has more than ${MOST_NAMES} names`);
    names.add(name);
    return name;
  };
  for (;;) {
    for (; ' \t\r\n'.includes(text[at] ?? '.'); at++) if (text[at] === '\n') line++;
    if (at === text.length) break;
    const character = text[at] as string;
    const top = open.at(-1);
    if (state === 'after') {
      if (top === undefined) throw broken('something follows after its end');
      if (character === ',') {
        if (top.isList) top.step = Number(top.step) + 1;
        state = top.isList ? 'value' : 'key';
      } else if (character === (top.isList ? ']' : '}')) close();
      else throw broken(`a comma or ${top.isList ? ']' : '}'} is missing`);
      at++;
    } else if (state === 'colon') {
      if (character !== ':') throw broken('a colon is missing');
      state = 'value';
      at++;
    } else if ((state === 'first' && character === ']') || (state === 'firstKey' && character === '}')) {
      close();
      at++;
    } else if (state === 'key' || state === 'firstKey') {
      if (character !== '"') throw broken('a name in quotes is missing');
      const end = endOfString(text, at, broken);
      if (top !== undefined) top.step = named(top, JSON.parse(text.slice(at, end)) as string);
      at = end;
      state = 'colon';
    } else if (character === '{' || character === '[') {
      count();
      begin(character === '[');
      at++;
    } else {
      count();
      at = character === '"' ? endOfString(text, at, broken) : endOfWord(text, at, broken);
      state = 'after';
    }
  }
  if (open.length > 0 || state !== 'after') throw broken('it ends too early');
  return lines;
}

function endOfString(text: string, start: number, broken: (reason: string) => BrokenFile): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) {
      ESCAPED.lastIndex = at + 1;
      if (!ESCAPED.test(text)) throw broken('a text has an escape that does not exist');
      at = ESCAPED.lastIndex - 1;
    } else if (code === 0x22) return at + 1;
    else if (code < 0x20) throw broken('a text has a line break or control character in it');
  }
  throw broken('a text does not end');
}

function endOfWord(text: string, start: number, broken: (reason: string) => BrokenFile): number {
  WORD.lastIndex = start;
  if (!WORD.test(text)) throw broken(`a value can't begin with ${JSON.stringify(text[start])}`);
  return WORD.lastIndex;
}

function pathText(path: readonly Step[]): string {
  return path.map((step) => `/${step}`).join('');
}

/** A value of the file, and where it stands. Asked for another kind of value than it is, it refuses the file. */
export interface Cursor {
  readonly value: unknown;
  /** The line of the object that it is, or is in. */
  readonly line: number;
  /** Refuses the file here. */
  refuse(reason: string): never;
  /** The field; its value is undefined where it is not there. */
  at(name: string): Cursor;
  list(what: string, most?: number): Cursor[];
  /** Names of the fields. */
  names(): string[];
  object(what: string): Cursor;
  /** A text; '' where it is missing or null. */
  text(what: string): string;
  isThere(): boolean;
}

/** Reads JSON. Throws a BrokenFile. */
export function readJson(text: string): Cursor {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lines = linesOf(source);
  return cursorAt(JSON.parse(source), [], lines);
}

function cursorAt(value: unknown, path: readonly Step[], lines: Lines): Cursor {
  const line = nearestLine(path, lines);
  const self: Cursor = {
    value,
    line,
    refuse(reason) {
      throw new BrokenFile(line, reason);
    },
    at: (name) => cursorAt(ownField(value, name), [...path, name], lines),
    list(what, most = Number.POSITIVE_INFINITY) {
      if (!Array.isArray(value)) return self.refuse(`${what} must be a list`);
      if (value.length > most) return self.refuse(`${what} has more than ${most} entries`);
      return value.map((each, index) => cursorAt(each, [...path, index], lines));
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

function nearestLine(path: readonly Step[], lines: Lines): number {
  for (let length = path.length; length >= 0; length--) {
    const line = lines.get(pathText(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return 1;
}
