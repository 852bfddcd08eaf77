// The status of a task, to read and to set. A Blocked task has no other status to choose, and the
// buttons say why (BLK4).
import { useId } from 'react';
import { blockersOf } from '../graph/blockers.ts';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS, mayEdit, type Task } from '../graph/task.ts';
import { messages } from '../messages/messages.ts';
import { setStatus } from '../session/acts.ts';
import { useTasks, useWorkspace } from '../session/workspace.tsx';
import { blockedReason } from './blocked-reason.ts';
import { StatusGlyph } from './status-glyph.tsx';

const SETTABLE = [AVAILABLE, IN_PROGRESS, COMPLETED] as const;

export function StatusButtons({ task }: { readonly task: Task }) {
  const { panel: texts } = messages;
  const { replica } = useWorkspace();
  const reasonId = useId();
  const isBlocked = task.status === BLOCKED;
  if (!mayEdit(task)) {
    return (
      <p className="status-line">
        <StatusGlyph status={task.status} /> {messages.status[task.status]}. {texts.viewOnly}
      </p>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form. */}
      <div className="segments" role="group" aria-label={texts.setStatus}>
        {SETTABLE.map((status) => (
          <button
            key={status}
            type="button"
            data-status={status}
            aria-pressed={task.status === status}
            aria-disabled={isBlocked}
            aria-describedby={isBlocked ? reasonId : undefined}
            onClick={() => {
              if (!isBlocked && status !== task.status) void setStatus(replica, task, status);
            }}
          >
            <StatusGlyph status={status} />
            {messages.status[status]}
          </button>
        ))}
      </div>
      {isBlocked && <BlockedReason id={reasonId} task={task} />}
    </>
  );
}

function BlockedReason({ id, task }: { readonly id: string; readonly task: Task }) {
  const blockers = useTasks((graph) => blockersOf(graph, task.id));
  return (
    <p id={id} className="status-line">
      <StatusGlyph status={BLOCKED} /> {blockedReason(blockers)}
    </p>
  );
}
