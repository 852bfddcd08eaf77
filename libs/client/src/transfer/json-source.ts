// JSON with the lines of its values, so that a broken file is refused where it is broken. It is bounded in depth, and walks without recursion. Rule: IO2.
import { BrokenFile, TRANSFER_BOUNDS } from './model.ts';

const ESCAPED = /u[0-9a-fA-F]{4}|["\\/bfnrt]/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Values of a file, of all kinds: several times as many as the largest graph has. Each takes memory many times its length. */
const MOST_VALUES = 5_000_000;
/** Names in one object: more than any format has fields. */
const MOST_NAMES = 10_000;
/** Entries of one list, and values that follow each other: as many as the largest graph has links. Each has a cursor, which is larger than it. */
const MOST_ENTRIES = TRANSFER_BOUNDS.links;
/** Levels of lists and objects around an object whose line is kept: a task stands in a list of a project in a namespace. */
const LINED_LEVELS = 8;

type Step = string | number;

type State = 'value' | 'key' | 'colon' | 'after' | 'first' | 'firstKey';

interface Open {
  readonly isList: boolean;
  /** The names in it so far. */
  readonly names: Set<string>;
  /** The key or the index of the value that comes next. */
  step: Step;
  /** Undefined where lines are no longer kept. */
  readonly lines: Lines | undefined;
}

/**
 * The lines of an object or list and of those in it. A tree: paths as texts would each repeat the names above them, which may be as long as the
 * file is.
 */
interface Lines {
  /** The line of the object; of a list that of the object around it. */
  readonly line: number;
  within: Map<Step, Lines> | undefined;
}

/** A value of the file. */
interface JsonValue {
  /** Where it begins. */
  readonly start: number;
  readonly lines: Lines;
}

/**
 * Walks over the text token by token. Throws a BrokenFile where it is no JSON, nested too deeply, or more than memory may be had for, and where an object
 * has one name twice, of which all but the last would be lost. Gives the lines of all objects that are no deeper than `LINED_LEVELS`, which are what
 * formats call a task. With `several`, further values may follow the first, as in JSON Lines and in the output of jq.
 */
function scan(text: string, several: boolean): JsonValue[] {
  const found: JsonValue[] = [];
  const open: Open[] = [];
  let [at, line, values] = [0, 1, 0];
  /** The things that may stand here: a value, a key, what follows a value, or a value or key that ends an empty list or object. */
  let state = 'value' as State;
  const broken = (reason: string) => new BrokenFile(line, reason);
  const close = () => {
    open.pop();
    state = 'after';
  };
  const linesWithin = (isList: boolean): Lines | undefined => {
    const top = open.at(-1);
    if (top === undefined) return found.at(-1)?.lines;
    if (top.lines === undefined || open.length >= LINED_LEVELS) return undefined;
    const own = { line: isList ? top.lines.line : line, within: undefined };
    top.lines.within ??= new Map();
    top.lines.within.set(top.step, own);
    return own;
  };
  const begin = (isList: boolean) => {
    if (open.length === TRANSFER_BOUNDS.depth) throw broken(`it is nested deeper than ${TRANSFER_BOUNDS.depth} levels`);
    open.push({ isList, names: new Set(), step: isList ? 0 : '', lines: linesWithin(isList) });
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
    if (top === undefined) {
      if (state === 'after' && !several) throw broken('something follows after its end');
      if (found.length === MOST_ENTRIES) throw broken(`more than ${MOST_ENTRIES} values follow each other`);
      state = 'value';
      found.push({ start: at, lines: { line, within: undefined } });
    }
    if (state === 'after' && top !== undefined) {
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
  return found;
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
  const source = withoutMark(text);
  const [first] = scan(source, false);
  return cursorAt(JSON.parse(source), first?.lines, 1);
}

/** Reads values of JSON that follow each other, at least one. Throws a BrokenFile. */
export function readJsonValues(text: string): Cursor[] {
  const source = withoutMark(text);
  const found = scan(source, true);
  return found.map(({ start, lines }, index) =>
    cursorAt(JSON.parse(source.slice(start, found[index + 1]?.start)), lines, lines.line),
  );
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** `around`: the line of the object that the value is in. */
function cursorAt(value: unknown, lines: Lines | undefined, around: number): Cursor {
  const line = lines?.line ?? around;
  const within = (step: Step, inner: unknown) => cursorAt(inner, lines?.within?.get(step), line);
  const self: Cursor = {
    value,
    line,
    refuse(reason) {
      throw new BrokenFile(line, reason);
    },
    at: (name) => within(name, ownField(value, name)),
    list(what, most = MOST_ENTRIES) {
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
