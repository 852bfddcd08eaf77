// The characters that names and numbers such as `&amp;` and `&#9;` stand for.

/** The names that every markup has. */
const NAMED: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"' }));
const LAST_CODE_POINT = 0x10ffff;

/** The character of a number; null if there is none. */
export function characterOf(code: number): string | null {
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : null;
}

/** The character of `amp` or `#9`, without `&` and `;`; null if it is not known. */
export function characterNamed(name: string): string | null {
  if (/^#?\d{1,7}$/.test(name)) return characterOf(Number(name.replace('#', '')));
  return NAMED.get(name) ?? null;
}
