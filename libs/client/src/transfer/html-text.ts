// The plain text of HTML, for formats whose descriptions are HTML. Rule: IO2.

/** Tags after which a line ends. */
const ENDING = new Set(['br', '/p', '/li', '/div', '/tr', '/h1', '/h2', '/h3', '/h4', '/h5', '/h6']);
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

/** The text without its tags; lines stay lines. `onAddress` is called for each link and picture, since their addresses are lost. */
export function textOfHtml(html: string, onAddress: () => void): string {
  let [text, at] = ['', 0];
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', at)) {
    const name = /^\/?[a-z][a-z0-9]{0,9}/i.exec(html.slice(open + 1, open + 13))?.[0].toLowerCase();
    const close = name === undefined ? open : html.indexOf('>', open);
    if (close < 0) break;
    // A `<` that begins no tag is text.
    text += html.slice(at, name === undefined ? open + 1 : open);
    if (ENDING.has(name ?? '')) text += '\n';
    if (name === 'a' || name === 'img') onAddress();
    at = close + 1;
  }
  text += html.slice(at);
  const plain = text.replaceAll(/&(lt|gt|quot|apos|nbsp|amp|#39|#34);/g, (_, entity: string) => ENTITIES[entity] ?? '');
  return at === 0 && plain === html ? html : plain.trim();
}
