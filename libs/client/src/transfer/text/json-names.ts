// The names of fields at the beginning of JSON text of any length, by their paths. Rule: IO9.
import { endQuoteOf } from './json-text.ts';

const MAXIMUM_NAMES = 2_000;
const MAXIMUM_NAME_LENGTH = 100;
const MAXIMUM_DEPTH = 3;
/** The characters that are read at most. */
const BEGINNING = 1_000_000;
/** Separates the names of a path. */
const SEPARATOR = '\0';

/**
 * The paths of names in an object, such as `tasks`, `id` for an `id` in the list `tasks`. A list
 * adds nothing to a path.
 */
export function namePaths(text: string): readonly (readonly string[])[] {
  const paths = new Set<string>();
  /** The path of each open object or list. */
  const open: (readonly string[])[] = [];
  let [path, name]: [readonly string[], string] = [[], ''];
  const most = Math.min(text.length, BEGINNING);
  for (let at = 0; at < most && paths.size < MAXIMUM_NAMES; at++) {
    const character = text[at];
    if (character === '"') {
      const end = Math.min(endQuoteOf(text, at, most) + 1, most);
      const next = afterBlanks(text, end);
      if (text[next] === ':' && open.length > 0) {
        name = text.slice(at + 1, Math.min(end - 1, at + 1 + MAXIMUM_NAME_LENGTH));
        if (path.length < MAXIMUM_DEPTH) paths.add([...path, name].join(SEPARATOR));
      }
      at = end - 1;
    } else if (character === '{' || character === '[') {
      open.push(path);
      if (name !== '') path = [...path.slice(0, MAXIMUM_DEPTH), name];
      name = '';
    } else if (character === '}' || character === ']') {
      path = open.pop() ?? [];
      name = '';
    } else if (character === ',') name = '';
  }
  return [...paths].map((each) => each.split(SEPARATOR));
}

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (' \t\r\n'.includes(text[at] ?? '.')) at++;
  return at;
}
