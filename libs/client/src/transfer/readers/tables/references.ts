// Finds the tasks that the cells of a table name: by ids, titles and numbers of rows, several in one
// cell, with types of dependencies and lags. Rules: IO7, IO10.
import { foldText } from '@taskgraph/domain/find/fold-text';
import type { DependencyType } from '../../graph/dependency-types.ts';
import { push } from '../../graph/transfer-graph.ts';
import { splitWords } from '../../text/csv-table.ts';
import { isBlank } from '../../values/words.ts';

export interface ReferenceTarget {
  readonly key: string;
  readonly title: string;
  /** Other ids and outline numbers of the row. */
  readonly aliases: readonly string[];
  /** The number of the row below the heads. */
  readonly number: number;
}

/** `several` if more than one task has the name. */
export type TaskMatch = { readonly key: string; readonly byRow: boolean } | 'several' | null;

export interface TaskReferences {
  find(name: string): TaskMatch;
}

/**
 * A cell names a task by its id, its exact title, another id, or the words of its title (IO7), in
 * this order. A title that several tasks have names none. If the table has no ids, a number is that
 * of a row.
 */
export function taskReferences(rows: readonly ReferenceTarget[], hasIds: boolean): TaskReferences {
  const ids = new Set(rows.map(({ key }) => key));
  const byTitle = new Map<string, string[]>();
  for (const { key, title } of rows) push(byTitle, title, key);
  const aliases = new Map<string, string | null>();
  for (const { key, aliases: names } of rows) {
    for (const name of new Set(names)) {
      const known = aliases.get(name);
      aliases.set(name, known === undefined || known === key ? key : null);
    }
  }
  const folded = [(text: string) => text.normalize(), foldText].map((fold) => {
    const keys = new Map<string, string | null>();
    for (const { key, title } of rows) keys.set(fold(title), keys.has(fold(title)) ? null : key);
    return (name: string) => keys.get(fold(name));
  });
  const byNumber = new Map(rows.map(({ number, key }) => [String(number), key]));
  const exact = (name: string): TaskMatch => {
    if (name === '') return null;
    if (ids.has(name)) return { key: name, byRow: false };
    const [key, another] = byTitle.get(name) ?? [];
    if (key !== undefined) return another === undefined ? { key, byRow: false } : 'several';
    const alias = aliases.get(name);
    if (alias !== undefined) return alias === null ? 'several' : { key: alias, byRow: false };
    // If several titles match the stricter comparison, the other one cannot choose between them.
    const words = folded.map((find) => find(name)).find((each) => each !== undefined);
    if (words !== undefined) return words === null ? 'several' : { key: words, byRow: false };
    const row = hasIds ? undefined : byNumber.get(name);
    return row === undefined ? null : { key: row, byRow: true };
  };
  return {
    find(name) {
      let found: TaskMatch = null;
      for (const form of formsOf(name)) {
        found = exact(form) ?? found;
        if (found !== null && found !== 'several') return found;
      }
      return found;
    },
  };
}

/** Characters of a name that may have several forms. */
const MAXIMUM_NAME_LENGTH = 1_000;

/**
 * The forms in which programs write the name of a task: with a number sign, a link, or the key
 * before its title.
 */
function formsOf(name: string): string[] {
  const forms = [name];
  if (name.length > MAXIMUM_NAME_LENGTH) return forms;
  if (/^#\d/.test(name)) forms.push(name.slice(1));
  const link = name.endsWith(')') ? name.lastIndexOf(' (') : -1;
  if (link > 0 && /https?:\/\/|\.md|\.csv/.test(name.slice(link))) forms.push(name.slice(0, link));
  const keyed = /^([A-Z][A-Z0-9_]*-\d+|#\d+)(?::|\s)/.exec(name);
  if (keyed !== null) forms.push(keyed[1] as string, (keyed[1] as string).slice(1));
  const quoted = /^(["'])(.+)\1$/.exec(name);
  if (quoted !== null) forms.push(quoted[2] as string);
  if (/^\d+\.0+$/.test(name)) forms.push(name.slice(0, name.indexOf('.')));
  return forms;
}

/** A task that a cell names, or the reason why it names none. */
export interface TaskReference {
  readonly name: string;
  readonly found: TaskMatch;
  readonly type: DependencyType;
  /** As written, such as `+2d`; '' for none. */
  readonly lag: string;
  /** The relation that the cell writes before the task, as Redmine does. */
  readonly relation: Relation | null;
}

export type Relation = 'waitsFor' | 'blocks' | 'related';

/** The types in English, and in German as Microsoft Project writes them. */
const TYPES: ReadonlyMap<string, DependencyType> = new Map(
  Object.entries({ FS: 'FS', SS: 'SS', FF: 'FF', SF: 'SF', EA: 'FS', AA: 'SS', EE: 'FF', AE: 'SF' } as const),
);
const RELATIONS: ReadonlyMap<string, Relation> = new Map(
  Object.entries({
    'blocked by': 'waitsFor',
    'is blocked by': 'waitsFor',
    'depends on': 'waitsFor',
    follows: 'waitsFor',
    blocks: 'blocks',
    precedes: 'blocks',
    'related to': 'related',
    'relates to': 'related',
    duplicates: 'related',
    'is duplicate of': 'related',
    'has duplicate': 'related',
    'copied from': 'related',
    'copied to': 'related',
  } as const satisfies Record<string, Relation>),
);

/** The relation at the beginning of a text, and the rest of the text. */
function relationIn(text: string): { readonly relation: Relation; readonly rest: string } | null {
  const folded = text.toLowerCase();
  for (const [words, relation] of RELATIONS) {
    if (folded.startsWith(`${words} `) || folded.startsWith(`${words}: `))
      return { relation, rest: text.slice(text.indexOf(' ', words.length)).trim() };
  }
  return null;
}

/** Characters of a name with a type or lag. */
const MAXIMUM_DEPENDENCY_LENGTH = 200;
/** A title with commas has at most this many parts. */
const MAXIMUM_PARTS = 8;

/** The tasks that a cell names. Throws a BrokenFile if they are too many. */
export function tasksIn(cell: string, line: number, references: TaskReferences): TaskReference[] {
  const named: TaskReference[] = [];
  const whole = taskReference(cell, references);
  if (isFound(whole)) return [whole];
  if (isBlank(cell)) return [];
  const inner = /^\[[^[\]]*\]$/.test(cell) ? cell.slice(1, -1) : cell;
  for (const word of splitWords(inner.replaceAll('\n', ';'), line)) {
    const found = taskReference(word, references);
    if (isFound(found) || isBlank(word)) named.push(...(isFound(found) ? [found] : []));
    else named.push(...tasksBetweenCommas(word, references));
  }
  return named;
}

function isFound({ found }: TaskReference): boolean {
  return found !== null && found !== 'several';
}

/** Titles may have commas too: the longest run of parts that names a task counts. */
function tasksBetweenCommas(word: string, references: TaskReferences): TaskReference[] {
  const parts = word.split(',');
  const named: TaskReference[] = [];
  for (let at = 0; at < parts.length; ) {
    let [length, found]: [number, TaskReference | null] = [1, null];
    for (let end = Math.min(parts.length, at + MAXIMUM_PARTS); end > at && found === null; end--) {
      const each = taskReference(parts.slice(at, end).join(',').trim(), references);
      if (isFound(each)) [length, found] = [end - at, each];
    }
    const part = (parts[at] ?? '').trim();
    if (found !== null) named.push(found);
    else if (!isBlank(part)) named.push(...tasksBetweenSpaces(part, references));
    at += length;
  }
  return named;
}

/** Ids between spaces, `&`, `+`, `/` or `and`, if all of them name tasks. */
function tasksBetweenSpaces(part: string, references: TaskReferences): TaskReference[] {
  const words =
    part.length > MAXIMUM_DEPENDENCY_LENGTH
      ? []
      : part.split(/[\s&/+]+/).filter((word) => word !== '' && word !== 'and');
  const tasks = words.map((word) => taskReference(word, references));
  return tasks.length > 1 && tasks.every(isFound) ? tasks : [taskReference(part, references)];
}

function taskReference(name: string, references: TaskReferences): TaskReference {
  const plain: TaskReference = { name, found: references.find(name), type: 'FS', lag: '', relation: null };
  if (isFound(plain) || name.length > MAXIMUM_DEPENDENCY_LENGTH) return plain;
  const related = relationIn(name);
  if (related !== null) {
    const { relation, rest } = related;
    const delay = /\s\(([^()]{1,40})\)$/.exec(rest);
    const base = delay === null ? rest : rest.slice(0, delay.index);
    const found = references.find(base);
    return {
      name,
      found,
      type: 'FS',
      lag: delay?.[1] ?? '',
      relation,
    };
  }
  return withType(name, references) ?? plain;
}

/** `3FS+2 days`: the lag is cut off first, and then the type. */
function withType(name: string, references: TaskReferences): TaskReference | null {
  const at = Math.max(name.lastIndexOf('+'), name.lastIndexOf('-'));
  const isWritten = at > 0 && /^[+-]\s?\d{1,6}(?:[.,]\d{1,4})?\s?[a-z]{0,12}\.?%?\??$/i.test(name.slice(at));
  const bases = isWritten
    ? [
        [name.slice(0, at), name.slice(at)],
        [name, ''],
      ]
    : [[name, '']];
  for (const [base = '', written = ''] of bases) {
    const dependency = base.trim();
    const type = TYPES.get(dependency.slice(-2).toUpperCase());
    // A number after a hyphen may belong to a range.
    const isLag = written !== '' && (type !== undefined || /[a-z%]/i.test(written));
    const id = (type === undefined ? dependency : dependency.slice(0, -2)).trim();
    if (type === undefined && !isLag) continue;
    const found = references.find(id);
    if (found !== null && found !== 'several') return { name, found, type: type ?? 'FS', lag: written, relation: null };
  }
  return null;
}
