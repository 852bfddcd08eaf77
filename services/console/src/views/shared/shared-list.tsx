// A list of tasks with what the reader may do with each. It grows by pages.
import { type ReactNode, useState } from 'react';
import type { Task } from '../../graph/task.ts';
import { followLink } from '../../history.ts';
import { titleOf } from '../../messages/messages.ts';
import { shared as texts } from '../../messages/texts/shared.ts';
import { StatusGlyph } from '../../panel/status-glyph.tsx';
import { pathOf } from '../../routes.ts';
import { useTask } from '../../session/workspace.tsx';

const ROWS = 100;

interface SharedListProps {
  readonly label: string;
  readonly ids: readonly string[];
  readonly chosen: string | null;
  readonly facts: (task: Task) => readonly string[];
  readonly acts: (task: Task) => ReactNode;
}

export function SharedList({ label, ids, ...parts }: SharedListProps) {
  const [rows, setRows] = useState(ROWS);
  const left = ids.length - rows;
  return (
    <>
      <ul className="rows" aria-label={label}>
        {ids.slice(0, rows).map((id) => (
          <SharedRow key={id} id={id} {...parts} />
        ))}
      </ul>
      {left > 0 && (
        <button type="button" onClick={() => setRows(rows + ROWS)}>
          {texts.more(Math.min(left, ROWS))}
        </button>
      )}
    </>
  );
}

type SharedRowProps = Pick<SharedListProps, 'chosen' | 'facts' | 'acts'> & { readonly id: string };

function SharedRow({ id, chosen, facts, acts }: SharedRowProps) {
  const task = useTask(id);
  if (task === undefined) return null;
  return (
    <li className="shared-row" data-status={task.status}>
      <StatusGlyph status={task.status} />
      <a
        className="row-title"
        href={pathOf({ view: 'task', id })}
        data-task={id}
        aria-current={id === chosen ? 'true' : undefined}
        onClick={followLink}
      >
        <span dir="auto">{titleOf(task)}</span>
      </a>
      <span className="facts">
        {facts(task).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
      {acts(task)}
    </li>
  );
}
