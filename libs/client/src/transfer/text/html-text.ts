// The plain text of HTML, for formats with descriptions in HTML. Rule: IO2.

/** Tags that end a line. */
const LINE_ENDING_TAGS = new Set(['br', '/p', '/li', '/div', '/tr', '/h1', '/h2', '/h3', '/h4', '/h5', '/h6']);
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  amp: '&',
  '#39': "'",
  '#34': '"',
};

/**
 * Drops the tags and keeps the lines. Calls `onAddress` for each link and picture, whose address is
 * lost.
 */
export function htmlText(html: string, onAddress: () => void): string {
  let [text, at] = ['', 0];
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', at)) {
    const name = /^\/?[a-z][a-z0-9]{0,9}/i.exec(html.slice(open + 1, open + 13))?.[0].toLowerCase();
    const close = name === undefined ? open : html.indexOf('>', open);
    if (close < 0) break;
    // A `<` that begins no tag is text.
    text += html.slice(at, name === undefined ? open + 1 : open);
    if (LINE_ENDING_TAGS.has(name ?? '')) text += '\n';
    if (name === 'a' || name === 'img') onAddress();
    at = close + 1;
  }
  text += html.slice(at);
  const plain = text.replaceAll(/&(lt|gt|quot|apos|nbsp|amp|#39|#34);/g, (_, entity: string) => ENTITIES[entity] ?? '');
  return at === 0 && plain === html ? html : plain.trim();
}
