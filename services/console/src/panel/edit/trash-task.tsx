// Moves a task to the trash, and says before what that does.
import { COMPLETED, isPrimary, type Task } from '../../graph/task.ts';
import { edit } from '../../messages/en/edit.ts';
import { refusalText, titleOf } from '../../messages/messages.ts';
import { note } from '../../session/notices.ts';
import { noteChange } from '../../session/undo.ts';
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

  async function trash(): Promise<void> {
    onTrash();
    try {
      const { diff } = await replica.send('node:trash', { id: task.id });
      const gone = diff.links.filter(({ after }) => after.inTrash === true).length;
      noteChange(replica, edit.trashed(titleOf(task), gone), diff.batchId);
    } catch (error) {
      note('refused', edit.notTrashed(titleOf(task), refusalText(error)));
    }
  }
  return (
    <div className="trash-task">
      <button type="button" onClick={() => void trash()}>
        {edit.trash}
      </button>
      <p className="quiet">{edit.trashEffect(links, waiting)}</p>
    </div>
  );
}
