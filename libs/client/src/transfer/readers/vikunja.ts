// Vikunja's export: the `data.json` of its archive, a list of projects with their tasks, or before 0.21 of namespaces with lists. Rules: IO2, IO9.

import { dueDateInFile } from '../../values/days.ts';
import { holdsSomething, NO_TIME, tellFields } from '../fields/field.ts';
import { NAMESPACE_FIELDS, PROJECT_FIELDS, TASK_FIELDS } from '../fields/vikunja.ts';
import { fitted, type Loose } from '../fitting.ts';
import { blocks, groupStatus, relates } from '../groups.ts';
import { textOfHtml } from '../html-text.ts';
import { type Cursor, readJson } from '../json-source.ts';
import { createLedger, type Ledger, TRANSFER_BOUNDS, type TransferGraph, type TransferLink } from '../model.ts';

/** How Vikunja names the relation of a task to those listed under it; `true` where the listed ones come first. */
const BLOCKING: ReadonlyMap<string, boolean> = new Map(
  Object.entries({
    subtask: true,
    blocked: true,
    follows: true,
    parenttask: false,
    blocking: false,
    precedes: false,
  }),
);
const BESIDE = new Set(['related', 'duplicateof', 'duplicates', 'copiedfrom', 'copiedto']);

/** The parts of the export so far. */
interface Collection {
  readonly drafts: Loose[];
  readonly links: TransferLink[];
  readonly relations: { readonly key: string; readonly cursor: Cursor }[];
  readonly seen: Set<string>;
  readonly ledger: Ledger;
}

/** Reads an export. A task blocks its project, and a project the one above it, or its namespace. Throws a BrokenFile. */
export function readVikunja(text: string): TransferGraph {
  const ledger = createLedger();
  const all: Collection = { drafts: [], links: [], relations: [], seen: new Set(), ledger };
  for (const each of readJson(text).list('the file', TRANSFER_BOUNDS.nodes)) {
    const cursor = each.object('a project');
    if (isNamespace(cursor)) takeNamespace(cursor, all);
    else takeProject(cursor, all);
  }
  const { drafts, links, relations, seen } = all;
  for (const { key, cursor } of relations) relate(key, cursor, { links, ledger, seen });
  return { nodes: drafts.map((each) => fitted(each, ledger)), links: withoutDoubles(links), leftOut: ledger.list() };
}

/** Exports before 0.21 have namespaces of lists; builds of the months before it call the lists projects. */
function isNamespace(cursor: Cursor): boolean {
  const names = cursor.names();
  return !names.includes('tasks') && (names.includes('lists') || names.includes('projects'));
}

function takeNamespace(cursor: Cursor, all: Collection): void {
  const key = ownKey('namespace', cursor, all);
  const lists = [...listAt(cursor, 'lists'), ...listAt(cursor, 'projects')].map((each) => each.object('a project'));
  const own = lists.map((each) => takeProject(each, all));
  for (const { key: project } of own) all.links.push(blocks(project, key));
  addGroup(key, cursor, own, all);
  tellFields(cursor.value, NAMESPACE_FIELDS, nameOf(cursor), all.ledger);
}

/** Gives the project; its tasks and the projects within it stand before it. */
function takeProject(cursor: Cursor, all: Collection): Loose {
  const { drafts, links, relations, ledger } = all;
  const key = ownKey('project', cursor, all);
  const own: Loose[] = [];
  for (const each of listAt(cursor, 'tasks')) {
    const task = each.object('a task');
    if (holdsSomething(task.at('deleted_at').value)) {
      ledger.note('a task that was deleted', placeOfTask(task));
      continue;
    }
    const made = taskOf(task, ownKey('task', task, all), ledger);
    links.push(blocks(made.key, key));
    relations.push({ key: made.key, cursor: task });
    own.push(made);
    drafts.push(made);
  }
  for (const each of listAt(cursor, 'child_projects')) {
    links.push(blocks(takeProject(each.object('a project'), all).key, key));
  }
  const over = cursor.at('parent_project_id').value;
  if (typeof over === 'number' && over > 0) links.push(blocks(key, `project ${over}`));
  tellFields(cursor.value, PROJECT_FIELDS, nameOf(cursor), ledger);
  return addGroup(key, cursor, own, all);
}

function addGroup(key: string, cursor: Cursor, own: readonly Loose[], { drafts, ledger }: Collection): Loose {
  const group: Loose = {
    key,
    line: cursor.line,
    title: cursor.at('title').text('"title"'),
    description: descriptionOf(cursor, ledger),
    status: groupStatus(own),
  };
  drafts.push(group);
  return group;
}

function ownKey(kind: 'namespace' | 'project' | 'task', cursor: Cursor, { seen }: Collection): string {
  const key = `${kind} ${idOf(cursor, `a ${kind}`)}`;
  if (seen.has(key)) cursor.refuse(`two ${kind}s have one id`);
  seen.add(key);
  return key;
}

function nameOf(cursor: Cursor): string {
  return JSON.stringify(cursor.at('title').text('"title"').slice(0, 60));
}

function placeOfTask(task: Cursor): string {
  return `${nameOf(task)} (line ${task.line})`;
}

function idOf(cursor: Cursor, what: string): number {
  const { value } = cursor.at('id');
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : cursor.refuse(`${what} has no "id"`);
}

/** Lists that are empty are null there. */
function listAt(cursor: Cursor, name: string): Cursor[] {
  const list = cursor.at(name);
  return list.isThere() ? list.list(`"${name}"`, TRANSFER_BOUNDS.links) : [];
}

function taskOf(task: Cursor, key: string, ledger: Ledger): Loose {
  const title = task.at('title').text('"title"');
  const { value: due } = task.at('due_date');
  const dueDate = due === undefined || due === null || due === NO_TIME ? null : dueDateInFile(String(due));
  if (dueDate === null && due !== undefined && due !== null && due !== NO_TIME) task.refuse('"due_date" is no time');
  tellFields(task.value, TASK_FIELDS, placeOfTask(task), ledger);
  const { value: priority } = task.at('priority');
  return {
    key,
    line: task.line,
    title,
    dueDate,
    description: descriptionOf(task, ledger),
    status: task.at('done').value === true ? 3 : 0,
    priority: typeof priority === 'number' ? priority : 0,
    tags: listAt(task, 'labels').map((label) => label.object('a label').at('title').text('a label')),
    assignee: listAt(task, 'assignees').map((user) => user.object('an assignee').at('username').text('an assignee')),
  };
}

function descriptionOf(cursor: Cursor, ledger: Ledger): string {
  const onAddress = () => {
    ledger.note('the address of a link or picture in a description', placeOfTask(cursor));
  };
  return textOfHtml(cursor.at('description').text('"description"'), onAddress);
}

interface Relating {
  readonly links: TransferLink[];
  readonly ledger: Ledger;
  readonly seen: ReadonlySet<string>;
}

function relate(key: string, task: Cursor, { links, ledger, seen }: Relating): void {
  const related = task.at('related_tasks');
  if (!related.isThere()) return;
  for (const kind of related.object('"related_tasks"').names()) {
    for (const each of listAt(related, kind)) {
      const other = `task ${idOf(each.object('a task'), 'a task')}`;
      const isFirst = BLOCKING.get(kind);
      if (!seen.has(other)) ledger.note('a relation to a task that is not in the file', `${key} → ${other}`);
      else if (isFirst !== undefined) links.push(isFirst ? blocks(other, key) : blocks(key, other));
      else if (BESIDE.has(kind)) links.push(relates(key, other));
      else ledger.note(`a relation of the kind ${JSON.stringify(kind.slice(0, 40))}`, `${key} → ${other}`);
    }
  }
}

/** Each relation stands at both of its ends, which is no loss. */
function withoutDoubles(links: readonly TransferLink[]): TransferLink[] {
  const kept = new Map<string, TransferLink>();
  for (const link of links) {
    const [one, other] = link.type === 0 ? [link.source, link.target] : [link.source, link.target].sort();
    const name = `${link.type}\n${one}\n${other}`;
    if (!kept.has(name)) kept.set(name, link);
  }
  return [...kept.values()];
}
