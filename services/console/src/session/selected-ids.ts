// The selection as a text of the address, and ranges of lists. A UUID has 22 characters there instead
// of 36: Node refuses requests whose address and headers have more than 16 KiB, which 500 UUIDs would.

/** As many as one batch has operations (BAT1). */
export const MOST_SELECTED = 500;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHORT = /^[\w-]{22}$/;
const NONE: ReadonlySet<string> = new Set();

/** The ids of a text, at most `MOST_SELECTED`. Ids may be short or whole. */
export function parseIds(text: string | null): ReadonlySet<string> {
  const ids = (text ?? '').split(',').filter((id) => id !== '');
  return ids.length === 0 ? NONE : new Set(ids.slice(0, MOST_SELECTED).map(longId));
}

/** The text for ids; null for none. */
export function printIds(ids: ReadonlySet<string>): string | null {
  return ids.size === 0 ? null : [...ids].map(shortId).join(',');
}

/** The ids of a list from one to another; only the other if the first is not in it. */
export function rangeOf(list: readonly string[], from: string, to: string): readonly string[] {
  const [first, last] = [list.indexOf(from), list.indexOf(to)];
  if (first < 0 || last < 0) return [to];
  // From its beginning on, so that a bound cuts the far end.
  return first <= last ? list.slice(first, last + 1) : list.slice(last, first + 1).reverse();
}

function shortId(id: string): string {
  if (!UUID.test(id)) return id;
  const bytes = id.replaceAll('-', '').match(/../g) ?? [];
  const text = btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function longId(text: string): string {
  if (!SHORT.test(text)) return text;
  const bytes = [...atob(`${text.replaceAll('-', '+').replaceAll('_', '/')}==`)];
  const digits = bytes.map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
