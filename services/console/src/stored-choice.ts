// A choice of the reader that this browser stores. Tests of single modules have no browser.

interface BrowserStorage {
  readonly localStorage: { getItem(key: string): string | null };
}

/** Null too where the browser blocks the data of pages. */
export function storedChoice(name: string): string | null {
  try {
    return (globalThis as unknown as BrowserStorage).localStorage.getItem(choiceKey(name));
  } catch {
    return null;
  }
}

export function choiceKey(name: string): string {
  return `taskgraph.${name}`;
}
