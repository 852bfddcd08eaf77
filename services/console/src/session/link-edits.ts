// The acts of the reader on links. A link that would close a cycle is refused before it is sent, in
// the words that also the refusal of the service gets. Rule: CON9.
import { type Replica, TaskgraphError } from '@taskgraph/client';
import type { ReadableGraph } from '../graph/blockers.ts';
import { cycleOf } from '../graph/cycles.ts';
import { ADMIN, isPrimary, type Link, mayEdit, PRIMARY, SECONDARY, type Task } from '../graph/task.ts';
import { refusalText, titleOf } from '../messages/messages.ts';
import { edit } from '../messages/texts/edit.ts';
import { note } from './notices.ts';
import { noteChange } from './undo.ts';

/** Two tasks: `first` comes before `waiting`. */
export interface TaskPair {
  readonly first: Task;
  readonly waiting: Task;
}

/** Why the tasks cannot be linked, in words; null if nothing is known against it. */
export function linkProblem(graph: ReadableGraph, { first, waiting }: TaskPair): string | null {
  const isLinked = [...graph.outgoing(first.id), ...graph.incoming(first.id)].some(
    ({ source, target }) => source === waiting.id || target === waiting.id,
  );
  if (isLinked) return edit.linkedAlready;
  return cycleProblem(graph, { first, waiting });
}

/** Whether a link between them blocks: the service makes the others secondary (LNK3). */
export function canWait({ waiting }: Pick<TaskPair, 'waiting'>): boolean {
  return !waiting.independent && mayEdit(waiting);
}

function cycleProblem(graph: ReadableGraph, { first, waiting }: TaskPair): string | null {
  if (!canWait({ waiting })) return null;
  const cycle = cycleOf(graph, first.id, waiting.id);
  return cycle === null ? null : cycleText(graph, cycle);
}

/** Titles of a cycle that are shown at its beginning and at its end. */
const MOST_SHOWN = 4;

/** A cycle in words. It ends where it begins. One null stands for nodes that the reader cannot see. */
function cycleText(graph: ReadableGraph, path: readonly (string | null)[]): string {
  const titles = [...path, path[0] ?? null].map((id) => {
    const task = id === null ? undefined : graph.task(id);
    return task === undefined ? edit.hiddenTask : titleOf(task);
  });
  const isLong = titles.length > 2 * MOST_SHOWN;
  return edit.cycle(isLong ? [...titles.slice(0, MOST_SHOWN), '…', ...titles.slice(-MOST_SHOWN)] : titles);
}

/** Why the service refused a link, in words. */
export function linkRefusal(graph: ReadableGraph, error: unknown): string {
  if (!(error instanceof TaskgraphError)) return refusalText(error);
  const { path } = error.details as { readonly path?: readonly (string | null)[] };
  if (error.code === 'conflict.cycle' && Array.isArray(path)) return cycleText(graph, path);
  if (error.code.startsWith('conflict.duplicate')) return edit.pairLinked;
  return refusalText(error);
}

/** Runs an act. Returns whether it is done; a message reports a refusal. */
async function run(graph: ReadableGraph, act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    note('refused', edit.notLinked(linkRefusal(graph, error)));
    return false;
  }
}

/** Links two tasks, so that one waits for the other. */
export function linkTasks(replica: Replica, graph: ReadableGraph, pair: TaskPair): Promise<boolean> {
  const { first, waiting } = pair;
  return run(graph, async () => {
    const { diff } = await replica.send('link:add', { source: first.id, target: waiting.id });
    const isBlocking = diff.links.every(({ after }) => after.type !== SECONDARY);
    const text = isBlocking ? edit.waits : edit.onlyRelated;
    noteChange(replica, text(titleOf(waiting), titleOf(first)), diff.batchId);
  });
}

/** Adds a task for which another one waits. It belongs to the owner of that one (NODE3). */
export function addBefore(replica: Replica, graph: ReadableGraph, waiting: Task, title: string): Promise<boolean> {
  return run(graph, async () => {
    const { diff } = await replica.send('node:add', { title, target: waiting.id });
    noteChange(replica, edit.waits(titleOf(waiting), title), diff.batchId);
  });
}

/** Adds a task that waits for another one. Both the task and its link are one change, to undo as one. */
export function addAfter(replica: Replica, graph: ReadableGraph, first: Task, title: string): Promise<boolean> {
  return run(graph, async () => {
    const { diff } = await replica.send('batch:run', {
      operations: [
        { event: 'node:add', payload: { title }, as: 'after' },
        { event: 'link:add', payload: { source: first.id, target: '$after' } },
      ],
    });
    noteChange(replica, edit.waits(title, titleOf(first)), diff.batchId);
  });
}

export function removeLink(replica: Replica, graph: ReadableGraph, link: Link, pair: TaskPair): Promise<boolean> {
  const text = isPrimary(link) ? edit.noLongerWaits : edit.noLongerRelated;
  return run(graph, async () => {
    const { diff } = await replica.send('link:trash', { id: link.id });
    noteChange(replica, text(titleOf(pair.waiting), titleOf(pair.first)), diff.batchId);
  });
}

/** Makes a link block its target, or only relate the two. */
export async function changeKind(replica: Replica, graph: ReadableGraph, link: Link, pair: TaskPair): Promise<boolean> {
  const type = isPrimary(link) ? SECONDARY : PRIMARY;
  const problem = type === PRIMARY ? cycleProblem(graph, pair) : null;
  if (problem !== null) {
    note('refused', edit.notLinked(problem));
    return false;
  }
  return run(graph, async () => {
    const { diff } = await replica.send('link:update', { id: link.id, type });
    const text = type === SECONDARY ? edit.relates : diff.links.length === 0 ? edit.onlyRelated : edit.waits;
    noteChange(replica, text(titleOf(pair.waiting), titleOf(pair.first)), diff.batchId);
  });
}

/** Exchanges the two ends: the task that waited comes first. */
export async function reverseLink(
  replica: Replica,
  graph: ReadableGraph,
  link: Link,
  pair: TaskPair,
): Promise<boolean> {
  const reversed = { first: pair.waiting, waiting: pair.first };
  const problem = isPrimary(link) ? cycleProblem(without(graph, link), reversed) : null;
  if (problem !== null) {
    note('refused', edit.notLinked(problem));
    return false;
  }
  const [first, waiting] = [titleOf(reversed.first), titleOf(reversed.waiting)];
  return run(graph, async () => {
    const { diff } = await replica.send('link:swap', { id: link.id });
    const isBlocking = diff.links.every(({ after }) => (after.type ?? link.type) === PRIMARY);
    const text = isBlocking ? edit.waits : isPrimary(link) ? edit.onlyRelated : edit.relates;
    noteChange(replica, text(waiting, first), diff.batchId);
  });
}

/** The graph without a link. */
function without(graph: ReadableGraph, link: Link): ReadableGraph {
  const others = (links: readonly Link[]) => links.filter(({ id }) => id !== link.id);
  return {
    task: graph.task,
    incoming: (id) => others(graph.incoming(id)),
    outgoing: (id) => others(graph.outgoing(id)),
  };
}

/** Shows a link to its owner alone, or to everyone who sees its ends. */
export function changePrivacy(replica: Replica, graph: ReadableGraph, link: Link, pair: TaskPair): Promise<boolean> {
  const text = link.private === true ? edit.madeVisible : edit.madePrivate;
  return run(graph, async () => {
    const { diff } = await replica.send('link:update', { id: link.id, private: link.private !== true });
    noteChange(replica, text(titleOf(pair.waiting), titleOf(pair.first)), diff.batchId);
  });
}

/**
 * Whether the reader may remove a link, as far as the page knows: it does not know who owns a link,
 * except that a private one is the reader's own (LNK7).
 */
export function mayRemove(link: Link, { first, waiting }: TaskPair): boolean {
  const { access = 0 } = first;
  return link.private === true || mayEdit(waiting) || access <= ADMIN;
}

/** Whether the reader may change the kind of a link, as far as the page knows (LNK10). */
export function mayChangeKind(link: Link, { waiting }: TaskPair): boolean {
  return (link.private === true || mayEdit(waiting)) && !(waiting.independent && !isPrimary(link));
}
