// Reads Taskwarrior's JSON from `task export`: lists of tasks, or one task after the other. Rules:
// IO2, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import { reportFields } from '../../fields/source-field.ts';
import { TASK_FIELDS } from '../../fields/trackers/taskwarrior.ts';
import { addLink, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import {
  BrokenFile,
  excerpt,
  placeOf,
  push,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';
import { type JsonCursor, readJson, readJsonValues } from '../../text/json-cursor.ts';
import { UNKNOWN_PRIORITY } from '../../values/priority-values.ts';

// Maps, because plain objects inherit names such as `constructor`.
const PRIORITIES: ReadonlyMap<string, number> = new Map(Object.entries({ H: 3, M: 2, L: 1, '': 0 }));
const STATUSES: ReadonlyMap<string, 0 | 3> = new Map(Object.entries({ pending: 0, waiting: 0, completed: 3 }));
/** Characters of the name of a project, which contains the names of its parents. */
const MAXIMUM_PROJECT_LENGTH = 10_000;

/**
 * Reads an export. A task's dependencies block it, and it blocks its project. Throws a BrokenFile.
 */
export function readTaskwarrior(text: string): TransferGraph {
  const losses = createLossReport();
  const drafts: NodeDraft[] = [];
  const links: TransferLink[] = [];
  const [keys, skipped] = [new Set<string>(), new Set<string>()];
  const projects = new Map<string, NodeDraft[]>();
  for (const cursor of tasksIn(text)) {
    const key = cursor.at('uuid').text('"uuid"').toLowerCase();
    // The keys of projects contain a space.
    if (!/^\S+$/.test(key)) cursor.refuse('a task has no "uuid"');
    if (keys.has(key)) cursor.refuse(`two tasks have the uuid ${key.slice(0, 40)}`);
    keys.add(key);
    const status = cursor.at('status').text('"status"');
    const place = placeOf({ title: cursor.at('description').text('"description"'), line: cursor.line });
    if (status === 'deleted' || status === 'recurring') {
      skipped.add(key);
      losses.note(status === 'deleted' ? 'a task that was deleted' : 'a template of recurring tasks', place);
      continue;
    }
    const draft = taskOf(cursor, key, place, losses);
    drafts.push(draft);
    for (const source of dependencies(cursor)) addLink(links, blockingLink(source, key));
    const project = projectOf(cursor);
    if (project !== '') push(projects, project, draft);
  }
  const projectDrafts = projectsOf(projects, links);
  const known = new Set([...drafts, ...projectDrafts].map(({ key }) => key));
  const knownLinks = links.filter(({ source, target }) => {
    if (known.has(source)) return true;
    losses.note(
      skipped.has(source)
        ? 'a dependency on a task that is left out'
        : 'a dependency on a task that is not in the file',
      `${source} → ${target}`,
    );
    return false;
  });
  return {
    nodes: [...drafts, ...projectDrafts].map((draft) => fitNode(draft, losses)),
    links: knownLinks,
    leftOut: losses.list(),
  };
}

/** Older releases write one task in each line, with or without commas. */
function tasksIn(text: string): JsonCursor[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const [first = '', second = '', third = ''] = trimmed.split('\n', 3).map((line) => line.trim());
  const lacksCommas = first === '[' && second.endsWith('}') && third.startsWith('{');
  // A task that ends on a later line is spread over several.
  const inLines = lacksCommas || (first.startsWith('{') && /\},?$/.test(first));
  return inLines ? tasksInLines(text) : readJsonValues(text).flatMap(tasksAt);
}

function tasksAt(value: JsonCursor): JsonCursor[] {
  if (!Array.isArray(value.value)) return [value.object('a task')];
  return value.list('the file', TRANSFER_BOUNDS.nodes).map((each) => each.object('a task'));
}

function tasksInLines(text: string): JsonCursor[] {
  const cursors: JsonCursor[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const task = line.trim().replace(/,$/, '');
    if (task === '' || task === '[' || task === ']') continue;
    if (cursors.length === TRANSFER_BOUNDS.nodes)
      throw new BrokenFile(index + 1, `there are more than ${TRANSFER_BOUNDS.nodes} tasks`);
    cursors.push(taskOnLine(index + 1, task));
  }
  return cursors;
}

function taskOnLine(line: number, text: string): JsonCursor {
  try {
    return withLine(readJson(text).object('a task'), line);
  } catch (error) {
    throw error instanceof BrokenFile ? new BrokenFile(line, error.reason) : error;
  }
}

/** The same value with the line of the file instead of the line of its own text. */
function withLine(cursor: JsonCursor, line: number): JsonCursor {
  const refuse = (reason: string): never => {
    throw new BrokenFile(line, reason);
  };
  const rethrow = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      return error instanceof BrokenFile ? refuse(error.reason) : refuse(String(error));
    }
  };
  return {
    value: cursor.value,
    line,
    refuse,
    names: () => cursor.names(),
    isThere: () => cursor.isThere(),
    at: (name) => withLine(cursor.at(name), line),
    list: (what, most) => rethrow(() => cursor.list(what, most)).map((each) => withLine(each, line)),
    object: (what) =>
      withLine(
        rethrow(() => cursor.object(what)),
        line,
      ),
    text: (what) => rethrow(() => cursor.text(what)),
  };
}

function taskOf(cursor: JsonCursor, key: string, place: string, losses: LossReport): NodeDraft {
  const state = cursor.at('status').text('"status"');
  const status = STATUSES.get(state);
  if (status === undefined) return cursor.refuse(`${excerpt(state)} is not a status`);
  const letter = cursor.at('priority').text('"priority"');
  const priority = PRIORITIES.get(letter);
  if (priority === undefined) losses.note(UNKNOWN_PRIORITY, `${place}: ${excerpt(letter)}`);
  reportFields(cursor.value, TASK_FIELDS, place, losses, 'the attribute');
  const tags = cursor.at('tags').isThere()
    ? cursor
        .at('tags')
        .list('"tags"')
        .map((tag) => tag.text('a tag'))
    : [];
  return {
    key,
    line: cursor.line,
    title: cursor.at('description').text('"description"'),
    priority: priority ?? 0,
    tags,
    status: status === 0 && cursor.at('start').isThere() ? 1 : status,
    dueDate: timeAt(cursor, 'due'),
    description: annotations(cursor),
  };
}

/** Times have the form 20260131T235900Z. */
function timeAt(cursor: JsonCursor, name: string): string | null {
  const text = cursor.at(name).text(`"${name}"`);
  if (text === '') return null;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)Z$/.exec(text) ?? [];
  return (
    dueDateInFile(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) ??
    cursor.refuse(`${excerpt(text)} is not a time`)
  );
}

function annotations(cursor: JsonCursor): string {
  if (!cursor.at('annotations').isThere()) return '';
  const notes = cursor
    .at('annotations')
    .list('"annotations"')
    .map((each) => each.object('an annotation').at('description').text('an annotation'));
  return notes.join('\n\n');
}

/** A list of uuids, or in older releases a text with commas. */
function dependencies(cursor: JsonCursor): string[] {
  const depends = cursor.at('depends');
  if (!depends.isThere()) return [];
  const uuids =
    typeof depends.value === 'string'
      ? depends.value.split(',', TRANSFER_BOUNDS.links + 1)
      : depends.list('"depends"').map((each) => each.text('"depends"'));
  return uuids.map((uuid) => uuid.trim().toLowerCase()).filter((uuid) => uuid !== '');
}

/** The name of a task's project. Dots separate it from its parents; each of them becomes a task. */
function projectOf(cursor: JsonCursor): string {
  const name = cursor.at('project').text('"project"').trim();
  if (name.length > MAXIMUM_PROJECT_LENGTH)
    cursor.refuse(`the name of a project has more than ${MAXIMUM_PROJECT_LENGTH} characters`);
  if (name.split('.').length > TRANSFER_BOUNDS.depth)
    cursor.refuse(`a project is below more than ${TRANSFER_BOUNDS.depth} others`);
  return name;
}

/**
 * The tasks for projects. Adds the links from tasks to their projects, and from projects to their
 * parents.
 */
function projectsOf(projects: ReadonlyMap<string, readonly NodeDraft[]>, links: TransferLink[]): NodeDraft[] {
  const tasksByProject = new Map<string, NodeDraft[]>();
  for (const [name, tasks] of projects) {
    const parts = name.split('.');
    for (const task of tasks) addLink(links, blockingLink(task.key, `project ${name}`));
    for (let length = parts.length; length > 0; length--) {
      const project = parts.slice(0, length).join('.');
      const parent = parts.slice(0, length - 1).join('.');
      if (!tasksByProject.has(project) && parent !== '')
        links.push(blockingLink(`project ${project}`, `project ${parent}`));
      for (const task of tasks) push(tasksByProject, project, task);
    }
  }
  return [...tasksByProject].map(([name, tasks]) => ({
    key: `project ${name}`,
    line: null,
    title: name.split('.').at(-1) || name,
    status: groupStatus(tasks),
  }));
}
