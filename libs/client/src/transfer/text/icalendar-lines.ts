// Reads the lines of iCalendar (RFC 5545) into components with properties and their lines. Rule: IO2.
import { BrokenFile, excerpt } from '../graph/transfer-graph.ts';

export interface IcalendarProperty {
  /** In capitals. */
  readonly name: string;
  readonly line: number;
  /** By name in capitals, without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Still escaped. */
  readonly value: string;
}

export interface IcalendarComponent {
  /** In capitals. */
  readonly name: string;
  readonly line: number;
  readonly properties: IcalendarProperty[];
  readonly components: IcalendarComponent[];
}

const MAXIMUM_LINES = 2_000_000;
const MAXIMUM_DEPTH = 10;
const MAXIMUM_PARAMETERS = 100;

/** The outermost components. Throws a BrokenFile. */
export function readIcalendarLines(text: string): IcalendarComponent[] {
  const roots: IcalendarComponent[] = [];
  const open: IcalendarComponent[] = [];
  for (const { line, text: content } of unfoldedLines(text)) {
    const property = propertyOf(content, line);
    const word = property.value.trim().toUpperCase();
    if (property.name === 'BEGIN') {
      if (open.length === MAXIMUM_DEPTH)
        throw new BrokenFile(line, `components are nested more than ${MAXIMUM_DEPTH} levels deep`);
      const component: IcalendarComponent = { name: word, line, properties: [], components: [] };
      (open.at(-1)?.components ?? roots).push(component);
      open.push(component);
    } else if (property.name === 'END') {
      if (open.pop()?.name !== word) throw new BrokenFile(line, `END:${word.slice(0, 40)} ends no open component`);
    } else {
      const component = open.at(-1);
      if (component === undefined) throw new BrokenFile(line, 'a property is in no component');
      component.properties.push(property);
    }
  }
  const last = open.at(-1);
  if (last !== undefined) throw new BrokenFile(last.line, `a component ${last.name.slice(0, 40)} does not end`);
  return roots;
}

/** A line that begins with a space or tab continues the line before. */
function unfoldedLines(text: string): { readonly line: number; readonly text: string }[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, MAXIMUM_LINES + 1);
  if (lines.length > MAXIMUM_LINES) throw new BrokenFile(null, `it has more than ${MAXIMUM_LINES} lines`);
  const unfolded: { readonly line: number; readonly pieces: string[] }[] = [];
  for (const [index, each] of lines.entries()) {
    if (/^[ \t]/.test(each)) {
      const last = unfolded.at(-1);
      if (last !== undefined) last.pieces.push(each.slice(1));
      else if (each.trim() !== '') throw new BrokenFile(index + 1, 'a line continues no other line');
    } else if (each !== '') unfolded.push({ line: index + 1, pieces: [each] });
  }
  return unfolded.map(({ line, pieces }) => ({ line, text: pieces.join('') }));
}

/** NAME;PARAMETER=value;OTHER="value: in quotes":value */
function propertyOf(text: string, line: number): IcalendarProperty {
  // The standard has no `_`, but Synology writes it.
  const name = /^[A-Za-z0-9_-]+/.exec(text)?.[0];
  if (name === undefined) throw new BrokenFile(line, `${excerpt(text)} is not a property`);
  const parameters = new Map<string, string>();
  let at = name.length;
  while (text[at] === ';') {
    const end = endOfParameter(text, at + 1);
    const parameter = text.slice(at + 1, end);
    const equals = parameter.indexOf('=');
    if (parameters.size === MAXIMUM_PARAMETERS)
      throw new BrokenFile(line, `a property has more than ${MAXIMUM_PARAMETERS} parameters`);
    const key = equals < 0 ? parameter : parameter.slice(0, equals);
    parameters.set(key.toUpperCase(), equals < 0 ? '' : parameter.slice(equals + 1).replaceAll('"', ''));
    at = end;
  }
  if (text[at] !== ':') throw new BrokenFile(line, `the property ${name.slice(0, 40)} has no value`);
  return { name: name.toUpperCase(), line, parameters, value: text.slice(at + 1) };
}

/** The offset of the `;` or `:` that ends a parameter, outside of quotes. */
function endOfParameter(text: string, start: number): number {
  let inQuotes = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') inQuotes = !inQuotes;
    else if (!inQuotes && (character === ';' || character === ':')) return at;
  }
  return text.length;
}

/** The text of a value: line breaks and escaped characters. */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}

/** The texts of a list, which has commas between them. */
export function unescapeTexts(value: string): string[] {
  const texts: string[] = [];
  let start = 0;
  for (let at = 0; at <= value.length; at++) {
    if (value[at] === '\\') at++;
    else if (at === value.length || value[at] === ',') {
      texts.push(unescapeText(value.slice(start, at)));
      start = at + 1;
    }
  }
  if (start < value.length && value.endsWith('\\')) texts.push(unescapeText(value.slice(start)));
  return texts;
}
