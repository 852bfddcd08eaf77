// Reads plans of GanttProject (`.gan`): tasks inside tasks, and dependencies at the predecessor.
// Rules: IO2, IO9.
import {
  ALLOCATION_FIELDS,
  DEPENDENCY_FIELDS,
  PROJECT_FIELDS,
  RESOURCE_FIELDS,
  TASK_FIELDS,
  TASKS_FIELDS,
} from '../../fields/plans/ganttproject.ts';
import { addDependency, type DependencyType } from '../../graph/dependency-types.ts';
import { addLink, BLOCKED_PARENT, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { createPeople, type People } from '../../graph/people.ts';
import {
  BrokenFile,
  excerpt,
  placeOf,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';
import { childOf, childrenOf, readXml, textOf, type XmlElement } from '../../text/xml-tree.ts';
import { reportUnit, workMinutes } from '../../values/duration-units.ts';
import { reportPriority, UNKNOWN_PRIORITY } from '../../values/priority-values.ts';
import { statusOfProgress } from '../../values/status-values.ts';
import { reportElement } from './xml-fields.ts';

/** In the file, 1 or nothing is the normal priority; 0 and 3 are below it, and 2 and 4 above. */
const PRIORITIES: ReadonlyMap<string, number> = new Map(Object.entries({ '': 0, 1: 0, 2: 3, 4: 4 }));
const LOW_PRIORITIES = new Set(['0', '3']);
const TYPES: ReadonlyMap<string, DependencyType> = new Map(
  Object.entries({ '': 'FS', 1: 'SS', 2: 'FS', 3: 'FF', 4: 'SF' } as const),
);
const PROJECT_KEY = 'project';
const MAXIMUM_DEPTH = TRANSFER_BOUNDS.depth;

interface ReadState {
  readonly drafts: NodeDraft[];
  readonly links: TransferLink[];
  readonly dependencies: { readonly source: string; readonly element: XmlElement; readonly place: string }[];
  readonly keys: Set<string>;
  /** The tasks with tasks inside. */
  readonly groups: Set<string>;
  readonly people: People;
  readonly losses: LossReport;
}

/**
 * Reads a plan. A task blocks the task around it, and the tasks that its dependencies name. Throws
 * a BrokenFile.
 */
export function readGanttproject(text: string): TransferGraph {
  const project = readXml(text);
  const tasks = childOf(project, 'tasks');
  if (project.name !== 'project' || tasks === undefined)
    throw new BrokenFile(project.line, 'it is not a plan of GanttProject: it has no <tasks> in a <project>');
  const losses = createLossReport();
  const title = project.attributes.name?.trim() ?? '';
  const place = title === '' ? 'the project' : excerpt(title);
  reportElement(project, { fields: PROJECT_FIELDS, place, losses, without: ['tasks', 'resources', 'allocations'] });
  reportElement(tasks, { fields: TASKS_FIELDS, place, losses, without: ['task'] });
  const state: ReadState = {
    drafts: [],
    links: [],
    dependencies: [],
    keys: new Set(),
    groups: new Set(),
    people: readPeople(project, losses),
    losses,
  };
  const parent = title === '' ? null : PROJECT_KEY;
  const own = childrenOf(tasks, 'task').map((task) => addTask(task, parent, 1, state));
  if (parent !== null) state.drafts.push(projectOf(project, title, own));
  else if (textOf(project, 'description') !== '') losses.note('the description of a project without a name', place);
  for (const each of state.dependencies) readDependency(each, state);
  state.people.reportUnused(state.keys);
  return { nodes: state.drafts.map((draft) => fitNode(draft, losses)), links: state.links, leftOut: losses.list() };
}

function projectOf(project: XmlElement, title: string, own: readonly NodeDraft[]): NodeDraft {
  return {
    key: PROJECT_KEY,
    line: project.line,
    title,
    description: textOf(project, 'description'),
    status: groupStatus(own),
  };
}

function readPeople(project: XmlElement, losses: LossReport): People {
  const people = createPeople(losses);
  const resources = childOf(project, 'resources');
  const allocations = childOf(project, 'allocations');
  const report = { fields: {}, place: 'the people', losses, word: 'of the people, the field' };
  if (resources !== undefined) reportElement(resources, { ...report, without: ['resource'] });
  if (allocations !== undefined) reportElement(allocations, { ...report, without: ['allocation'] });
  for (const resource of childrenOf(resources, 'resource')) {
    const { id = '', name = '' } = resource.attributes;
    people.addPerson(id, name);
    reportElement(resource, { fields: RESOURCE_FIELDS, place: excerpt(name), losses });
  }
  for (const allocation of childrenOf(allocations, 'allocation')) {
    const { 'task-id': task = '', 'resource-id': resource = '' } = allocation.attributes;
    const place = `line ${allocation.line}`;
    people.assign(task, resource, place);
    reportElement(allocation, { fields: ALLOCATION_FIELDS, place, losses });
  }
  return people;
}

/** Adds a task after the tasks inside it. */
function addTask(task: XmlElement, parent: string | null, depth: number, state: ReadState): NodeDraft {
  const { drafts, links, keys, losses, dependencies } = state;
  const { id = '', name = '' } = task.attributes;
  if (!/^-?\d{1,15}$/.test(id)) throw new BrokenFile(task.line, 'a task has no "id"');
  if (keys.has(id)) throw new BrokenFile(task.line, `two tasks have the id ${id}`);
  if (depth > MAXIMUM_DEPTH) throw new BrokenFile(task.line, `a task is inside more than ${MAXIMUM_DEPTH} others`);
  keys.add(id);
  if (parent !== null) addLink(links, blockingLink(id, parent));
  const place = placeOf({ title: name, line: task.line });
  reportElement(task, { fields: TASK_FIELDS, place, losses, without: ['task', 'depend'] });
  for (const element of childrenOf(task, 'depend')) dependencies.push({ source: id, element, place });
  const within = childrenOf(task, 'task');
  if (within.length > 0) state.groups.add(id);
  for (const each of within) addTask(each, id, depth + 1, state);
  const draft = taskOf(task, { isGroup: within.length > 0, place, state });
  drafts.push(draft);
  return draft;
}

interface TaskContext {
  readonly isGroup: boolean;
  readonly place: string;
  readonly state: ReadState;
}

function taskOf(task: XmlElement, { isGroup, place, state }: TaskContext): NodeDraft {
  const { id = '', name = '', priority = '', complete = '', meeting, expand, webLink = '' } = task.attributes;
  const { losses, people } = state;
  const link = addressOf(webLink);
  return {
    key: id,
    line: task.line,
    title: name,
    description: [textOf(task, 'notes'), link].filter((part) => part !== '').join('\n\n'),
    status: statusOfProgress(complete, place, losses),
    priority: priorityOf(priority, place, losses),
    // The duration of a group follows from the tasks inside it, and a milestone takes no time.
    volume: isGroup || meeting === 'true' ? 0 : durationOf(task, place, losses),
    collapsed: expand === 'false',
    assignee: people.namesOf(id),
  };
}

/** The address of a task is encoded as in a query. */
function addressOf(webLink: string): string {
  try {
    const address = decodeURIComponent(webLink.replaceAll('+', ' ')).trim();
    return address === 'http://' ? '' : address;
  } catch {
    return webLink;
  }
}

function priorityOf(priority: string, place: string, losses: LossReport): number {
  const level = PRIORITIES.get(priority);
  if (level !== undefined) return level;
  if (LOW_PRIORITIES.has(priority)) reportPriority(priority, 0, place, losses);
  else losses.note(UNKNOWN_PRIORITY, `${place}: ${excerpt(priority)}`);
  return 0;
}

/** In minutes of work. The file has days of work. */
function durationOf({ attributes: { duration = '' } }: XmlElement, place: string, losses: LossReport): number {
  const days = duration === '' ? 0 : Number(duration);
  if (Number.isInteger(days) && days >= 0) {
    if (days > 0) reportUnit('day', losses);
    return workMinutes(days, 'day');
  }
  losses.note('a duration that is not a number of days', `${place}: ${duration.slice(0, 40)}`);
  return 0;
}

function readDependency({ source, element, place }: ReadState['dependencies'][number], state: ReadState): void {
  const { id = '', type = '' } = element.attributes;
  const arrow = `${place} → ${id.slice(0, 40)}`;
  reportElement(element, {
    fields: DEPENDENCY_FIELDS,
    place: arrow,
    losses: state.losses,
    word: 'of a dependency, the field',
  });
  if (!state.keys.has(id)) state.losses.note('a dependency on a task that is not in the file', arrow);
  else if (addDependency(state.links, { source, target: id, type: TYPES.get(type) ?? type }, arrow, state.losses)) {
    if (state.groups.has(id)) state.losses.note(BLOCKED_PARENT, arrow);
  }
}
