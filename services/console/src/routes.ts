// The addresses of the console, without the browser: from a path to a place and back. The gateway
// answers the same first segments with the page (CON1).

/** A place in the console. `unknown` has no page. */
export type Place =
  | { readonly view: 'ready' }
  | { readonly view: 'graph' }
  | { readonly view: 'task'; readonly id: string }
  | { readonly view: 'signin' }
  | { readonly view: 'register' }
  | { readonly view: 'forgot' }
  | { readonly view: 'unknown' };

export function placeOf(path: string): Place {
  const [, first = '', second, ...more] = path.replace(/(.)\/$/, '$1').split('/');
  if (first === 'task' && second !== undefined && second !== '' && more.length === 0) {
    return { view: 'task', id: decoded(second) };
  }
  if (second !== undefined) return { view: 'unknown' };
  if (first === '') return { view: 'ready' };
  return SIMPLE.find(({ view }) => view === first) ?? { view: 'unknown' };
}

export function pathOf(place: Exclude<Place, { view: 'unknown' }>): string {
  return place.view === 'task' ? `/task/${encodeURIComponent(place.id)}` : `/${place.view}`;
}

const SIMPLE: readonly Place[] = [
  { view: 'ready' },
  { view: 'graph' },
  { view: 'signin' },
  { view: 'register' },
  { view: 'forgot' },
];

/** A broken escape names no task. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
