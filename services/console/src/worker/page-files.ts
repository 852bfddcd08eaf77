// The files that a page of the console loads first, by the addresses in its text.

/** As the build names those that the service worker stores. */
const STORED_FILE = /\.(js|css|svg)$/;

export function filesOf(page: string): readonly string[] {
  return page.split(/["']/).filter((text) => text.startsWith('/assets/') && STORED_FILE.test(text));
}
