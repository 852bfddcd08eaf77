// XML, with its text and attributes escaped.

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** An element. Content that begins with `<` is taken as markup, made here too; all other is text. */
export function stringify(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: readonly string[] = [],
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(String(value))}"`);
  const inside = content.map((each) => (each.startsWith('<') ? each : escapeText(each)));
  return inside.length === 0 ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${inside.join('')}</${name}>`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPED[character] as string);
}
