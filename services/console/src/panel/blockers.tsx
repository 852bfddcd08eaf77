// Why a task is blocked: what blocks it, and where to begin.
import { useId, useMemo } from 'react';
import { blockersOf, createFirstStepCache } from '../graph/blockers.ts';
import type { Task } from '../graph/task.ts';
import { messages } from '../messages/messages.ts';
import { useTasks, useWorkspace } from '../session/workspace.tsx';
import { TaskLink, TaskList } from './task-list.tsx';

export function Blockers({ task }: { readonly task: Task }) {
  const { panel: texts } = messages;
  const headingId = useId();
  const blockers = useTasks((graph) => blockersOf(graph, task.id));
  const { graph, index } = useWorkspace();
  const firstStepTo = useMemo(() => createFirstStepCache(graph, index), [graph, index]);
  const [first] = useTasks(() => [firstStepTo(task.id)].filter((each) => each !== undefined));
  return (
    <section className="why" aria-labelledby={headingId}>
      <h3 id={headingId}>{texts.why}</h3>
      <p>{blockers.length === 0 ? texts.blockedHidden : texts.blockedBy(blockers.length)}</p>
      <TaskList tasks={blockers} />
      {first !== undefined && (
        <p className="start-here">
          <strong>{texts.startHere}</strong> <TaskLink task={first} />
        </p>
      )}
    </section>
  );
}
