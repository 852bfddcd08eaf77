// Checks JSON text without recursion and records the lines of its objects. JSON.parse has neither
// bounds nor lines. Rule: IO2.
//
// 1. A rejected file costs no more memory than the bounds below allow.
// 2. An object has each name once: JSON.parse would silently keep only the last value.
// 3. The lines of all objects in up to LINED_LEVELS levels are recorded; no format nests tasks
//    deeper.
import { BrokenFile, excerpt, TRANSFER_BOUNDS } from '../graph/transfer-graph.ts';

const ESCAPE = /u[0-9a-fA-F]{4}|["\\/bfnrt]/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Most values of a file: several times the number in the largest graph. A value takes many times
 * its length in memory.
 */
const MAXIMUM_VALUES = 5_000_000;
/** Most names of an object: more than any format has fields. */
const MAXIMUM_NAMES = 10_000;
/**
 * Most items of a list, and most values one after the other: the number of links of the largest
 * graph.
 */
export const MAXIMUM_ENTRIES = TRANSFER_BOUNDS.links;
/**
 * Levels around an object whose line is recorded: a task is in a list of a project in a namespace.
 */
const LINED_LEVELS = 8;

/** A name of an object, or an index of a list. */
export type PathStep = string | number;

/**
 * The lines of an object or list and of the objects in it. A tree, because paths as texts would
 * repeat the names above them, which can be as long as the file.
 */
export interface LineTree {
  /** The line of the object. A list has the line of the object around it. */
  readonly line: number;
  within: Map<PathStep, LineTree> | undefined;
}

/** A value at the top level of the text. */
export interface ScannedValue {
  /** The offset at which it begins. */
  readonly start: number;
  readonly lines: LineTree;
}

/**
 * The next expected token: `value`, `key` and `colon` as named; `after`, a comma or an end; `first`
 * and `firstKey`, a value or key, or the end of an empty list or object.
 */
type ScanState = 'value' | 'key' | 'colon' | 'after' | 'first' | 'firstKey';

/** A list or object that has begun and not ended. */
interface OpenContainer {
  readonly isList: boolean;
  readonly names: Set<string>;
  /** The name or index of the next value. */
  step: PathStep;
  /** Undefined below the recorded levels. */
  readonly lines: LineTree | undefined;
}

/**
 * Scans the text and returns its values: exactly one, or with `several` one or more, as in JSON
 * Lines and in the output of jq. Throws a BrokenFile at the first fault.
 */
export function scanJson(text: string, several: boolean): ScannedValue[] {
  return new JsonScanner(text, several).scan();
}

class JsonScanner {
  readonly #text: string;
  readonly #several: boolean;
  readonly #found: ScannedValue[] = [];
  readonly #open: OpenContainer[] = [];
  #at = 0;
  #line = 1;
  #values = 0;
  #state: ScanState = 'value';

  constructor(text: string, several: boolean) {
    this.#text = text;
    this.#several = several;
  }

  scan(): ScannedValue[] {
    while (this.#skipSpace()) {
      const top = this.#open.at(-1);
      if (top === undefined) this.#beginValue();
      this.#readToken(this.#text[this.#at] as string, top);
    }
    if (this.#open.length > 0 || this.#state !== 'after') throw this.#broken('it ends too early');
    return this.#found;
  }

  #broken(reason: string): BrokenFile {
    return new BrokenFile(this.#line, reason);
  }

  /** Returns whether the text goes on. */
  #skipSpace(): boolean {
    for (; ' \t\r\n'.includes(this.#text[this.#at] ?? '.'); this.#at++) if (this.#text[this.#at] === '\n') this.#line++;
    return this.#at < this.#text.length;
  }

  /** Begins a value at the top level. */
  #beginValue(): void {
    if (this.#state === 'after' && !this.#several) throw this.#broken('something follows after its end');
    if (this.#found.length === MAXIMUM_ENTRIES)
      throw this.#broken(`more than ${MAXIMUM_ENTRIES} values follow each other`);
    this.#state = 'value';
    this.#found.push({ start: this.#at, lines: { line: this.#line, within: undefined } });
  }

  #readToken(character: string, top: OpenContainer | undefined): void {
    switch (this.#state) {
      case 'after':
        // Without an open container, `#beginValue` has changed the state.
        if (top !== undefined) this.#readSeparator(character, top);
        return;
      case 'colon':
        if (character !== ':') throw this.#broken('a colon is missing');
        this.#state = 'value';
        this.#at++;
        return;
      case 'key':
      case 'firstKey':
        if (this.#state === 'firstKey' && character === '}') this.#close();
        else this.#readName(character, top);
        return;
      case 'value':
      case 'first':
        if (this.#state === 'first' && character === ']') this.#close();
        else this.#readValue(character);
    }
  }

  #readSeparator(character: string, top: OpenContainer): void {
    const end = top.isList ? ']' : '}';
    if (character === end) {
      this.#close();
      return;
    }
    if (character !== ',') throw this.#broken(`a comma or ${end} is missing`);
    if (top.isList) top.step = Number(top.step) + 1;
    this.#state = top.isList ? 'value' : 'key';
    this.#at++;
  }

  #readName(character: string, top: OpenContainer | undefined): void {
    if (character !== '"') throw this.#broken('a name in quotes is missing');
    const end = this.#endOfString();
    if (top !== undefined) top.step = this.#uniqueName(top, JSON.parse(this.#text.slice(this.#at, end)) as string);
    this.#at = end;
    this.#state = 'colon';
  }

  #uniqueName({ names }: OpenContainer, name: string): string {
    if (names.has(name)) throw this.#broken(`an object has the name ${excerpt(name)} twice`);
    if (names.size === MAXIMUM_NAMES) throw this.#broken(`an object has more than ${MAXIMUM_NAMES} names`);
    names.add(name);
    return name;
  }

  #readValue(character: string): void {
    if (++this.#values > MAXIMUM_VALUES) throw this.#broken(`it has more than ${MAXIMUM_VALUES} values`);
    if (character === '{' || character === '[') {
      this.#openContainer(character === '[');
      this.#at++;
      return;
    }
    this.#at = character === '"' ? this.#endOfString() : this.#endOfWord();
    this.#state = 'after';
  }

  #openContainer(isList: boolean): void {
    if (this.#open.length === TRANSFER_BOUNDS.depth)
      throw this.#broken(`it is nested deeper than ${TRANSFER_BOUNDS.depth} levels`);
    this.#open.push({ isList, names: new Set(), step: isList ? 0 : '', lines: this.#recordLine(isList) });
    this.#state = isList ? 'first' : 'firstKey';
  }

  #recordLine(isList: boolean): LineTree | undefined {
    const top = this.#open.at(-1);
    if (top === undefined) return this.#found.at(-1)?.lines;
    if (top.lines === undefined || this.#open.length >= LINED_LEVELS) return undefined;
    const lines = { line: isList ? top.lines.line : this.#line, within: undefined };
    top.lines.within ??= new Map();
    top.lines.within.set(top.step, lines);
    return lines;
  }

  #close(): void {
    this.#open.pop();
    this.#state = 'after';
    this.#at++;
  }

  #endOfString(): number {
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x5c) {
        ESCAPE.lastIndex = at + 1;
        if (!ESCAPE.test(this.#text)) throw this.#broken('a text has an escape that does not exist');
        at = ESCAPE.lastIndex - 1;
      } else if (code === 0x22) return at + 1;
      else if (code < 0x20) throw this.#broken('a text has a line break or control character in it');
    }
    throw this.#broken('a text does not end');
  }

  #endOfWord(): number {
    WORD.lastIndex = this.#at;
    if (!WORD.test(this.#text)) throw this.#broken(`a value can't begin with ${JSON.stringify(this.#text[this.#at])}`);
    return WORD.lastIndex;
  }
}
