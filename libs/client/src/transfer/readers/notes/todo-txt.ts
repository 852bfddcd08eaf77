// Reads todo.txt: a task on each line. Rule: IO2.

import { dueDateInFile } from '../../../values/days.ts';
import { COMPLETION_TIME, CREATION_TIME, RECURRENCE, START } from '../../fields/source-field.ts';
import { addLink, blockingLink, groupStatus } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import { createTaskIds } from '../../graph/task-ids.ts';
import {
  BrokenFile,
  push,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
} from '../../graph/transfer-graph.ts';
import { linesOf } from '../../text/file-lines.ts';
import { reportPriority } from '../../values/priority-values.ts';

/** Completion, priority, and one or two dates: of completion and of creation. */
const HEAD = /^(x )?(?:\(([A-Z])\) )?(?:(\d{4}-\d\d-\d\d) )?(?:(\d{4}-\d\d-\d\d) )?/;
/** A is the most urgent. */
const PRIORITIES: ReadonlyMap<string, number> = new Map(Object.entries({ A: 3, B: 2, C: 1 }));
/** Keys of pairs `key:value` that are reported. Other pairs stay in the title. */
const UNREAD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    t: START,
    rec: RECURRENCE,
    h: 'that a task is hidden',
  }),
);

interface Task {
  readonly draft: NodeDraft;
  readonly id: string;
  /** The ids of the tasks that it waits for. */
  readonly blockers: readonly string[];
  /** The ids of the tasks that wait for it. */
  readonly targets: readonly string[];
  readonly projects: readonly string[];
}

/** Reads a file. A task blocks its projects. Throws a BrokenFile. */
export function readTodoTxt(text: string): TransferGraph {
  const losses = createLossReport();
  const tasks: Task[] = [];
  const keys = new Set<string>();
  for (const [index, raw] of linesOf(text).entries()) {
    if (raw.trim() === '') continue;
    if (tasks.length >= TRANSFER_BOUNDS.nodes)
      throw new BrokenFile(index + 1, `it has more than ${TRANSFER_BOUNDS.nodes} tasks`);
    const task = taskOf(raw.trim(), index + 1, losses);
    const key = task.id === '' || keys.has(task.id) ? task.draft.key : `id ${task.id}`;
    keys.add(task.id);
    tasks.push({ ...task, draft: { ...task.draft, key } });
  }
  const links: TransferLink[] = [];
  linkById(tasks, links, losses);
  const byProject = new Map<string, NodeDraft[]>();
  for (const { draft, projects } of tasks) for (const project of projects) push(byProject, project, draft);
  const groups = [...byProject].map(([name, own]): NodeDraft => {
    const key = `project ${name}`;
    for (const { key: source } of own) addLink(links, blockingLink(source, key));
    return { key, line: null, title: name, status: groupStatus(own) };
  });
  const nodes = [...tasks.map(({ draft }) => draft), ...groups].map((draft) => fitNode(draft, losses));
  return { nodes, links, leftOut: losses.list() };
}

function taskOf(raw: string, line: number, losses: LossReport): Task {
  const [head = '', done, letter, first, second] = HEAD.exec(raw) ?? [];
  const rest = raw.slice(head.length);
  const place = (value: string) => `line ${line}: ${value.slice(0, 100)}`;
  const isDone = done !== undefined;
  if (isDone && first !== undefined) losses.note(COMPLETION_TIME, place(first));
  const created = isDone ? second : first;
  if (created !== undefined) losses.note(CREATION_TIME, place(created));
  // Only a completed task has two dates.
  const words = `${!isDone && second !== undefined ? `${second} ` : ''}${rest}`
    .split(/\s+/)
    .filter((word) => word !== '');
  let [dueDate, priority, id]: [string | null, string, string] = [null, letter ?? '', ''];
  const [blockers, targets, left]: [string[], string[], string[]] = [[], [], []];
  for (const word of words) {
    const [, name = '', value = ''] = /^([A-Za-z]{1,20}):([^\s:/][^\s]*)$/.exec(word) ?? [];
    const loss = UNREAD.get(name);
    const date: string | null = name === 'due' && dueDate === null ? dueDateInFile(value) : null;
    if (date !== null) dueDate = date;
    else if (loss !== undefined) losses.note(loss, place(value));
    else if (name === 'pri' && /^[A-Z]$/.test(value) && priority === '') priority = value;
    else if (name === 'id' && id === '') id = value;
    else if (name === 'dep') blockers.push(...value.split(','));
    else if (name === 'p' || name === 'parent') targets.push(...value.split(','));
    else left.push(word);
  }
  if (priority !== '' && !PRIORITIES.has(priority)) reportPriority(`(${priority})`, 0, `line ${line}`, losses);
  const { tags, projects, title } = marksIn(left);
  const draft: NodeDraft = {
    key: `line ${line}`,
    line,
    title,
    status: isDone ? 3 : 0,
    priority: PRIORITIES.get(priority) ?? 0,
    dueDate,
    tags,
  };
  return { draft, id, blockers, targets, projects };
}

/** Contexts and projects. Those within a sentence also stay in the title. */
function marksIn(words: readonly string[]) {
  const named = (sign: string) =>
    words.filter((word) => word.startsWith(sign) && word.length > 1).map((word) => word.slice(1));
  let end = words.length;
  while (end > 1 && /^[@+]./.test(words[end - 1] ?? '')) end--;
  return { tags: named('@'), projects: [...new Set(named('+'))], title: words.slice(0, end).join(' ') };
}

function linkById(tasks: readonly Task[], links: TransferLink[], losses: LossReport): void {
  const ids = createTaskIds(losses);
  for (const { draft, id } of tasks) ids.add(id, draft.key);
  for (const { draft, blockers, targets } of tasks) {
    for (const id of blockers) {
      const source = ids.find(id, draft.key);
      if (source !== null) addLink(links, blockingLink(source, draft.key));
    }
    for (const id of targets) {
      const target = ids.find(id, draft.key);
      if (target !== null) addLink(links, blockingLink(draft.key, target));
    }
  }
}
