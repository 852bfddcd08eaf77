// The panel of a task: its status, why it waits, its neighbours and its fields, to read or to change.
import { type Ref, useEffect, useLayoutEffect, useRef } from 'react';
import { BLOCKED, mayEdit, type Task } from '../graph/task.ts';
import { goTo } from '../history.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { pathOf } from '../routes.ts';
import { useReplicaState, useTask, useWorkspace } from '../session/workspace.tsx';
import { AccessSection } from './access/access-section.tsx';
import { Blockers } from './blockers.tsx';
import { EditFields } from './edit/edit-fields.tsx';
import { useFieldActors } from './edit/field-actors.ts';
import { TitleField } from './edit/title-field.tsx';
import { TrashTask } from './edit/trash-task.tsx';
import { unsavedDraftsOf } from './edit/unsaved-drafts.ts';
import { Fields } from './fields.tsx';
import { LinkList } from './links/link-list.tsx';
import { Neighbours } from './neighbours.tsx';
import { ScopeButtons } from './scope-buttons.tsx';
import { SectionButtons } from './section-buttons.tsx';
import { showPendingSection } from './sections.ts';
import { onRealId } from './settled-id.ts';
import { StatusButtons } from './status-buttons.tsx';
import '../style/panel.css';

interface TaskPanelProps {
  readonly id: string;
  /** Whether the view behind the panel can be limited to the task's branch or neighbours. */
  readonly canLimitViews: boolean;
  readonly onClose: () => void;
}

export function TaskPanel({ id, canLimitViews, onClose }: TaskPanelProps) {
  const task = useTask(id);
  const state = useReplicaState();
  const actors = useFieldActors(id);
  const heading = useRef<HTMLHeadingElement>(null);
  const openedId = useRef(id);
  useRealId(id);
  // Before the panel is painted, so that nobody finds it without the focus.
  useLayoutEffect(() => {
    if (!showPendingSection(openedId.current)) heading.current?.focus();
  }, []);
  useEffect(() => {
    const closeByKey = ({ key, target, isComposing }: KeyboardEvent) => {
      const dialog = (target as Element | null)?.closest?.('dialog') ?? null;
      if (key === 'Escape' && !isComposing && dialog === null) onClose();
    };
    addEventListener('keydown', closeByKey);
    return () => removeEventListener('keydown', closeByKey);
  }, [onClose]);
  const isComing = task === undefined && state !== 'live';
  return (
    <div className="panel-content">
      <div className="panel-head">
        {task !== undefined && mayEdit(task) ? (
          <TitleField task={task} actor={actors.title} heading={heading} />
        ) : (
          <Heading heading={heading} text={task === undefined ? missingTitle(isComing) : titleOf(task)} />
        )}
        <button type="button" className="plain" onClick={onClose}>
          {messages.close}
        </button>
      </div>
      {task === undefined && <p>{isComing ? '' : messages.panel.missing}</p>}
      {task !== undefined && <SectionButtons />}
      {task !== undefined && <StatusButtons task={task} />}
      {task !== undefined && canLimitViews && <ScopeButtons id={id} onClose={onClose} />}
      {task?.status === BLOCKED && <Blockers task={task} />}
      {task !== undefined && !mayEdit(task) && <ToRead task={task} />}
      {task !== undefined && mayEdit(task) && (
        <>
          <LinkList task={task} end="source" />
          <LinkList task={task} end="target" />
          <EditFields task={task} actors={actors} />
          <TrashTask task={task} onTrash={onClose} />
        </>
      )}
      {task !== undefined && <AccessSection task={task} />}
    </div>
  );
}

/** The address of a task that is added follows its id, and so does what the reader has written. */
function useRealId(id: string): void {
  const { replica } = useWorkspace();
  useEffect(
    () =>
      onRealId(replica, id, (real) => {
        unsavedDraftsOf(replica).rename(id, real);
        goTo(pathOf({ view: 'task', id: real }), { replace: true });
      }),
    [replica, id],
  );
}

function missingTitle(isComing: boolean): string {
  return isComing ? messages.opening : messages.panel.missingTitle;
}

function Heading({ heading, text }: { readonly heading: Ref<HTMLHeadingElement>; readonly text: string }) {
  return (
    <h2 ref={heading} tabIndex={-1} dir="auto">
      {text}
    </h2>
  );
}

function ToRead({ task }: { readonly task: Task }) {
  return (
    <>
      <Neighbours id={task.id} />
      <Fields task={task} />
    </>
  );
}
