// The conditions of the filter, each with a button that removes it, and how many tasks they leave.
// It loads once a filter is on.
import type { Filter } from '../graph/filter.ts';
import type { Neighbourhood } from '../graph/neighbourhood.ts';
import { OPEN } from '../graph/task.ts';
import { setParameters } from '../history.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { clearFilter, MOST_STEPS, setNeighbourhood, useShownTasks } from '../session/shown-tasks.tsx';
import { useGraphText, useTask } from '../session/workspace.tsx';

interface FilterStateProps {
  readonly filter: Filter;
  readonly root: string | null;
  readonly neighbourhood: Neighbourhood | null;
  readonly onChange: (change: Partial<Filter>) => void;
  /** Runs an act after which its button is gone. */
  readonly onAct: (act: () => void) => void;
}

export function FilterState({ filter, root, neighbourhood, onChange, onAct }: FilterStateProps) {
  return (
    <div className="filter-state">
      <Chips
        filter={filter}
        root={root}
        onChange={(change) => onAct(() => onChange(change))}
        onLeave={() => onAct(() => setParameters({ in: null }))}
      />
      {neighbourhood !== null && (
        <NeighbourhoodChip neighbourhood={neighbourhood} onRemove={() => onAct(() => setNeighbourhood(null))} />
      )}
      <Count />
      <button type="button" onClick={() => onAct(clearFilter)}>
        {messages.filter.clear}
      </button>
    </div>
  );
}

interface ChipsProps {
  readonly filter: Filter;
  readonly root: string | null;
  readonly onChange: (change: Partial<Filter>) => void;
  /** Ends the scope. */
  readonly onLeave: () => void;
}

function Chips({ filter, root, onChange, onLeave }: ChipsProps) {
  const { statuses, tags, assignees } = filter;
  const { filter: texts } = messages;
  const isOpen = OPEN.every((status) => statuses.includes(status));
  const single = isOpen ? statuses.filter((status) => !OPEN.includes(status)) : statuses;
  return (
    <>
      {root !== null && <ScopeChip root={root} onRemove={onLeave} />}
      {isOpen && <Chip text={texts.open} onRemove={() => onChange({ statuses: single })} />}
      {single.map((status) => (
        <Chip
          key={status}
          text={messages.status[status] ?? ''}
          onRemove={() => onChange({ statuses: statuses.filter((each) => each !== status) })}
        />
      ))}
      {tags.map((tag) => (
        <Chip
          key={`tag ${tag}`}
          text={texts.tagged(tag)}
          onRemove={() => onChange({ tags: tags.filter((each) => each !== tag) })}
        />
      ))}
      {assignees.map((assignee) => (
        <Chip
          key={`assignee ${assignee}`}
          text={texts.assignedTo(assignee === 'me' ? texts.me : assignee)}
          onRemove={() => onChange({ assignees: assignees.filter((each) => each !== assignee) })}
        />
      ))}
    </>
  );
}

function ScopeChip({ root, onRemove }: { readonly root: string; readonly onRemove: () => void }) {
  const { filter: texts } = messages;
  const task = useTask(root);
  return <Chip text={task === undefined ? texts.scopeMissing : texts.branchOf(titleOf(task))} onRemove={onRemove} />;
}

/** The scope of a neighbourhood, with a choice of its size. */
function NeighbourhoodChip({
  neighbourhood,
  onRemove,
}: {
  readonly neighbourhood: Neighbourhood;
  readonly onRemove: () => void;
}) {
  const { filter: texts } = messages;
  const task = useTask(neighbourhood.id);
  return (
    <>
      <Chip
        text={task === undefined ? texts.neighboursMissing : texts.neighboursOf(titleOf(task))}
        onRemove={onRemove}
      />
      <select
        aria-label={texts.steps}
        value={neighbourhood.steps}
        onChange={({ target }) => setNeighbourhood({ ...neighbourhood, steps: Number(target.value) })}
      >
        {Array.from({ length: MOST_STEPS }, (_, place) => place + 1).map((steps) => (
          <option key={steps} value={steps}>
            {texts.stepsAway(steps)}
          </option>
        ))}
      </select>
    </>
  );
}

function Chip({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <button type="button" className="chip" aria-label={messages.filter.remove(text)} onClick={onRemove}>
      {text} <span aria-hidden="true">×</span>
    </button>
  );
}

function Count() {
  const shown = useShownTasks();
  const all = Number(useGraphText((_graph, index) => String(index.counts().reduce((sum, each) => sum + each, 0))));
  return <span role="status">{messages.filter.count(shown.count(), all)}</span>;
}
