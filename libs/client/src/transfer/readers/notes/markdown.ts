// Reads lists of tasks in Markdown: items with a box, below headings and other items. Rule: IO2.
import { addLink, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { createTaskIds } from '../../graph/task-ids.ts';
import {
  BrokenFile,
  excerpt,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';
import { joinLines, linesOf } from '../../text/file-lines.ts';
import { endOfFrontMatter } from '../../text/front-matter.ts';
import { reportStatus, UNKNOWN_STATUS } from '../../values/status-values.ts';
import { plainText, readTaskSigns, type TaskSigns } from './task-signs.ts';

/** A heading, an item or a task, and what is below it in the order of the file. */
interface Entry {
  readonly kind: 'file' | 'heading' | 'item' | 'task';
  /** The level of a heading, or the column of an item's sign. */
  readonly depth: number;
  readonly line: number;
  /** As in the file, for entries without tasks, which are text. */
  readonly raw: string;
  readonly text: string;
  /** The character in the box of a task. */
  readonly box: string;
  readonly content: (Entry | TextLine)[];
}

interface TextLine {
  readonly line: number;
  readonly raw: string;
}

const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const BOX = /^\[([^\d\]])\](\*?)(?=[ \t]|$)/u;
const FENCE = /^[ \t]*(`{3,}|~{3,})/;
const TAB_WIDTH = 4;
/** The mark of Obsidian's plugin Tasks. */
const CANCELLED = '-';
const STATUSES: ReadonlyMap<string, 0 | 1 | 3> = new Map(
  Object.entries({ ' ': 0, '/': 1, x: 3, X: 3, [CANCELLED]: 3 } as const),
);
/** The id at the start of a title, as programs that plan for agents write it. */
const LEADING_ID = /^(?:\*\*)?([A-Z]{1,5}-?\d{1,6}[a-z]?)\b/;
const DEPENDS_ON = ['(depends on', '(after', '(blocked by'];

/**
 * Reads a list. A task blocks the task, item or heading that it is below. Throws a BrokenFile.
 */
export function readMarkdown(text: string): TransferGraph {
  const losses = createLossReport();
  const root = outlineOf(linesOf(text), losses);
  const drafts: NodeDraft[] = [];
  const links: TransferLink[] = [];
  const tasks: Task[] = [];
  const keys = new Set<string>();
  const withTasks = entriesWithTasks(root);
  if (withTasks.size === 0) throw new BrokenFile(null, 'it has no task with a box, such as - [ ] Task');
  for (const { line } of textsOf(root, withTasks)) losses.note('text outside of tasks', `line ${line}`);
  /** A stack: the next entry is last. */
  const open: { entry: Entry; parent: string | null; groups: NodeDraft[][] }[] = [
    { entry: root, parent: null, groups: [] },
  ];
  const inGroups: { readonly draft: NodeDraft; readonly tasks: readonly NodeDraft[] }[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { entry, parent, groups } = next;
    let [key, inner] = [parent, groups];
    if (entry.kind !== 'file') {
      const description = joinLines(textsOf(entry, withTasks).map(({ raw }) => textWithin(raw, entry)));
      const task = entry.kind === 'task' ? taskOf(entry, description, keys, losses) : null;
      const draft = task?.draft ?? groupOf(entry, description);
      if (task !== null) {
        tasks.push(task);
        for (const group of groups) group.push(draft);
      } else {
        const own: NodeDraft[] = [];
        inGroups.push({ draft, tasks: own });
        inner = [...groups, own];
      }
      drafts.push(draft);
      if (parent !== null) addLink(links, blockingLink(draft.key, parent));
      key = draft.key;
    }
    for (const below of entry.content.toReversed()) {
      if ('kind' in below && withTasks.has(below)) open.push({ entry: below, parent: key, groups: inner });
    }
  }
  linkById(tasks, links, losses);
  const statuses = new Map(inGroups.map(({ draft, tasks: own }) => [draft, groupStatus(own)]));
  const nodes = drafts.map((draft) => fitNode({ status: statuses.get(draft) ?? 0, ...draft }, losses));
  return { nodes, links, leftOut: losses.list() };
}

/** The entries of the file by their nesting. */
function outlineOf(lines: readonly string[], losses: LossReport): Entry {
  const root: Entry = { kind: 'file', depth: 0, line: 0, raw: '', text: '', box: '', content: [] };
  /** The open headings, and the open items below the last one. */
  let [headings, items]: [Entry[], Entry[]] = [[], []];
  let [fence, isComment, isAfterText] = ['', false, false];
  const start = skipFrontMatter(lines, losses);
  for (const [index, raw] of lines.entries()) {
    if (index < start) continue;
    const line = index + 1;
    const isText = fence !== '' || isComment;
    const [, mark = ''] = FENCE.exec(raw) ?? [];
    if (fence !== '') fence = mark.startsWith(fence) && raw.trim() === mark ? '' : fence;
    else if (!isComment) fence = mark;
    if (fence === '') isComment = isComment ? !raw.includes('-->') : opensComment(raw);
    const heading = isText || fence !== '' ? null : HEADING.exec(raw);
    const item = isText || fence !== '' ? null : ITEM.exec(raw);
    if (heading !== null) {
      const depth = heading[1]?.length ?? 1;
      headings = headings.filter((each) => each.depth < depth);
      const entry: Entry = {
        kind: 'heading',
        depth,
        line,
        raw,
        text: headingText(raw.slice(heading[0].length)),
        box: '',
        content: [],
      };
      (headings.at(-1) ?? root).content.push(entry);
      headings.push(entry);
      items = [];
    } else if (item !== null && !isRule(raw)) {
      const depth = columnsOf(item[1] ?? '');
      items = items.filter((each) => each.depth < depth);
      if (items.length >= TRANSFER_BOUNDS.depth)
        throw new BrokenFile(line, `an item is below more than ${TRANSFER_BOUNDS.depth} others`);
      const inner = raw.slice(item[0].length).trim();
      const [all, box = '', star = ''] = BOX.exec(inner) ?? [];
      if (star !== '') losses.note('that a task is optional', `line ${line}`);
      const isTask = all !== undefined;
      const text = inner.slice(all?.length ?? 0).trim();
      const entry: Entry = { kind: isTask ? 'task' : 'item', depth, line, raw, text, box, content: [] };
      (items.at(-1) ?? headings.at(-1) ?? root).content.push(entry);
      items.push(entry);
    } else if (isText || !isRule(raw)) {
      // Text goes on in the paragraph of an item, whatever its column.
      if (raw.trim() !== '' && !isAfterText) items = items.filter((each) => each.depth < columnsOf(raw));
      (items.at(-1) ?? headings.at(-1) ?? root).content.push({ line, raw });
    }
    isAfterText = fence !== '' || (raw.trim() !== '' && heading === null && !isRule(raw));
  }
  return root;
}

/** The number of lines of a head in YAML between lines of hyphens. */
function skipFrontMatter(lines: readonly string[], losses: LossReport): number {
  const end = endOfFrontMatter(lines);
  for (let index = 1; index < end; index++) {
    if (lines[index]?.trim() !== '') losses.note('a line of the head in YAML', `line ${index + 1}`);
  }
  return end + 1;
}

function opensComment(line: string): boolean {
  const start = line.lastIndexOf('<!--');
  return start >= 0 && !line.includes('-->', start);
}

function isRule(line: string): boolean {
  return /^[ \t]*([-*_])(?:[ \t]*\1){2}[-*_ \t]*$/.test(line);
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (character === ' ') columns++;
    else if (character === '\t') columns += TAB_WIDTH - (columns % TAB_WIDTH);
    else break;
  }
  return columns;
}

/** Hyphens after a heading are not part of it. */
function headingText(text: string): string {
  let end = text.trimEnd().length;
  while (text[end - 1] === '#') end--;
  return end === 0 || /\s/.test(text[end - 1] ?? '') ? text.slice(0, end).trim() : text.trim();
}

/** All tasks, and the headings and items with a task below them. */
function entriesWithTasks(root: Entry): Set<Entry> {
  const found = new Set<Entry>();
  const open: { readonly entry: Entry; readonly above: readonly Entry[] }[] = [{ entry: root, above: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { entry, above } = next;
    if (entry.kind === 'task') for (const each of [...above, entry]) found.add(each);
    for (const below of entry.content) if ('kind' in below) open.push({ entry: below, above: [...above, entry] });
  }
  return found;
}

/** The lines of text of an entry, and those of entries without tasks below it. */
function textsOf(entry: Entry, withTasks: ReadonlySet<Entry>): TextLine[] {
  const texts: TextLine[] = [];
  const open: (Entry | TextLine)[] = entry.content.toReversed();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!('kind' in next)) {
      if (next.raw.trim() !== '' || entry.kind !== 'file') texts.push(next);
    } else if (!withTasks.has(next)) {
      texts.push(next);
      open.push(...next.content.toReversed());
    }
  }
  return texts;
}

/** A line of an item without the columns of the item, and without the backslash that makes it text. */
function textWithin(raw: string, entry: Entry): string {
  if (entry.kind === 'heading') return raw;
  let [at, columns] = [0, 0];
  for (; columns < entry.depth + 2 && (raw[at] === ' ' || raw[at] === '\t'); at++)
    columns += raw[at] === '\t' ? TAB_WIDTH - (columns % TAB_WIDTH) : 1;
  return raw.slice(at).replace(/^([ \t]*(?:\d{1,9}(?=\\+[.)]))?)\\(?=[!-/:-@[-`{-~])/, '$1');
}

/** Signs in a heading are only text. */
function groupOf({ line, text }: Entry, description: string): NodeDraft {
  return { key: `line ${line}`, line, title: plainText(text), description };
}

/** A task, and the names by which tasks refer to each other. */
interface Task {
  readonly draft: NodeDraft;
  /** As in the file, where a backslash makes a sign plain text. */
  readonly raw: string;
  readonly signs: TaskSigns;
}

function taskOf({ line, text, box }: Entry, description: string, keys: Set<string>, losses: LossReport): Task {
  const signs = readTaskSigns(text);
  const { title, tags, assignee, dueDate, priority, volume } = signs;
  const place = `line ${line}`;
  for (const { what, value } of signs.losses) losses.note(what, `${place}: ${value}`);
  const status = STATUSES.get(box) ?? 0;
  if (box === CANCELLED) reportStatus(`[${box}]`, status, place, losses);
  else if (!STATUSES.has(box)) losses.note(UNKNOWN_STATUS, `${place}: ${excerpt(`[${box}]`)}`);
  const key = signs.id === '' || keys.has(signs.id) ? place : `id ${signs.id}`;
  keys.add(signs.id);
  const draft = { key, line, title, description, status, tags, assignee, dueDate, priority, volume } as const;
  return { draft, raw: text, signs };
}

/** Links tasks that name others by ids, in signs or in parentheses. */
function linkById(tasks: readonly Task[], links: TransferLink[], losses: LossReport): void {
  const ids = createTaskIds(losses);
  for (const { draft, raw, signs } of tasks)
    for (const id of new Set([signs.id, LEADING_ID.exec(raw)?.[1] ?? ''])) ids.add(id, draft.key);
  for (const { draft, raw, signs } of tasks) {
    // The words in parentheses stay in the title, so an unknown name is not lost.
    const sources = [
      ...signs.dependencies.map((id) => ids.find(id, draft.key)),
      ...[...namesIn(raw)].map((name) => ids.peek(name)),
    ];
    for (const source of sources) if (source !== null) addLink(links, blockingLink(source, draft.key));
  }
}

/** The words in parentheses after `depends on`. */
function namesIn(text: string): ReadonlySet<string> {
  const lower = text.toLowerCase();
  const words = DEPENDS_ON.flatMap((phrase) => {
    const start = lower.indexOf(phrase);
    const end = lower.indexOf(')', start);
    return start < 0 || end < 0 ? [] : text.slice(start + phrase.length, end).split(/[\s,;:&+]+/);
  });
  return new Set(words);
}
