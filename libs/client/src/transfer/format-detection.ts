// Detects the format of a file by its name and beginning, and describes files of unknown formats.
// Rule: IO9.

import type { ImportFormat } from './formats.ts';
import { excerpt } from './graph/transfer-graph.ts';
import { endOfFrontMatter } from './text/front-matter.ts';
import { namePaths } from './text/json-names.ts';
import { endQuoteOf } from './text/json-text.ts';

/** The characters at the beginning that identify a text other than JSON. */
const BEGINNING = 20_000;
/** The most names of an object that detection reads. */
const MAXIMUM_NAMES = 1_000;
const MAXIMUM_NAME_LENGTH = 100;

/** The format of a file by its name and beginning; null if it has none that is supported. */
export function formatOf(text: string, name: string): ImportFormat | null {
  const start = text.slice(0, BEGINNING);
  if (/\.sm$/i.test(name) || start.includes('PRECEDENCE RELATIONS:')) return 'psplib';
  if (/^\uFEFF?"?TYPE"?[,;\t]"?CONTENT/i.test(start)) return 'todoist';
  if (/\.(csv|tsv|tab)$/i.test(name) || /^\uFEFF?"?sep=[^\r\n]"?[\r\n]/i.test(start)) return 'csv';
  const plan = planFormatOf(text, start, name);
  if (plan !== null) return plan;
  const plain = plainFormatOf(start, name);
  if (plain !== null) return plain;
  const first = firstObject(text);
  if (first === null) return null;
  const { inList, names, items } = first;
  const has = (...fields: readonly string[]) => fields.every((field) => names.has(field));
  if (!inList && has('taskgraph')) return 'taskgraph';
  if (has('uuid', 'description')) return 'taskwarrior';
  if (has('number', 'title') || (items?.has('number') && items.has('title'))) return 'github';
  if (inList && has('id') && VIKUNJA_NAMES.some((field) => names.has(field))) return 'vikunja';
  if (!inList && has('cards', 'lists', 'name')) return 'trello';
  if (!inList && (has('tasks') || has('pipeline')) && isTurbo(text, name)) return 'turbo';
  if (has('id', 'title', 'issue_type') || (has('_type') && /\.jsonl$/i.test(name))) return 'beads';
  if (!inList && hasTaskMasterList(text)) return 'task-master';
  return null;
}

/** The formats of plans and calendars that are not JSON. */
function planFormatOf(text: string, start: string, name: string): ImportFormat | null {
  if (/\.rcp$/i.test(name)) return 'patterson';
  if (/^\s*BEGIN:VCALENDAR/i.test(start.replace(/^\uFEFF/, ''))) return 'icalendar';
  if (start.includes('<Project') && start.includes('schemas.microsoft.com/project')) return 'msproject';
  if (start.includes('<project') && start.includes('gantt-divider-location')) return 'ganttproject';
  if (/\.ya?ml$/i.test(name) && /^jobs:/m.test(text) && /^(?:on|'on'|"on"):/m.test(text)) return 'github-actions';
  return null;
}

/** Configurations of other programs have tasks too. The address of a schema names the program. */
function isTurbo(text: string, name: string): boolean {
  if (/(?:^|[/\\])turbo\.jsonc?$/i.test(name)) return true;
  const schema = text.slice(0, BEGINNING).indexOf('"$schema"');
  return schema >= 0 && text.slice(schema, schema + MAXIMUM_NAME_LENGTH).includes('turbo');
}

/** The format of a text other than a table or JSON. */
function plainFormatOf(start: string, name: string): ImportFormat | null {
  const first = firstStatement(start);
  const format = PLAIN_FORMATS.find(
    ({ names, beginning }) => names.test(name) && (beginning.test(start) || beginning.test(first)),
  );
  return format?.format ?? null;
}

/** The first line that is no comment of a drawing and not in its head in YAML, with single blanks. */
function firstStatement(start: string): string {
  const lines = start
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !COMMENTS.some((sign) => line.startsWith(sign)));
  return (lines[endOfFrontMatter(lines) + 1] ?? '').split(/\s+/).join(' ');
}

const COMMENTS = ['%%', '//', '#', '/*', '*'];

/** Formats by the name and the beginning of a file, or its first statement. */
const PLAIN_FORMATS: readonly { readonly format: ImportFormat; readonly names: RegExp; readonly beginning: RegExp }[] =
  [
    {
      format: 'markdown',
      names: /\.(md|markdown|mdown)$/i,
      beginning: /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[^\d\]]\]/m,
    },
    { format: 'todo.txt', names: /(^|[\\/])(todo|done)\.txt$|\.todo\.txt$/i, beginning: /\S/ },
    { format: 'org', names: /\.org(_archive)?$/i, beginning: /^\*+ \S/m },
    {
      format: 'mermaid',
      names: /./,
      beginning: /^(?:(?:flowchart|graph) (?:TD|TB|BT|LR|RL)\b|gantt$)/,
    },
    { format: 'mermaid', names: /\.(mmd|mermaid)$/i, beginning: /\S/ },
    { format: 'dot', names: /./, beginning: /^(?:strict )?digraph\b/ },
    { format: 'dot', names: /\.(dot|gv)$/i, beginning: /\b(?:di)?graph\b/ },
  ];

/** Whether an object has a list `tasks` of Task Master, for itself or in one of its fields. */
function hasTaskMasterList(text: string): boolean {
  const lists = new Map<string, Set<string>>();
  for (const path of namePaths(text)) {
    const list = path.slice(0, -1).join('\0');
    if (path.at(-2) === 'tasks') lists.set(list, (lists.get(list) ?? new Set()).add(path.at(-1) ?? ''));
  }
  const others = ['dependencies', 'subtasks', 'testStrategy'];
  return [...lists.values()].some(
    (names) => names.has('id') && names.has('title') && others.some((name) => names.has(name)),
  );
}

/** Fields of Vikunja's projects, or before 0.21 namespaces, that tasks of other formats lack. */
const VIKUNJA_NAMES = ['tasks', 'parent_project_id', 'child_projects', 'buckets', 'lists', 'projects'];

interface FirstObject {
  /** Whether it is in a list. */
  readonly inList: boolean;
  readonly names: ReadonlySet<string>;
  /** The names of the first object in its list `items`. */
  readonly items: ReadonlySet<string> | null;
}

/**
 * The first object of JSON text of any length; null unless the text begins with an object or a list
 * of objects.
 */
function firstObject(text: string): FirstObject | null {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  let inList = false;
  for (; ' \t\r\n['.includes(text[start] ?? '.'); start++) inList ||= text[start] === '[';
  if (text[start] !== '{') return null;
  const names = new Set<string>();
  let items: Set<string> | null = null;
  /**
   * The set that collects the names of each open object or list, outermost first; null where names
   * are ignored.
   */
  const open: (Set<string> | null)[] = [names];
  let name = '';
  for (let at = start + 1; at < text.length && open.length > 0; at++) {
    const character = text[at];
    if (character === '"') {
      const end = Math.min(endQuoteOf(text, at) + 1, text.length);
      if (open.at(-1) !== null && isName(text, end)) {
        name = text.slice(at + 1, Math.min(end - 1, at + 1 + MAXIMUM_NAME_LENGTH));
        const into = open.at(-1);
        if (into !== undefined && into !== null && into.size < MAXIMUM_NAMES) into.add(name);
      }
      at = end - 1;
    } else if (character === '{') {
      const isItem: boolean = items === null && open.length === 2 && open[1] === null && name === 'items';
      if (isItem) items = new Set();
      open.push(isItem ? items : null);
    } else if (character === '[') open.push(null);
    else if (character === '}' || character === ']') open.pop();
  }
  return { inList, names, items };
}

/** Whether the text in quotes is the name of a field: a colon follows it. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (' \t\r\n'.includes(text[at] ?? '.')) at++;
  return text[at] === ':';
}

/** Descriptions by a pattern at the beginning. */
const BY_BEGINNING: readonly (readonly [beginning: RegExp, description: string])[] = [
  [/^<(?:\?xml|!doctype|html|opml|svg)\b/i, 'a document in XML or HTML'],
  [/^%PDF-/, 'a document in PDF'],
  [/^#\+\w|^\*+ [A-Z]+ /, 'a file of Org mode: rename it to .org, or use --format org'],
  [/^[-*] \[[ xX]\] /m, 'a list of tasks in Markdown: rename it to .md, or use --format markdown'],
];
/** Descriptions by the names in the first JSON object. */
const BY_NAMES: readonly (readonly [names: readonly string[], description: string])[] = [
  [['$schema', 'tasks'], 'the configuration of a program'],
  [['version', 'tasks'], 'the configuration of a program'],
  [['name', 'dependencies'], 'the description of a package'],
  [['issues', 'maxResults'], 'an answer of Jira'],
  [['message', 'documentation_url'], 'an error answer of GitHub'],
  [['data'], 'an answer of GraphQL or of another API'],
];
/** Most names of fields that a description lists. */
const MAXIMUM_LISTED = 6;

/** Describes a file of an unknown format for a message: `a document in PDF`. */
export function describeUnknownFile(text: string, name: string): string {
  const start = text
    .slice(0, BEGINNING)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start === '') return 'empty';
  if (/^\[\s*\]\s*$/.test(start)) return 'an empty list';
  const found = BY_BEGINNING.find(([beginning]) => beginning.test(start));
  if (found !== undefined) return found[1];
  const first = firstObject(text);
  if (first !== null) return describeObject(first);
  if (/^[[{"]/.test(start)) return 'JSON without tasks';
  if (/\.(ya?ml)$/i.test(name)) return 'a YAML file that is no workflow of GitHub Actions';
  const [line = ''] = start.split('\n', 1);
  const delimiters = /[,;\t]/.test(line) ? ', perhaps a table: rename it to .csv, or use --format csv' : '';
  return `a text that begins with ${excerpt(line)}${delimiters}`;
}

function describeObject({ inList, names }: FirstObject): string {
  const known = BY_NAMES.find(([needed]) => !inList && needed.every((name) => names.has(name)));
  const all = [...names].map((name) => JSON.stringify(name));
  const more = all.length > MAXIMUM_LISTED ? ` and ${all.length - MAXIMUM_LISTED} more` : '';
  const fields = `${inList ? 'a list of objects' : 'an object'} of JSON with ${all.slice(0, MAXIMUM_LISTED).join(', ') || 'no fields'}${more}`;
  return known === undefined ? fields : `${known[1]}: ${fields}`;
}
