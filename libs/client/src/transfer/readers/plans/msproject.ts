// Reads plans of Microsoft Project in XML: an outline of tasks with predecessors and assignments.
// Rules: IO2, IO9.
import { dueDateInFile } from '../../../values/days.ts';
import {
  ASSIGNMENT_FIELDS,
  DEPENDENCY_FIELDS,
  PROJECT_FIELDS,
  RESOURCE_FIELDS,
  TASK_FIELDS,
} from '../../fields/plans/msproject.ts';
import { addDependency, type DependencyType } from '../../graph/dependency-types.ts';
import { addLink, BLOCKED_PARENT, blockingLink } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { createOutlineStack } from '../../graph/outline-stack.ts';
import { createPeople, type People } from '../../graph/people.ts';
import { BrokenFile, excerpt, placeOf, type TransferGraph, type TransferLink } from '../../graph/transfer-graph.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from '../../text/xml-tree.ts';
import { reportUnit, workMinutes } from '../../values/duration-units.ts';
import { reportPriority, UNKNOWN_PRIORITY } from '../../values/priority-values.ts';
import { PROJECT_FINISH_TIME, projectPriority } from '../../values/project-values.ts';
import { statusOfProgress } from '../../values/status-values.ts';
import { reportElement } from './xml-fields.ts';

const TYPES: ReadonlyMap<string, DependencyType> = new Map(
  Object.entries({ '': 'FS', 0: 'FF', 1: 'FS', 2: 'SF', 3: 'SS' } as const),
);
/** The resource of an assignment without one. */
const UNASSIGNED = new Set(['-65535', '-65536', '']);
const PERSON = '1';
/** Times of a deadline that was given as a day. */
const DAY_TIMES = ['00:00:00', '23:59:00', '23:59:59'];

interface ReadState {
  readonly drafts: NodeDraft[];
  readonly links: TransferLink[];
  readonly keys: Set<string>;
  readonly groups: Set<string>;
  /** Rows of tasks whose predecessors are read last, when all keys are known. */
  readonly rows: { readonly key: string; readonly task: XmlElement; readonly place: string }[];
  readonly people: People;
  readonly finishTime: string;
  readonly losses: LossReport;
}

/**
 * Reads a plan. A task blocks the task above it in the outline, and a predecessor its successor.
 * Throws a BrokenFile.
 */
export function readMsproject(text: string): TransferGraph {
  const project = readXml(text);
  const tasks = childOf(project, 'Tasks');
  if (project.name !== 'Project' || tasks === undefined)
    throw new BrokenFile(project.line, 'it is not a plan of Microsoft Project: it has no <Tasks> in a <Project>');
  const losses = createLossReport();
  reportElement(project, {
    fields: PROJECT_FIELDS,
    place: 'the project',
    losses,
    without: ['Tasks', 'Resources', 'Assignments'],
  });
  reportOthers(tasks, 'Task', losses);
  const rows = rowsOf(tasks, losses);
  const state: ReadState = {
    drafts: [],
    links: [],
    keys: new Set(rows.map(({ key }) => key)),
    groups: new Set(),
    rows,
    people: readPeople(project, losses),
    finishTime: textOf(project, 'DefaultFinishTime') || PROJECT_FINISH_TIME,
    losses,
  };
  addOutline(state);
  for (const row of rows) {
    state.drafts.push(taskOf(row, state));
    addPredecessors(row, state);
  }
  state.people.reportUnused(state.keys);
  return { nodes: state.drafts.map((draft) => fitNode(draft, losses)), links: state.links, leftOut: losses.list() };
}

/** Reports everything in a list except its items. */
function reportOthers(list: XmlElement | undefined, item: string, losses: LossReport): void {
  if (list === undefined) return;
  const word = `in <${list.name}>, the field`;
  reportElement(list, { fields: {}, place: `line ${list.line}`, losses, without: [item], word });
}

/** The rows with tasks. Project writes a blank row as a task that is null. */
function rowsOf(tasks: XmlElement, losses: LossReport): ReadState['rows'] {
  const rows: ReadState['rows'] = [];
  const keys = new Set<string>();
  for (const task of childrenOf(tasks, 'Task')) {
    const key = textOf(task, 'UID');
    const name = textOf(task, 'Name');
    const place = placeOf({ title: name, line: task.line });
    reportElement(task, { fields: TASK_FIELDS, place, losses, without: ['PredecessorLink'] });
    if (textOf(task, 'IsNull') === '1') {
      losses.note('a blank row', place);
      continue;
    }
    if (!/^-?\d{1,15}$/.test(key)) throw new BrokenFile(task.line, 'a task has no <UID>');
    if (keys.has(key)) throw new BrokenFile(task.line, `two tasks have the UID ${key}`);
    keys.add(key);
    rows.push({ key, task, place });
  }
  return rows;
}

/** Links each task to the nearest task above with a lower level. */
function addOutline({ rows, links, groups }: ReadState): void {
  const outline = createOutlineStack<string>('a task');
  for (const { key, task } of rows) {
    const level = levelOf(task);
    const parent = outline.parentAt(level);
    if (parent !== null) {
      groups.add(parent);
      addLink(links, blockingLink(key, parent));
    }
    outline.open(level, key, task.line);
  }
}

/** The level of a task; 0 is that of the task for the whole project. */
function levelOf(task: XmlElement): number {
  const text = textOf(task, 'OutlineLevel');
  const number = textOf(task, 'OutlineNumber');
  if (text === '') return number === '' ? 1 : number.split('.').length;
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new BrokenFile(task.line, `${excerpt(text)} is not a level`);
}

function readPeople(project: XmlElement, losses: LossReport): People {
  const people = createPeople(losses);
  const resources = childOf(project, 'Resources');
  const assignments = childOf(project, 'Assignments');
  reportOthers(resources, 'Resource', losses);
  reportOthers(assignments, 'Assignment', losses);
  for (const resource of childrenOf(resources, 'Resource')) {
    const [uid, name, type] = [textOf(resource, 'UID'), textOf(resource, 'Name'), textOf(resource, 'Type')];
    const place = `${excerpt(name)} (line ${resource.line})`;
    reportElement(resource, { fields: RESOURCE_FIELDS, place, losses });
    if (textOf(resource, 'IsNull') === '1') {
      losses.note('a blank row', place);
      continue;
    }
    // The first resource is that of work without a person.
    people.addPerson(uid, name, name === '');
    if (type !== '' && type !== PERSON) losses.note('a resource that is not a person', place);
  }
  for (const assignment of childrenOf(assignments, 'Assignment')) {
    const [task, uid] = [textOf(assignment, 'TaskUID'), textOf(assignment, 'ResourceUID')];
    const place = `task ${excerpt(task)} (line ${assignment.line})`;
    if (!UNASSIGNED.has(uid) || people.has(uid)) people.assign(task, uid, place);
    reportElement(assignment, { fields: ASSIGNMENT_FIELDS, place, losses });
  }
  return people;
}

type Row = ReadState['rows'][number];

function taskOf({ key, task, place }: Row, { groups, people, finishTime, losses }: ReadState): NodeDraft {
  return {
    key,
    line: task.line,
    title: textOf(task, 'Name'),
    description: textOf(task, 'Notes'),
    status: statusOfProgress(textOf(task, 'PercentComplete'), place, losses),
    priority: priorityOf(textOf(task, 'Priority'), place, losses),
    // The duration of a group follows from the tasks below it.
    volume: groups.has(key) ? 0 : minutesOf(task, place, losses),
    dueDate: deadlineOf(textOf(task, 'Deadline'), { finishTime, place, losses }),
    assignee: people.namesOf(key),
  };
}

function priorityOf(text: string, place: string, losses: LossReport): number {
  const found = projectPriority(text);
  if (found === null) losses.note(UNKNOWN_PRIORITY, `${place}: ${excerpt(text)}`);
  else if (!found.isExact) reportPriority(text, found.value, place, losses);
  return found?.value ?? 0;
}

/** The formats of durations that Project shows in minutes. */
const SHOWN_IN_MINUTES: ReadonlySet<string> = new Set(['3', '4', '35', '36']);

/** A duration such as PT16H30M0S, in minutes of work. */
function minutesOf(task: XmlElement, place: string, losses: LossReport): number {
  const text = textOf(task, 'Duration') || 'PT0S';
  const match = /^P(?:(\d{1,9})D)?T?(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?$/.exec(text);
  if (match === null) losses.note('a duration that cannot be read', `${place}: ${excerpt(text)}`);
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match ?? [];
  if (Number(seconds) > 0) losses.note('the seconds of a duration', place);
  if (Number(days) > 0) reportUnit('day', losses);
  else if (Number(hours) > 0 && !SHOWN_IN_MINUTES.has(textOf(task, 'DurationFormat'))) reportUnit('hour', losses);
  return workMinutes(Number(days), 'day') + workMinutes(Number(hours), 'hour') + Number(minutes);
}

interface DeadlineContext {
  readonly finishTime: string;
  readonly place: string;
  readonly losses: LossReport;
}

/** A deadline at the end of work is a day. All times of a plan are in the zone of its author. */
function deadlineOf(text: string, { finishTime, place, losses }: DeadlineContext): string | null {
  if (text === '' || text === 'NA') return null;
  const [day = '', time = ''] = text.split('T');
  const isDay = time === '' || time === finishTime || DAY_TIMES.includes(time);
  const due = dueDateInFile(isDay ? day : text);
  if (due === null) losses.note('a deadline that is not a time', `${place}: ${text.slice(0, 40)}`);
  else if (!isDay && /\d$/.test(time)) losses.note('the time zone of a deadline, which is read as UTC', place);
  return due;
}

function addPredecessors({ key, task, place }: Row, { keys, groups, links, losses }: ReadState): void {
  for (const link of childrenOf(task, 'PredecessorLink')) {
    const [source, type] = [textOf(link, 'PredecessorUID'), textOf(link, 'Type')];
    const arrow = `task ${source.slice(0, 40)} → ${place}`;
    reportElement(link, { fields: DEPENDENCY_FIELDS, place: arrow, losses, word: 'of a dependency, the field' });
    if (!keys.has(source)) losses.note('a dependency on a task that is not in the file', arrow);
    else if (addDependency(links, { source, target: key, type: TYPES.get(type) ?? type }, arrow, losses)) {
      if (groups.has(key)) losses.note(BLOCKED_PARENT, arrow);
    }
  }
}
