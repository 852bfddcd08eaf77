// Where the tasks of a file go: to the top level, or below a task.
import { isProvisional } from '@taskgraph/client';
import { useRef, useState } from 'react';
import { titleOf } from '../messages/messages.ts';
import { files as texts } from '../messages/texts/files.ts';
import { TaskSearch } from '../panel/links/task-search.tsx';
import { canWait } from '../session/link-edits.ts';
import { useTask } from '../session/workspace.tsx';

interface ParentChoiceProps {
  /** The task below which they go; null for the top level. */
  readonly under: string | null;
  /** The task whose panel is open. */
  readonly chosen: string | null;
  readonly onChoose: (under: string | null) => void;
}

export function ParentChoice({ under, chosen, onChoose }: ParentChoiceProps) {
  const [isSearching, setSearching] = useState(false);
  const group = useRef<HTMLFieldSetElement>(null);
  const parent = useTask(under ?? '');
  const open = useTask(chosen ?? '');
  const choose = (next: string | null) => {
    // The button may be gone.
    group.current?.focus();
    setSearching(false);
    onChoose(next);
  };
  return (
    <fieldset ref={group} tabIndex={-1}>
      <legend>{texts.where}</legend>
      <p role="status">{parent === undefined ? texts.topLevel : texts.below(titleOf(parent))}</p>
      <div className="files-where">
        {open !== undefined && open.id !== under && canWait({ waiting: open }) && !isProvisional(open.id) && (
          <button type="button" onClick={() => choose(open.id)}>
            {texts.belowChosen(titleOf(open))}
          </button>
        )}
        {!isSearching && (
          <button type="button" onClick={() => setSearching(true)}>
            {texts.belowOther}
          </button>
        )}
        {under !== null && (
          <button type="button" onClick={() => choose(null)}>
            {texts.toTop}
          </button>
        )}
      </div>
      {isSearching && (
        <TaskSearch
          help={texts.belowHelp}
          self={under ?? ''}
          isExisting
          problemOf={(task) => (canWait({ waiting: task }) && !isProvisional(task.id) ? null : texts.cannotWait)}
          onChoose={async (choice) => {
            if (choice.kind === 'task') choose(choice.task.id);
            return true;
          }}
          onClose={() => choose(under)}
        />
      )}
    </fieldset>
  );
}
