// Parses values.yaml with its comments: `# -- text` documents the key below it, and a preceding `#
// @schema {...}` adds to its schema.
import { parse } from 'yaml';

/** A key with a documenting comment. */
export interface DocumentedKey {
  /** Keys from the root, joined by dots. */
  readonly path: string;
  readonly description: string;
  /** The keywords of `@schema`, which override those of the default. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

export type Values = Readonly<Record<string, unknown>>;

const KEY = /^( *)([A-Za-z_][\w.-]*):/;

/**
 * All documented keys in order. Throws if a comment documents nothing or its schema is not JSON.
 */
export function readDocumented(text: string): DocumentedKey[] {
  const values = parse(text) as Values;
  const found: DocumentedKey[] = [];
  const above: { indent: number; key: string }[] = [];
  let comment: string[] = [];
  for (const line of text.split('\n')) {
    const said = /^ *# ?(.*)$/.exec(line)?.[1];
    if (said !== undefined) {
      comment.push(said);
      continue;
    }
    const [, spaces = '', key = ''] = KEY.exec(line) ?? [];
    if (key !== '') {
      while (above.length > 0 && (above.at(-1)?.indent ?? 0) >= spaces.length) above.pop();
      above.push({ indent: spaces.length, key });
      const path = above.map((each) => each.key).join('.');
      const documented = documentedBy(path, comment, valueAt(values, path));
      if (documented !== null) found.push(documented);
    }
    comment = [];
  }
  return found;
}

function documentedBy(path: string, comment: readonly string[], value: unknown): DocumentedKey | null {
  const start = comment.findIndex((line) => line.startsWith('-- '));
  if (start < 0) return null;
  const description = comment.slice(start).map((line) => line.replace(/^-- /, ''));
  const schemas = comment.filter((line) => line.startsWith('@schema ')).map((line) => parseSchema(path, line.slice(8)));
  return { path, description: description.join(' '), schema: Object.assign({}, ...schemas), value };
}

function parseSchema(path: string, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`values.yaml: the @schema of ${path} is not JSON: ${text}`, { cause: error });
  }
}

export function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Values | null | undefined)?.[key], values);
}

export function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
