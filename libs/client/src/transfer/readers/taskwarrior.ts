// Taskwarrior's JSON, as `task export` writes it: lists of tasks, or one after the other. Rules: IO2, IO9.

import { dueDateInFile } from '../../values/days.ts';
import { tellFields } from '../fields/field.ts';
import { ATTRIBUTES } from '../fields/taskwarrior.ts';
import { fitted, type Loose } from '../fitting.ts';
import { blocks, groupStatus } from '../groups.ts';
import { type Cursor, readJson, readJsonValues } from '../json-source.ts';
import {
  addLink,
  BrokenFile,
  createLedger,
  type Ledger,
  push,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../model.ts';

// Maps: an object has names of its own, such as `constructor`.
const PRIORITIES: ReadonlyMap<string, number> = new Map(Object.entries({ H: 3, M: 2, L: 1, '': 0 }));
const STATUSES: ReadonlyMap<string, 0 | 3> = new Map(Object.entries({ pending: 0, waiting: 0, completed: 3 }));
/** Characters of a project's name with those above it. */
const LONGEST_PROJECT = 10_000;
/** Reads an export. Dependencies of a task block it, and a task blocks its project. Throws a BrokenFile. */
export function readTaskwarrior(text: string): TransferGraph {
  const ledger = createLedger();
  const drafts: Loose[] = [];
  const links: TransferLink[] = [];
  const [keys, gone] = [new Set<string>(), new Set<string>()];
  const projects = new Map<string, Loose[]>();
  for (const cursor of tasksIn(text)) {
    const key = cursor.at('uuid').text('"uuid"').toLowerCase();
    // Keys of projects have a blank in them.
    if (!/^\S+$/.test(key)) cursor.refuse('a task has no "uuid"');
    if (keys.has(key)) cursor.refuse(`two tasks have the uuid ${key.slice(0, 40)}`);
    keys.add(key);
    const status = cursor.at('status').text('"status"');
    const place = `${JSON.stringify(cursor.at('description').text('"description"').slice(0, 60))} (line ${cursor.line})`;
    if (status === 'deleted' || status === 'recurring') {
      gone.add(key);
      ledger.note(status === 'deleted' ? 'a task that was deleted' : 'a task that only says how others recur', place);
      continue;
    }
    const draft = taskOf(cursor, key, place, ledger);
    drafts.push(draft);
    for (const source of dependencies(cursor)) addLink(links, blocks(source, key));
    const project = projectOf(cursor);
    if (project !== '') push(projects, project, draft);
  }
  const ofProjects = projectsOf(projects, links);
  const known = new Set([...drafts, ...ofProjects].map(({ key }) => key));
  const kept = links.filter(({ source, target }) => {
    if (known.has(source)) return true;
    ledger.note(
      gone.has(source) ? 'waiting for a task that is left out' : 'waiting for a task that is not in the file',
      `${source} → ${target}`,
    );
    return false;
  });
  return {
    nodes: [...drafts, ...ofProjects].map((draft) => fitted(draft, ledger)),
    links: kept,
    leftOut: ledger.list(),
  };
}

/** Older releases write one task in each line, with commas between them or without. */
function tasksIn(text: string): Cursor[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const [first = '', second = '', third = ''] = trimmed.split('\n', 3).map((line) => line.trim());
  const lacksCommas = first === '[' && second.endsWith('}') && third.startsWith('{');
  // A task that begins in a line and does not end in it is written over several.
  const inLines = lacksCommas || (first.startsWith('{') && /\},?$/.test(first));
  return inLines ? tasksInLines(text) : readJsonValues(text).flatMap(tasksOf);
}

function tasksOf(value: Cursor): Cursor[] {
  if (!Array.isArray(value.value)) return [value.object('a task')];
  return value.list('the file', TRANSFER_BOUNDS.nodes).map((each) => each.object('a task'));
}

function tasksInLines(text: string): Cursor[] {
  const cursors: Cursor[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const task = line.trim().replace(/,$/, '');
    if (task === '' || task === '[' || task === ']') continue;
    if (cursors.length === TRANSFER_BOUNDS.nodes)
      throw new BrokenFile(index + 1, `there are more than ${TRANSFER_BOUNDS.nodes} tasks`);
    cursors.push(onLine(index + 1, task));
  }
  return cursors;
}

function onLine(line: number, text: string): Cursor {
  try {
    return shifted(readJson(text).object('a task'), line);
  } catch (error) {
    throw error instanceof BrokenFile ? new BrokenFile(line, error.reason) : error;
  }
}

/** The same value in another line than that of its own text. */
function shifted(cursor: Cursor, line: number): Cursor {
  const refuse = (reason: string): never => {
    throw new BrokenFile(line, reason);
  };
  const again = <T>(act: () => T): T => {
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
    at: (name) => shifted(cursor.at(name), line),
    list: (what, most) => again(() => cursor.list(what, most)).map((each) => shifted(each, line)),
    object: (what) =>
      shifted(
        again(() => cursor.object(what)),
        line,
      ),
    text: (what) => again(() => cursor.text(what)),
  };
}

function taskOf(cursor: Cursor, key: string, place: string, ledger: Ledger): Loose {
  const state = cursor.at('status').text('"status"');
  const status = STATUSES.get(state);
  if (status === undefined) return cursor.refuse(`${JSON.stringify(state.slice(0, 40))} is no status`);
  const letter = cursor.at('priority').text('"priority"');
  const priority = PRIORITIES.get(letter);
  if (priority === undefined) ledger.note('a priority of your own', `${place}: ${letter.slice(0, 40)}`);
  tellFields(cursor.value, ATTRIBUTES, place, ledger, 'the attribute');
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

/** Taskwarrior writes 20260131T235900Z. */
function timeAt(cursor: Cursor, name: string): string | null {
  const text = cursor.at(name).text(`"${name}"`);
  if (text === '') return null;
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)Z$/.exec(text) ?? [];
  return (
    dueDateInFile(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) ??
    cursor.refuse(`${JSON.stringify(text.slice(0, 40))} is no time`)
  );
}

function annotations(cursor: Cursor): string {
  if (!cursor.at('annotations').isThere()) return '';
  const notes = cursor
    .at('annotations')
    .list('"annotations"')
    .map((each) => each.object('an annotation').at('description').text('an annotation'));
  return notes.join('\n\n');
}

/** A list of uuids, or as older releases have it a text of them with commas. */
function dependencies(cursor: Cursor): string[] {
  const given = cursor.at('depends');
  if (!given.isThere()) return [];
  const uuids =
    typeof given.value === 'string'
      ? given.value.split(',', TRANSFER_BOUNDS.links + 1)
      : given.list('"depends"').map((each) => each.text('"depends"'));
  return uuids.map((uuid) => uuid.trim().toLowerCase()).filter((uuid) => uuid !== '');
}

/** A project is named with dots for those above it. Each of them becomes a task with a key of its own. */
function projectOf(cursor: Cursor): string {
  const name = cursor.at('project').text('"project"').trim();
  if (name.length > LONGEST_PROJECT) cursor.refuse(`the name of a project has more than ${LONGEST_PROJECT} characters`);
  if (name.split('.').length > TRANSFER_BOUNDS.depth)
    cursor.refuse(`a project is below more than ${TRANSFER_BOUNDS.depth} others`);
  return name;
}

function projectsOf(projects: ReadonlyMap<string, readonly Loose[]>, links: TransferLink[]): Loose[] {
  const all = new Map<string, Loose[]>();
  for (const [name, tasks] of projects) {
    const parts = name.split('.');
    for (const task of tasks) addLink(links, blocks(task.key, `project ${name}`));
    for (let length = parts.length; length > 0; length--) {
      const own = parts.slice(0, length).join('.');
      const over = parts.slice(0, length - 1).join('.');
      if (!all.has(own) && over !== '') links.push(blocks(`project ${own}`, `project ${over}`));
      for (const task of tasks) push(all, own, task);
    }
  }
  return [...all].map(([name, tasks]) => ({
    key: `project ${name}`,
    line: null,
    title: name.split('.').at(-1) || name,
    status: groupStatus(tasks),
  }));
}
