// The trash: the tasks that the reader may restore, newest first, to restore or to delete for good.
import { useId, useRef, useState } from 'react';
import { DeleteDialog } from '../changes/delete-dialog.tsx';
import type { TrashedTask } from '../changes/trash-list.ts';
import { useTrash } from '../changes/trash-pages.ts';
import { messages, refusalText, titleOf } from '../messages/messages.ts';
import { trash as texts } from '../messages/texts/trash.ts';
import { MixedText } from '../parts/mixed-text.tsx';
import { note } from '../session/notices.ts';
import { noteChange } from '../session/undo.ts';
import { useWorkspace } from '../session/workspace.tsx';
import '../style/history.css';

export function TrashView() {
  const { replica } = useWorkspace();
  const trash = useTrash(replica);
  const { tasks, hasMore, state } = trash;
  const [deleted, setDeleted] = useState<TrashedTask | null>(null);
  const headingId = useId();
  const heading = useRef<HTMLHeadingElement>(null);

  /** Removes a task from the list while its command runs; a refusal brings it back. */
  async function act(task: TrashedTask, send: () => Promise<void>): Promise<void> {
    focusNeighbour(task.id, heading.current);
    trash.hide(task.id);
    try {
      await send();
    } catch (error) {
      trash.show(task.id);
      note('refused', `${messages.quoted(titleOf(task))}: ${refusalText(error)}`);
    }
  }
  const restore = (task: TrashedTask) =>
    act(task, async () => {
      const { diff } = await replica.send('node:restore', { id: task.id });
      noteChange(replica, texts.restored(titleOf(task), diff.skipped?.length ?? 0), diff.batchId);
    });
  const remove = (task: TrashedTask) =>
    act(task, async () => {
      await replica.send('node:delete', { id: task.id });
      note('done', texts.deleted(titleOf(task)));
    });

  const isLoading = state === 'loading';
  return (
    <div className="view">
      <h1 id={headingId} ref={heading} tabIndex={-1}>
        {messages.trash.title}
      </h1>
      <p className="quiet">{texts.lead}</p>
      <div role="status">
        {isLoading && tasks.length === 0 && <p className="hint">{texts.loading}</p>}
        {state === 'loaded' && tasks.length === 0 && !hasMore && <p className="hint">{texts.empty}</p>}
      </div>
      {tasks.length > 0 && (
        <ul className="history" aria-labelledby={headingId} aria-busy={isLoading}>
          {tasks.map((task) => (
            <TrashRow
              key={task.id}
              task={task}
              isOwn={task.ownerUsername === replica.username}
              onRestore={() => void restore(task)}
              onDelete={() => setDeleted(task)}
            />
          ))}
        </ul>
      )}
      {typeof state === 'object' && (
        <p role="alert" className="refusal">
          <MixedText text={texts.failed(refusalText(state.failure))} />{' '}
          <button type="button" onClick={() => void trash.reload()}>
            {texts.again}
          </button>
        </p>
      )}
      {hasMore && (
        <button type="button" aria-disabled={isLoading} onClick={() => isLoading || void trash.more()}>
          {texts.more}
        </button>
      )}
      {deleted !== null && (
        <DeleteDialog
          title={titleOf(deleted)}
          onEnd={(isConfirmed) => {
            setDeleted(null);
            if (isConfirmed) void remove(deleted);
          }}
        />
      )}
    </div>
  );
}

interface TrashRowProps {
  readonly task: TrashedTask;
  readonly isOwn: boolean;
  readonly onRestore: () => void;
  readonly onDelete: () => void;
}

function TrashRow({ task, isOwn, onRestore, onDelete }: TrashRowProps) {
  const title = titleOf(task);
  return (
    <li className="trash-row" data-trashed={task.id}>
      <span className="row-title" dir="auto">
        {title}
      </span>
      <span className="quiet">
        <time dateTime={task.lastEditedTime}>{texts.since(messages.moment(task.lastEditedTime))}</time>
        {!isOwn && task.ownerUsername !== undefined && ` · ${texts.of(task.ownerUsername)}`}
      </span>
      <span className="row-acts">
        <button type="button" aria-label={texts.restoreTask(title)} onClick={onRestore}>
          {texts.restore}
        </button>
        {isOwn && (
          <button type="button" className="plain" aria-label={texts.deleteTask(title)} onClick={onDelete}>
            {texts.delete}
          </button>
        )}
      </span>
    </li>
  );
}

/** The row goes away: the reader continues at the next one. */
function focusNeighbour(id: string, heading: HTMLElement | null): void {
  const row = document.querySelector(`[data-trashed="${CSS.escape(id)}"]`);
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
  (neighbour?.querySelector('button') ?? heading)?.focus();
}
