// Values in JSON of programs that do not enforce a type: ids are numbers or texts, and texts may be
// lists of lines. Rule: IO2.
import type { JsonCursor } from './json-cursor.ts';

/** An id as text; '' if there is none. Refuses values other than numbers and texts. */
export function idIn(cursor: JsonCursor, what: string): string {
  const { value } = cursor;
  return typeof value === 'number' ? String(value) : cursor.text(what).trim();
}

/** The text of a field; '' if there is none. A list becomes one line for each item. */
export function textAt(cursor: JsonCursor, name: string): string {
  const field = cursor.at(name);
  const { value } = field;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return field.text(JSON.stringify(name));
  return field
    .list(JSON.stringify(name))
    .map((item) => `- ${idIn(item, `an item of ${JSON.stringify(name)}`)}`)
    .join('\n');
}

/** The texts in a list; a single text counts as a list of one. */
export function textsAt(cursor: JsonCursor, name: string): string[] {
  const field = cursor.at(name);
  if (!field.isThere()) return [];
  if (typeof field.value === 'string') return [field.value];
  return field.list(JSON.stringify(name)).map((item) => idIn(item, `an item of ${JSON.stringify(name)}`));
}

/** A finite number; null if there is none. Refuses other values. */
export function numberAt(cursor: JsonCursor, name: string): number | null {
  const field = cursor.at(name);
  if (!field.isThere()) return null;
  const number =
    typeof field.value === 'number' ? field.value : Number(field.text(JSON.stringify(name)).trim() || Number.NaN);
  return Number.isFinite(number) ? number : field.refuse(`${JSON.stringify(name)} must be a number`);
}

/** One description of several texts: each text with a title follows it as a section. */
export function joinSections(sections: readonly (readonly [title: string, text: string])[]): string {
  return sections
    .filter(([, text]) => text.trim() !== '')
    .map(([title, text]) => (title === '' ? text : `## ${title}\n\n${text}`))
    .join('\n\n');
}
