// Draws asyncapi.json: each call with its fields, example and codes, and each push. All texts are set as texts, never as HTML.

/** Makes an element. Children that are texts stay texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The little of Markdown that descriptions have: paragraphs, lists, code and bold. */
export function markdown(text) {
  return text.split('\n\n').map((part) => {
    const lines = part.split('\n');
    if (!lines.every((line) => line.startsWith('- '))) return element('p', {}, ...inline(part));
    return element('ul', {}, ...lines.map((line) => element('li', {}, ...inline(line.slice(2)))));
  });
}

function inline(text) {
  // Backtracks: descriptions are ours, and have some hundred characters.
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    return part.startsWith('**') ? element('strong', {}, part.slice(2, -2)) : part;
  });
}

/** Follows a reference within the document. */
export function resolve(api, value) {
  if (value?.$ref === undefined) return value;
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name], api);
  return resolve(api, found);
}

const nameOf = (ref) => ref.slice(ref.lastIndexOf('/') + 1);

/** A schema's kind in a few words, with a link where it has a name. */
function kindOf(schema) {
  if (schema.$ref !== undefined) return [element('a', { href: `#schema-${nameOf(schema.$ref)}` }, nameOf(schema.$ref))];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return [schema.enum.map((one) => JSON.stringify(one)).join(' or ')];
  const some = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (some !== undefined) return some.flatMap((one, index) => [...(index > 0 ? [' or '] : []), ...kindOf(one)]);
  if (schema.type === 'array') return ['list of ', ...kindOf(schema.items ?? {})];
  return [schema.format ?? schema.type ?? 'anything'];
}

/** The fields of an object, or the forms that it may have. */
export function fields(schema) {
  const some = schema.anyOf ?? schema.oneOf;
  if (some !== undefined || schema.$ref !== undefined) return element('p', {}, 'One of: ', ...kindOf(schema));
  const entries = Object.entries(schema.properties ?? {});
  if (entries.length === 0) return element('p', {}, 'No fields.');
  const rows = entries.map(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true;
    const about = field.description === undefined ? [] : inline(field.description);
    const kind = element('td', {}, ...kindOf(field), isRequired ? '' : ', optional');
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, name)),
      kind,
      element('td', {}, ...about),
    );
  });
  return element('table', {}, element('tbody', {}, ...rows));
}

export const json = (value) => JSON.stringify(value, null, 2);

/** A block that opens and closes; `words` is what the search looks through. */
export function block({ id, kind, title, summary, words }, ...content) {
  const head = element('summary', {}, element('code', {}, title), ' ', element('span', {}, summary));
  const made = element('details', { id, class: kind }, head, ...content);
  made.dataset.words = [title, summary, words].join(' ').toLowerCase();
  return made;
}

/** Shows the blocks that have all words, and the headings above them. */
export function search(root, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of root.querySelectorAll('section')) {
    for (const one of section.querySelectorAll('details')) {
      one.hidden = !words.every((word) => one.dataset.words.includes(word));
    }
    section.hidden = section.querySelector('details:not([hidden])') === null;
  }
}
