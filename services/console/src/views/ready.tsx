// What the reader can do now: the ready tasks of the plan, in its order, to start and to complete.
import { type KeyboardEvent, useState } from 'react';
import { BLOCKED, mayEdit } from '../graph/task.ts';
import { messages } from '../messages/messages.ts';
import { extendByStep, useSelectable, useSelection } from '../session/selection.ts';
import { useFilter, useShownTasks } from '../session/shown-tasks.tsx';
import { useGraphText, useIsEmpty, useReplicaState, useTask, useWorkspace } from '../session/workspace.tsx';
import { FilteredEmpty } from './filtered-empty.tsx';
import { NewTask } from './new-task.tsx';
import { ReadyRow } from './ready-row.tsx';

/** Rows that are added at once: the page stays small in a graph of 20,000 tasks. */
const ROWS = 100;

export function ReadyView({ chosen }: { readonly chosen: string | null }) {
  const { ready: texts } = messages;
  const { plan } = useWorkspace();
  const shown = useShownTasks();
  const { isOn } = useFilter();
  const [rows, setRows] = useState(ROWS);
  const ids = (plan?.ready ?? []).filter(shown.has);
  const left = ids.length - rows;
  const selection = useSelection();
  useSelectable(() => [ids]);
  return (
    <section className="view" aria-label={texts.title} onKeyDown={step}>
      <h1>{texts.title}</h1>
      <p className="quiet">{texts.lead}</p>
      <NewTask />
      {plan === undefined ? (
        <p className="hint">{messages.opening}</p>
      ) : plan === null ? (
        <p className="hint">{texts.noPlan}</p>
      ) : ids.length === 0 ? (
        isOn ? (
          <FilteredEmpty whenAll={texts.empty} whenFiltered={messages.filter.noneReady} />
        ) : (
          <EmptyReady />
        )
      ) : (
        <ul className="rows" aria-label={texts.list}>
          {ids.slice(0, rows).map((id) => (
            <Row key={id} id={id} isChosen={id === chosen} isSelected={selection.has(id)} />
          ))}
        </ul>
      )}
      {left > 0 && (
        <button type="button" onClick={() => setRows(rows + ROWS)}>
          {texts.more(Math.min(left, ROWS))}
        </button>
      )}
    </section>
  );
}

interface RowProps {
  readonly id: string;
  readonly isChosen: boolean;
  readonly isSelected: boolean;
}

function Row({ id, isChosen, isSelected }: RowProps) {
  const task = useTask(id);
  if (task === undefined) return null;
  return <ReadyRow task={task} isChosen={isChosen} isSelected={isSelected} mayEdit={mayEdit(task)} />;
}

/** Arrow keys lead from row to row; with Shift they extend the selection. */
function step(event: KeyboardEvent<HTMLElement>): void {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  const by = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  const from = (event.target as HTMLElement).dataset.task;
  if (by === 0 || from === undefined || ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-task]')];
  const next = links[links.findIndex(({ dataset }) => dataset.task === from) + by];
  next?.focus();
  if (shiftKey) extendByStep(from, next?.dataset.task ?? from);
}

function EmptyReady() {
  const { ready: texts } = messages;
  const state = useReplicaState();
  const isNew = useIsEmpty();
  const blocked = Number(useGraphText((_graph, index) => String(index.counts()[BLOCKED])));
  if (state === 'catching-up') return <p className="hint">{messages.connection['catching-up']}</p>;
  return (
    <p className="hint">{isNew ? texts.first : blocked > 0 ? `${texts.empty} ${texts.emptyBlocked}` : texts.empty}</p>
  );
}
