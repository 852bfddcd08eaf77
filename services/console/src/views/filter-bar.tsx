// The filter of all views: words and conditions, the scope, and how many tasks they leave.
import { lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react';
import { type Filter, NO_FILTER, printFilter } from '../graph/filter.ts';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS, OPEN, type Task, taskOf } from '../graph/task.ts';
import { messages } from '../messages/messages.ts';
import { setFilter, useFilter } from '../session/shown-tasks.tsx';
import { useWorkspace } from '../session/workspace.tsx';

const MOST_CHARACTERS = 1_000;
/** Values that a menu offers: the most frequent ones. */
const MOST_VALUES = 100;
const STATUSES = [AVAILABLE, IN_PROGRESS, BLOCKED, COMPLETED];
const FilterState = lazy(() => import('./filter-state.tsx').then((module) => ({ default: module.FilterState })));

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
        <Suspense>
          <FilterState
            // A filter that is too long has no effect, and the number of its conditions has no bound.
            filter={isTooLong ? NO_FILTER : filter}
            root={root}
            neighbourhood={neighbourhood}
            onChange={set}
            onAct={last}
          />
        </Suspense>
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

function withValue(values: readonly string[], value: string): string[] {
  return [...new Set([...values, value])];
}
