// The tasks that a task waits for, and those that it holds up. Secondary links are marked.
import { useId } from 'react';
import type { ReadableGraph } from '../graph/blockers.ts';
import { isPrimary, type Link, type Task } from '../graph/task.ts';
import { messages } from '../messages/messages.ts';
import { useTasks, useWorkspace } from '../session/workspace.tsx';
import { TaskList } from './task-list.tsx';

export function Neighbours({ id }: { readonly id: string }) {
  const { panel: texts } = messages;
  return (
    <>
      <NeighbourList id={id} end="source" title={texts.waitsFor} />
      <NeighbourList id={id} end="target" title={texts.holdsUp} />
    </>
  );
}

interface NeighbourListProps {
  readonly id: string;
  /** The end of the links at which the neighbours are. */
  readonly end: 'source' | 'target';
  readonly title: (tasks: number) => string;
}

function NeighbourList({ id, end, title }: NeighbourListProps) {
  const headingId = useId();
  const { graph } = useWorkspace();
  const tasks = useTasks((each) => tasksAt(each, id, end));
  const blocking = new Set(
    linksAt(graph, id, end)
      .filter(isPrimary)
      .map((link) => link[end]),
  );
  return (
    <section aria-labelledby={headingId}>
      <h3 id={headingId} tabIndex={-1} data-section={end === 'source' ? 'links' : undefined}>
        {title(tasks.length)}
      </h3>
      <TaskList tasks={tasks} after={(task) => !blocking.has(task.id) && <> · {messages.panel.related}</>} />
    </section>
  );
}

export function linksAt(graph: ReadableGraph, id: string, end: 'source' | 'target'): readonly Link[] {
  return end === 'source' ? graph.incoming(id) : graph.outgoing(id);
}

export function tasksAt(graph: ReadableGraph, id: string, end: 'source' | 'target'): Task[] {
  const ids = new Set(linksAt(graph, id, end).map((link) => link[end]));
  return [...ids].map((each) => graph.task(each)).filter((task) => task !== undefined);
}
