// The panel of a task: its status, why it waits, its neighbours and its fields.
import { useEffect, useRef } from 'react';
import { BLOCKED, type Task } from '../graph/task.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { useReplicaState, useTask } from '../session/workspace.tsx';
import { Blockers } from './blockers.tsx';
import { Fields } from './fields.tsx';
import { Neighbours } from './neighbours.tsx';
import { StatusButtons } from './status-buttons.tsx';

interface TaskPanelProps {
  readonly id: string;
  readonly onClose: () => void;
}

export function TaskPanel({ id, onClose }: TaskPanelProps) {
  const task = useTask(id);
  const state = useReplicaState();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onClose();
    };
    addEventListener('keydown', closeByKey);
    return () => removeEventListener('keydown', closeByKey);
  }, [onClose]);
  const isComing = task === undefined && state !== 'live';
  return (
    <div className="panel-content">
      <div className="panel-head">
        <h2 ref={heading} tabIndex={-1}>
          {task === undefined ? (isComing ? messages.opening : messages.panel.missingTitle) : titleOf(task)}
        </h2>
        <button type="button" className="plain" onClick={onClose}>
          {messages.close}
        </button>
      </div>
      {task === undefined ? <p>{isComing ? '' : messages.panel.missing}</p> : <TaskParts task={task} />}
    </div>
  );
}

function TaskParts({ task }: { readonly task: Task }) {
  return (
    <>
      <StatusButtons task={task} />
      {task.status === BLOCKED && <Blockers task={task} />}
      <Neighbours id={task.id} />
      <Fields task={task} />
    </>
  );
}
