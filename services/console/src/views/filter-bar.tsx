// The filter of all views: words and conditions, the scope, and how many tasks they leave.
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { type Filter, NO_FILTER, printFilter } from '../graph/filter.ts';
import type { Neighbourhood } from '../graph/neighbourhood.ts';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS, type Task, taskOf } from '../graph/task.ts';
import { setParameters } from '../history.ts';
import { messages, titleOf } from '../messages/messages.ts';
import {
  clearFilter,
  MOST_STEPS,
  setFilter,
  setNeighbourhood,
  useFilter,
  useShownTasks,
} from '../session/shown-tasks.tsx';
import { useGraphText, useTask, useWorkspace } from '../session/workspace.tsx';

const MOST_CHARACTERS = 1_000;
/** Values that a menu offers: the most frequent ones. */
const MOST_VALUES = 100;
const OPEN: readonly number[] = [AVAILABLE, IN_PROGRESS, BLOCKED];
const STATUSES = [AVAILABLE, IN_PROGRESS, BLOCKED, COMPLETED];

export function FilterBar() {
  const { filter: texts } = messages;
  const { filter, isTooLong, isOn, root, neighbourhood } = useFilter();
  const bar = useRef<HTMLElement>(null);
  const set = (change: Partial<Filter>) => setFilter(printFilter({ ...filter, ...change }));
  /** A button that goes away with its act leaves the focus here. */
  const last = (act: () => void) => {
    bar.current?.focus();
    act();
  };
  const [isExpanded, setExpanded] = useState(false);
  return (
    <search ref={bar} className="filter" tabIndex={-1} aria-label={texts.label} data-expanded={isExpanded}>
      <Words />
      <button type="button" className="filter-more" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
        {texts.conditions}
      </button>
      <div className="filter-menus">
        <Menus filter={filter} onChange={set} />
      </div>
      {isOn && (
        <div className="filter-state">
          <Chips
            // A filter that is too long has no effect, and the number of its conditions has no bound.
            filter={isTooLong ? NO_FILTER : filter}
            root={root}
            onChange={(change) => last(() => set(change))}
            onLeave={() => last(() => setParameters({ in: null }))}
          />
          {neighbourhood !== null && (
            <NeighbourhoodChip neighbourhood={neighbourhood} onRemove={() => last(() => setNeighbourhood(null))} />
          )}
          <Count />
          <button type="button" onClick={() => last(clearFilter)}>
            {texts.clear}
          </button>
        </div>
      )}
      {isTooLong && (
        <p className="refusal" role="alert">
          {texts.tooLong}
        </p>
      )}
    </search>
  );
}

interface MenusProps {
  readonly filter: Filter;
  readonly onChange: (change: Partial<Filter>) => void;
}

function Menus({ filter, onChange }: MenusProps) {
  const { filter: texts } = messages;
  const addStatuses = (statuses: readonly number[]) =>
    onChange({ statuses: [...new Set([...filter.statuses, ...statuses])].sort((one, other) => one - other) });
  return (
    <>
      <Menu label={texts.status} onChoose={(value) => addStatuses(value === 'open' ? OPEN : [Number(value)])}>
        <option value="open">{texts.open}</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {messages.status[status]}
          </option>
        ))}
      </Menu>
      <ValueMenu
        label={texts.tag}
        valuesOf={({ tags }) => tags}
        onChoose={(tag) => onChange({ tags: withValue(filter.tags, tag) })}
      />
      <ValueMenu
        label={texts.assignee}
        valuesOf={({ assignee = [] }) => assignee}
        first={texts.me}
        onChoose={(value) => onChange({ assignees: withValue(filter.assignees, value) })}
      />
      <button type="button" aria-pressed={filter.isLate} onClick={() => onChange({ isLate: !filter.isLate })}>
        {texts.late}
      </button>
    </>
  );
}

/** The filter as text. */
function Words() {
  const { filter: texts } = messages;
  const { text } = useFilter();
  const [written, setWritten] = useState(text);
  const id = useId();
  // A change by a chip or by the button back; the reader's own text may end with a space.
  useEffect(() => setWritten((before) => (before.trim() === text.trim() ? before : text)), [text]);
  return (
    <>
      <label htmlFor={id} className="unseen">
        {texts.words}
      </label>
      <input
        id={id}
        type="search"
        data-filter="words"
        placeholder={texts.placeholder}
        value={written}
        maxLength={MOST_CHARACTERS}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setWritten(target.value);
          setFilter(target.value, { replace: true });
        }}
        onKeyDown={(event) => {
          // An input method uses these keys for its own candidates.
          if (event.nativeEvent.isComposing || (event.key !== 'Escape' && event.key !== 'Enter')) return;
          // The browser would clear the field, and the panel would close.
          event.preventDefault();
          event.stopPropagation();
          document.getElementById('content')?.focus();
        }}
      />
    </>
  );
}

interface ValueMenuProps {
  readonly label: string;
  readonly valuesOf: (task: Task) => readonly string[];
  /** A text for the value `me`, in front of the others. */
  readonly first?: string;
  readonly onChoose: (value: string) => void;
}

/** A menu of the values that tasks have. They are counted when the reader opens it. */
function ValueMenu({ label, valuesOf, first, onChoose }: ValueMenuProps) {
  const { replica } = useWorkspace();
  const [values, setValues] = useState<readonly string[]>([]);
  const count = () => {
    const counts = new Map<string, number>();
    for (const node of replica.snapshot().nodes.values()) {
      for (const value of valuesOf(taskOf(node))) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const frequent = [...counts].sort(([, one], [, other]) => other - one).slice(0, MOST_VALUES);
    setValues(frequent.map(([value]) => value).sort((one, other) => one.localeCompare(other)));
  };
  return (
    <Menu label={label} onOpen={count} onChoose={onChoose}>
      {first !== undefined && <option value="me">{first}</option>}
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </Menu>
  );
}

interface MenuProps {
  readonly label: string;
  readonly onOpen?: () => void;
  readonly onChoose: (value: string) => void;
  readonly children: ReactNode;
}

/** It shows its label; a choice adds a condition. */
function Menu({ label, onOpen, onChoose, children }: MenuProps) {
  return (
    <select
      aria-label={label}
      value=""
      onFocus={onOpen}
      onPointerDown={onOpen}
      onChange={({ target }) => onChoose(target.value)}
    >
      <option value="" disabled hidden>
        {label}
      </option>
      {children}
    </select>
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

function withValue(values: readonly string[], value: string): string[] {
  return [...new Set([...values, value])];
}
