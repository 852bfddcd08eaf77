// The files that a page of the console loads first, by the addresses in its text.

/** As the build names those that the service worker stores. */
const ADDRESS = /(?<=["'])\/assets\/[^"'?#]+\.(?:js|css|svg)(?=["'])/g;

export function filesOf(page: string): readonly string[] {
  return page.match(ADDRESS) ?? [];
}
