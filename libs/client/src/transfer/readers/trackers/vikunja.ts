// Reads the `data.json` of a Vikunja export: projects with tasks, or before 0.21 namespaces with
// lists. Rules: IO2, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import { hasContent, NO_TIME, reportFields } from '../../fields/source-field.ts';
import { NAMESPACE_FIELDS, PROJECT_FIELDS, TASK_FIELDS } from '../../fields/trackers/vikunja.ts';
import { blockingLink, groupStatus, relatedLink } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { excerpt, TRANSFER_BOUNDS, type TransferGraph, type TransferLink } from '../../graph/transfer-graph.ts';
import { htmlText } from '../../text/html-text.ts';
import { type JsonCursor, readJson } from '../../text/json-cursor.ts';

/**
 * Blocking kinds of relations. `true`: the related tasks block this task; `false`: it blocks them.
 */
const BLOCKING_KINDS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({
    subtask: true,
    blocked: true,
    follows: true,
    parenttask: false,
    blocking: false,
    precedes: false,
  }),
);
const SECONDARY_KINDS = new Set(['related', 'duplicateof', 'duplicates', 'copiedfrom', 'copiedto']);

/** The tasks, links and relations that were read so far. */
interface ReadState {
  readonly drafts: NodeDraft[];
  readonly links: TransferLink[];
  /** Tasks whose relations are read last, when all keys are known. */
  readonly tasks: { readonly key: string; readonly cursor: JsonCursor }[];
  readonly keys: Set<string>;
  readonly losses: LossReport;
}

/**
 * Reads an export. A task blocks its project, and a project the one above it, or its namespace.
 * Throws a BrokenFile.
 */
export function readVikunja(text: string): TransferGraph {
  const losses = createLossReport();
  const state: ReadState = { drafts: [], links: [], tasks: [], keys: new Set(), losses };
  for (const each of readJson(text).list('the file', TRANSFER_BOUNDS.nodes)) {
    const cursor = each.object('a project');
    if (isNamespace(cursor)) addNamespace(cursor, state);
    else addProject(cursor, state);
  }
  const { drafts, links, tasks } = state;
  for (const { key, cursor } of tasks) addRelations(key, cursor, state);
  return { nodes: drafts.map((each) => fitNode(each, losses)), links: uniqueRelations(links), leftOut: losses.list() };
}

/** Before 0.21, namespaces have lists; builds of the months before it call them projects. */
function isNamespace(cursor: JsonCursor): boolean {
  const names = cursor.names();
  return !names.includes('tasks') && (names.includes('lists') || names.includes('projects'));
}

function addNamespace(cursor: JsonCursor, state: ReadState): void {
  const key = uniqueKey('namespace', cursor, state);
  const lists = [...listAt(cursor, 'lists'), ...listAt(cursor, 'projects')].map((each) => each.object('a project'));
  const projects = lists.map((each) => addProject(each, state));
  for (const { key: project } of projects) state.links.push(blockingLink(project, key));
  addGroup(key, cursor, projects, state);
  reportFields(cursor.value, NAMESPACE_FIELDS, nameOf(cursor), state.losses);
}

/**
 * Returns the task that stands for the project. It follows the project's tasks and child projects.
 */
function addProject(cursor: JsonCursor, state: ReadState): NodeDraft {
  const { drafts, links, tasks, losses } = state;
  const key = uniqueKey('project', cursor, state);
  const own: NodeDraft[] = [];
  for (const each of listAt(cursor, 'tasks')) {
    const task = each.object('a task');
    if (hasContent(task.at('deleted_at').value)) {
      losses.note('a task that was deleted', placeOfTask(task));
      continue;
    }
    const draft = taskOf(task, uniqueKey('task', task, state), losses);
    links.push(blockingLink(draft.key, key));
    tasks.push({ key: draft.key, cursor: task });
    own.push(draft);
    drafts.push(draft);
  }
  for (const each of listAt(cursor, 'child_projects')) {
    links.push(blockingLink(addProject(each.object('a project'), state).key, key));
  }
  const parent = cursor.at('parent_project_id').value;
  if (typeof parent === 'number' && parent > 0) links.push(blockingLink(key, `project ${parent}`));
  reportFields(cursor.value, PROJECT_FIELDS, nameOf(cursor), losses);
  return addGroup(key, cursor, own, state);
}

/** Adds the task that stands for a project or namespace with these members. */
function addGroup(
  key: string,
  cursor: JsonCursor,
  members: readonly NodeDraft[],
  { drafts, losses }: ReadState,
): NodeDraft {
  const group: NodeDraft = {
    key,
    line: cursor.line,
    title: cursor.at('title').text('"title"'),
    description: descriptionOf(cursor, losses),
    status: groupStatus(members),
  };
  drafts.push(group);
  return group;
}

function uniqueKey(kind: 'namespace' | 'project' | 'task', cursor: JsonCursor, { keys }: ReadState): string {
  const key = `${kind} ${idOf(cursor, `a ${kind}`)}`;
  if (keys.has(key)) cursor.refuse(`two ${kind}s have the same id`);
  keys.add(key);
  return key;
}

function nameOf(cursor: JsonCursor): string {
  return excerpt(cursor.at('title').text('"title"'));
}

function placeOfTask(task: JsonCursor): string {
  return `${nameOf(task)} (line ${task.line})`;
}

function idOf(cursor: JsonCursor, what: string): number {
  const { value } = cursor.at('id');
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : cursor.refuse(`${what} has no "id"`);
}

/** Vikunja writes null for empty lists. */
function listAt(cursor: JsonCursor, name: string): JsonCursor[] {
  const list = cursor.at(name);
  return list.isThere() ? list.list(`"${name}"`, TRANSFER_BOUNDS.links) : [];
}

function taskOf(task: JsonCursor, key: string, losses: LossReport): NodeDraft {
  const title = task.at('title').text('"title"');
  const { value: due } = task.at('due_date');
  const dueDate = due === undefined || due === null || due === NO_TIME ? null : dueDateInFile(String(due));
  if (dueDate === null && due !== undefined && due !== null && due !== NO_TIME) task.refuse('"due_date" is not a time');
  reportFields(task.value, TASK_FIELDS, placeOfTask(task), losses);
  const { value: priority } = task.at('priority');
  return {
    key,
    line: task.line,
    title,
    dueDate,
    description: descriptionOf(task, losses),
    status: task.at('done').value === true ? 3 : 0,
    priority: typeof priority === 'number' ? priority : 0,
    tags: listAt(task, 'labels').map((label) => label.object('a label').at('title').text('a label')),
    assignee: listAt(task, 'assignees').map((user) => user.object('an assignee').at('username').text('an assignee')),
  };
}

function descriptionOf(cursor: JsonCursor, losses: LossReport): string {
  const onAddress = () => {
    losses.note('the address of a link or picture in a description', placeOfTask(cursor));
  };
  return htmlText(cursor.at('description').text('"description"'), onAddress);
}

function addRelations(key: string, task: JsonCursor, { links, losses, keys }: ReadState): void {
  const related = task.at('related_tasks');
  if (!related.isThere()) return;
  for (const kind of related.object('"related_tasks"').names()) {
    for (const each of listAt(related, kind)) {
      const other = `task ${idOf(each.object('a task'), 'a task')}`;
      const isBlocker = BLOCKING_KINDS.get(kind);
      if (!keys.has(other)) losses.note('a relation to a task that is not in the file', `${key} → ${other}`);
      else if (isBlocker !== undefined) links.push(isBlocker ? blockingLink(other, key) : blockingLink(key, other));
      else if (SECONDARY_KINDS.has(kind)) links.push(relatedLink(key, other));
      else losses.note(`a relation of the kind ${excerpt(kind)}`, `${key} → ${other}`);
    }
  }
}

/** Both tasks of a relation name it, which is not a loss. */
function uniqueRelations(links: readonly TransferLink[]): TransferLink[] {
  const unique = new Map<string, TransferLink>();
  for (const link of links) {
    const [one, other] = link.type === 0 ? [link.source, link.target] : [link.source, link.target].sort();
    const name = `${link.type}\n${one}\n${other}`;
    if (!unique.has(name)) unique.set(name, link);
  }
  return [...unique.values()];
}
