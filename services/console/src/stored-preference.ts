// A preference of the reader that this browser stores. Tests of single modules have no browser.

interface BrowserStorage {
  readonly localStorage: { getItem(key: string): string | null };
}

/** Null too where the browser blocks the data of pages. */
export function storedPreference(name: string): string | null {
  try {
    return (globalThis as unknown as BrowserStorage).localStorage.getItem(preferenceKey(name));
  } catch {
    return null;
  }
}

export function preferenceKey(name: string): string {
  return `taskgraph.${name}`;
}
