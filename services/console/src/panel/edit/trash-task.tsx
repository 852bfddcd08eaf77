// Moves a task to the trash, and says before what that does.
import { COMPLETED, isPrimary, type Task } from '../../graph/task.ts';
import { edit } from '../../messages/texts/edit.ts';
import { trashTask } from '../../session/trash-act.ts';
import { useGraphText, useWorkspace } from '../../session/workspace.tsx';

interface TrashTaskProps {
  readonly task: Task;
  /** The panel has no task any more. */
  readonly onTrash: () => void;
}

export function TrashTask({ task, onTrash }: TrashTaskProps) {
  const { replica } = useWorkspace();
  const [links = 0, waiting = 0] = useGraphText((graph) => {
    const leading = graph.outgoing(task.id);
    const waits = leading.filter((link) => isPrimary(link) && graph.task(link.target) !== undefined);
    return `${leading.length + graph.incoming(task.id).length} ${task.status === COMPLETED ? 0 : waits.length}`;
  })
    .split(' ')
    .map(Number);

  return (
    <div className="trash-task">
      <button
        type="button"
        onClick={() => {
          onTrash();
          void trashTask(replica, task);
        }}
      >
        {edit.trash}
      </button>
      <p className="quiet">{edit.trashEffect(links, waiting)}</p>
    </div>
  );
}
