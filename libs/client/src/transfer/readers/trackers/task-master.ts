// Reads Task Master's tasks.json: one list of tasks, or since release 0.17 a list for each tag.
// Rules: IO2, IO9.
import { reportFields } from '../../fields/source-field.ts';
import { TAG_FIELDS, TASK_FIELDS } from '../../fields/trackers/task-master.ts';
import { addLink, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { excerpt, TRANSFER_BOUNDS, type TransferGraph, type TransferLink } from '../../graph/transfer-graph.ts';
import { type JsonCursor, readJson } from '../../text/json-cursor.ts';
import { idIn, joinSections, numberAt, textAt, textsAt } from '../../text/json-values.ts';
import { priorityFrom } from '../../values/priority-values.ts';
import { statusFrom } from '../../values/status-values.ts';

/** The list of the tasks of files without tags, and the default tag of others. */
const MAIN_TAG = 'master';
// A map, because plain objects inherit names such as `constructor`.
const PRIORITIES: ReadonlyMap<string, number> = new Map(
  Object.entries({ '': 0, low: 1, medium: 2, high: 3, critical: 4 }),
);

/** A task or subtask of the file. */
interface TaskEntry {
  readonly cursor: JsonCursor;
  readonly draft: NodeDraft;
  /** The ids of its list: `1.2` is the second subtask of task 1. */
  readonly id: string;
  readonly parent: TaskEntry | null;
}

/** Reads a file. Dependencies and subtasks block a task. Throws a BrokenFile. */
export function readTaskMaster(text: string): TransferGraph {
  const file = readJson(text).object('the file');
  const losses = createLossReport();
  const links: TransferLink[] = [];
  const drafts: NodeDraft[] = [];
  for (const [tag, list] of listsIn(file, losses)) {
    const entries = entriesIn(tag, list, drafts.length, losses);
    linkEntries(tag, entries, links, losses);
    const own = entries.map(({ draft }) => draft);
    drafts.push(...own);
    if (tag === MAIN_TAG) continue;
    const key = `tag ${tag}`;
    drafts.push({ key, line: list.line, title: tag, status: groupStatus(own) });
    for (const { draft, parent } of entries) if (parent === null) addLink(links, blockingLink(draft.key, key));
  }
  return { nodes: drafts.map((draft) => fitNode(draft, losses)), links, leftOut: losses.list() };
}

/** The object of each list by its tag. */
function listsIn(file: JsonCursor, losses: LossReport): [tag: string, list: JsonCursor][] {
  const isList = (cursor: JsonCursor) => Array.isArray(cursor.at('tasks').value);
  const tags = file.names().filter((name) => isList(file.at(name)));
  const lists = tags.map((tag): [string, JsonCursor] => [tag, file.at(tag)]);
  if (isList(file)) lists.unshift(['', file]);
  if (lists.length === 0) file.refuse('it has no list of tasks');
  const others = Object.entries(file.value as object).filter(([name]) => !tags.includes(name));
  const reserved = new Set(isList(file) ? Object.keys(TAG_FIELDS) : []);
  reportFields(Object.fromEntries(others.filter(([name]) => !reserved.has(name))), {}, 'the file', losses);
  for (const [tag, list] of lists) {
    const fields = Object.entries(list.value as object).filter(([name]) => list !== file || reserved.has(name));
    reportFields(Object.fromEntries(fields), TAG_FIELDS, excerpt(tag || MAIN_TAG), losses);
  }
  return lists.map(([tag, list]) => [tag || MAIN_TAG, list]);
}

/** The tasks and subtasks of a list, in their order. */
function entriesIn(tag: string, list: JsonCursor, before: number, losses: LossReport): TaskEntry[] {
  const entries: TaskEntry[] = [];
  const keys = new Set<string>();
  // The depth of JSON is bounded.
  const add = (cursor: JsonCursor, parent: TaskEntry | null) => {
    if (before + entries.length >= TRANSFER_BOUNDS.nodes)
      cursor.refuse(`it has more than ${TRANSFER_BOUNDS.nodes} tasks`);
    const own = idIn(cursor.at('id'), '"id"');
    if (own === '') cursor.refuse('a task has no "id"');
    const id = parent === null || own.startsWith(`${parent.id}.`) ? own : `${parent.id}.${own}`;
    const place = `task ${id.slice(0, 40)} (line ${cursor.line})`;
    const isSecond = keys.has(id);
    if (isSecond) losses.note('the id of a second task with the same id', place);
    // No id contains a line break.
    const key = isSecond ? `${tag} ${id}\n${entries.length}` : `${tag} ${id}`;
    keys.add(id);
    const entry = { cursor, draft: draftOf(cursor, key, place, losses), id, parent };
    entries.push(entry);
    if (!cursor.at('subtasks').isThere()) return;
    for (const each of cursor.at('subtasks').list('"subtasks"')) add(each.object('a subtask'), entry);
  };
  for (const each of list.at('tasks').list('"tasks"')) add(each.object('a task'), null);
  return entries;
}

function draftOf(cursor: JsonCursor, key: string, place: string, losses: LossReport): NodeDraft {
  reportFields(cursor.value, TASK_FIELDS, place, losses);
  return {
    key,
    line: cursor.line,
    title: textAt(cursor, 'title'),
    description: joinSections([
      ['', textAt(cursor, 'description')],
      ['Details', textAt(cursor, 'details')],
      ['Acceptance criteria', textAt(cursor, 'acceptanceCriteria')],
      ['Test strategy', textAt(cursor, 'testStrategy')],
    ]),
    status: statusFrom(textAt(cursor, 'status'), place, losses),
    priority: priorityFrom(textAt(cursor, 'priority').trim().toLowerCase(), place, losses, PRIORITIES),
    volume: numberAt(cursor, 'effort') ?? 0,
    tags: textsAt(cursor, 'tags'),
    assignee: textsAt(cursor, 'assignee'),
  };
}

function linkEntries(tag: string, entries: readonly TaskEntry[], links: TransferLink[], losses: LossReport): void {
  const ids = new Set(entries.map(({ id }) => id));
  for (const { cursor, draft, id, parent } of entries) {
    if (parent !== null) addLink(links, blockingLink(draft.key, parent.draft.key));
    for (const name of dependenciesOf(cursor)) {
      // A subtask names a subtask of the same task by its last number.
      const sibling = parent === null ? name : `${parent.id}.${name}`;
      const source = ids.has(sibling) && sibling !== id ? sibling : name;
      const place = `${name.slice(0, 40)} → ${id.slice(0, 40)} (line ${cursor.line})`;
      if (!ids.has(source)) losses.note('a dependency on a task that is not in the file', place);
      else if (parent?.id === source) losses.note('a dependency of a subtask on its own task', place);
      // The link that the nesting makes.
      else if (!source.startsWith(`${id}.`)) addLink(links, blockingLink(`${tag} ${source}`, draft.key));
    }
  }
}

/** A list of ids, or a text with commas. */
function dependenciesOf(cursor: JsonCursor): string[] {
  const field = cursor.at('dependencies');
  if (!field.isThere()) return [];
  const names =
    typeof field.value === 'string'
      ? field.value.split(',', TRANSFER_BOUNDS.links + 1)
      : field.list('"dependencies"').map((each) => idIn(each, 'a dependency'));
  return names.map((name) => name.trim()).filter((name) => name !== '');
}
