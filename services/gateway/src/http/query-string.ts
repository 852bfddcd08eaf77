// Parses a query string strictly: broken encoding is refused, and repeated names are reported.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/** More than any call has fields and ids; a longer query string is refused unread. */
const MOST_PARAMETERS = 200;

export interface QueryString {
  /** The values of a repeated name are separated by commas, like the values of a list. */
  readonly values: Record<string, string>;
  /** Names that occur more than once, in order. */
  readonly repeated: readonly string[];
}

/** `text` is the part after the `?`. Broken percent encoding is a `bad_request`. */
export function parseQueryString(text: string): QueryString | Refusal {
  // Without a prototype, `__proto__` is a name like any other.
  const values: Record<string, string> = Object.create(null);
  const repeated: string[] = [];
  const pairs = text.split('&', MOST_PARAMETERS + 1);
  if (pairs.length > MOST_PARAMETERS) {
    return refuse('bad_request', `A query string can have at most ${MOST_PARAMETERS} parameters.`);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const end = pair.indexOf('=');
    const name = decode(end < 0 ? pair : pair.slice(0, end));
    const value = decode(end < 0 ? '' : pair.slice(end + 1));
    if (name === null || value === null)
      return refuse('bad_request', 'The query string is not valid percent encoding.');
    if (name in values) repeated.push(name);
    values[name] = name in values ? `${values[name]},${value}` : value;
  }
  return { values, repeated };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
