// The addresses of the console, without the browser: from a path to a place and back. The gateway
// answers the same first segments with the page (CON1).

/** The views of the sidebar, in its order. The panel of a task opens beside each of them. */
export const VIEW_NAMES = [
  'ready',
  'graph',
  'outline',
  'board',
  'plan',
  'history',
  'trash',
  'shared',
  'settings',
] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

const FORMS = ['signin', 'register', 'forgot'] as const;

/** A place in the console. `unknown` has no page. */
export type Place =
  | { readonly view: ViewName | (typeof FORMS)[number] | 'users' | 'unknown' }
  | { readonly view: 'task'; readonly id: string }
  | { readonly view: 'published'; readonly token: string };

export function placeOf(path: string): Place {
  const [, first = '', second, ...more] = path.replace(/(.)\/$/, '$1').split('/');
  if (first === 'task' && second !== undefined && second !== '' && more.length === 0) {
    return { view: 'task', id: decoded(second) };
  }
  if (first === 'p' && second !== undefined && second !== '' && more.length === 0) {
    return { view: 'published', token: decoded(second) };
  }
  if (first === 'admin' && second === 'users' && more.length === 0) return { view: 'users' };
  if (second !== undefined) return { view: 'unknown' };
  if (first === '') return { view: 'ready' };
  return SIMPLE.find(({ view }) => view === first) ?? { view: 'unknown' };
}

export function pathOf(place: Exclude<Place, { view: 'unknown' }>): string {
  switch (place.view) {
    case 'task':
      return `/task/${encodeURIComponent(place.id)}`;
    case 'published':
      return `/p/${encodeURIComponent(place.token)}`;
    case 'users':
      return '/admin/users';
    default:
      return `/${place.view}`;
  }
}

/** A query with other values; null removes a parameter. Colons and commas stay readable. */
export function searchWith(search: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

const SIMPLE: readonly Place[] = [...VIEW_NAMES, ...FORMS].map((view) => ({ view }));

/** A broken escape names no task. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
