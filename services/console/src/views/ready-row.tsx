// One ready task: its title opens the panel; its buttons start and complete it.
import { freedBy } from '../graph/blockers.ts';
import { COMPLETED, IN_PROGRESS, type Task } from '../graph/task.ts';
import { followLink } from '../history.ts';
import { dueLabel, messages, titleOf } from '../messages/messages.ts';
import { StatusGlyph } from '../panel/status-glyph.tsx';
import { pathOf } from '../routes.ts';
import { setStatus } from '../session/acts.ts';
import { useGraphText, useWorkspace } from '../session/workspace.tsx';
import { useRowSwipe } from './row-swipe.ts';

interface ReadyRowProps {
  readonly task: Task;
  readonly isChosen: boolean;
  readonly isSelected: boolean;
  readonly mayEdit: boolean;
}

export function ReadyRow({ task, isChosen, isSelected, mayEdit }: ReadyRowProps) {
  const { ready: texts } = messages;
  const { replica } = useWorkspace();
  const title = titleOf(task);
  const complete = () => void setStatus(replica, task, COMPLETED);
  const swipe = useRowSwipe(mayEdit ? complete : null);
  return (
    <li
      className="row"
      data-status={task.status}
      data-selected={isSelected}
      data-swipe={swipe.offset === 0 ? undefined : swipe.acts ? 'acts' : 'begins'}
      style={swipe.offset === 0 ? undefined : { insetInlineStart: swipe.offset }}
      {...swipe.handlers}
    >
      <StatusGlyph status={task.status} />
      <a
        className="row-title"
        href={pathOf({ view: 'task', id: task.id })}
        data-task={task.id}
        aria-current={isChosen ? 'true' : undefined}
        onClick={followLink}
      >
        <span dir="auto">{title}</span>
        {isSelected && <span className="unseen">, {messages.selection.selected}</span>}
      </a>
      <RowFacts task={task} />
      {mayEdit && (
        <span className="row-acts">
          {task.status !== IN_PROGRESS && (
            <button
              type="button"
              aria-label={texts.startTask(title)}
              onClick={() => void setStatus(replica, task, IN_PROGRESS)}
            >
              {texts.start}
            </button>
          )}
          <button
            type="button"
            aria-label={texts.doneTask(title)}
            onClick={({ currentTarget }) => {
              focusNeighbour(currentTarget);
              complete();
            }}
          >
            {texts.done}
          </button>
        </span>
      )}
    </li>
  );
}

/** The row goes away: the reader continues at the next one. */
function focusNeighbour(button: HTMLElement): void {
  const row = button.closest('li');
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
  (neighbour?.querySelector('a') ?? document.getElementById('content'))?.focus();
}

function RowFacts({ task }: { readonly task: Task }) {
  const { plan } = useWorkspace();
  const freed = Number(useGraphText((graph) => String(freedBy(graph, task.id).length)));
  const slack = plan?.timesOf(task.id)?.slack;
  const isLate = task.dueDate !== null && Date.parse(task.dueDate) < Date.now();
  return (
    <span className="facts">
      <span>{messages.status[task.status]}</span>
      {isLate && <span className="late">! {messages.late}</span>}
      {task.dueDate !== null && <span>{messages.due(dueLabel(task.dueDate))}</span>}
      {task.volume > 0 && <span>{messages.effort(task.volume)}</span>}
      {slack !== undefined && (
        <span className={slack === 0 ? 'critical' : ''}>{slack === 0 ? messages.critical : messages.slack(slack)}</span>
      )}
      {freed > 0 && <span>{messages.ready.frees(freed)}</span>}
      {task.assignee !== undefined && task.assignee.length > 0 && <span>{messages.list(task.assignee)}</span>}
    </span>
  );
}
