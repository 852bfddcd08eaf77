// The field that finds a task to link, or names a new one: a combobox (ARIA pattern) with a short
// list. Tasks that cannot be linked are listed with the reason, and cannot be chosen.
import type { Replica } from '@taskgraph/client';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type Task, taskOf } from '../../graph/task.ts';
import { edit } from '../../messages/en/edit.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { note } from '../../session/notices.ts';
import { useGraphText, useWorkspace } from '../../session/workspace.tsx';
import { useTypedText } from '../edit/typed-text.ts';
import { StatusGlyph } from '../status-glyph.tsx';

export type SearchChoice =
  | { readonly kind: 'new'; readonly title: string }
  | { readonly kind: 'task'; readonly task: Task; readonly problem: string | null };

interface TaskSearchProps {
  readonly help: string;
  /** Why a task cannot be chosen; null if it can. */
  readonly problemOf: (task: Task) => string | null;
  /** The task to which others are linked. It is not listed. */
  readonly self: string;
  /** Whether only existing tasks are listed. */
  readonly isExisting?: boolean;
  /** Returns whether it is done. */
  readonly onChoose: (choice: SearchChoice) => Promise<boolean>;
  readonly onClose: () => void;
}

const MOST_LISTED = 8;
const MOST_CHARACTERS = 500;
/** The bounds of a search (FIND4). */
const MOST_SEARCHED = 200;
const MOST_WORDS = 10;

export function TaskSearch({ help, problemOf, self, isExisting = false, onChoose, onClose }: TaskSearchProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { text, setText, giveBack } = useTypedText();
  const [active, setActive] = useState(0);
  const { replica } = useWorkspace();
  const listed = useDeferredValue(text);
  const search = useRef({ self, problemOf, isExisting });
  search.current = { self, problemOf, isExisting };
  const found = useMemo(() => optionsOf(replica, listed, search.current), [replica, listed]);
  const isShown = (option: SearchChoice) => option.kind === 'new' || replica.snapshot().nodes.has(option.task.id);
  // A task may leave while it is listed.
  useGraphText(() => found.map(isShown).join(' '));
  const options = found.filter(isShown);
  useEffect(() => input.current?.focus(), []);
  const activeOption = options[active];

  const choose = (choice: SearchChoice | undefined) => {
    if (choice === undefined) return;
    if (choice.kind === 'task' && choice.problem !== null) {
      note('refused', edit.notLinked(`${messages.quoted(titleOf(choice.task))} ${choice.problem}`));
      return;
    }
    const sent = onChoose(choice);
    setText('');
    setActive(0);
    input.current?.focus();
    if (choice.kind === 'new') void giveBackIfRefused(choice.title, sent);
  };
  const giveBackIfRefused = async (title: string, sent: Promise<boolean>) => {
    if (!(await sent) && !giveBack(title)) note('refused', edit.notAdded(title));
  };
  const walk = (step: number) => {
    if (options.length > 0) setActive((active + step + options.length) % options.length);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => walk(1),
    ArrowUp: () => walk(-1),
    // The list may still be that of an earlier text.
    Enter: () => choose(listed === text ? activeOption : optionsOf(replica, text, search.current)[0]),
    Escape: onClose,
  };
  const press = (event: KeyboardEvent) => {
    const act = keys[event.key];
    if (act === undefined || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div className="task-search">
      <label htmlFor={id}>{isExisting ? edit.findLabel : edit.searchLabel}</label>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-expanded={options.length > 0}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={activeOption === undefined ? undefined : `${id}${active}`}
        aria-describedby={`${id}help`}
        maxLength={MOST_CHARACTERS}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <p className="quiet" id={`${id}help`}>
        {help}
      </p>
      <div role="listbox" id={`${id}list`} aria-label={edit.options} className="options">
        {options.map((option, index) => (
          <Option
            key={option.kind === 'new' ? 'new' : option.task.id}
            id={`${id}${index}`}
            option={option}
            isActive={index === active}
            onPress={() => choose(option)}
          />
        ))}
      </div>
      <button type="button" className="plain" onClick={onClose}>
        {edit.cancel}
      </button>
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly option: SearchChoice;
  readonly isActive: boolean;
  readonly onPress: () => void;
}

function Option({ id, option, isActive, onPress }: OptionProps) {
  const problem = option.kind === 'task' ? option.problem : null;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field of the combobox.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the field of the combobox.
    <div
      role="option"
      id={id}
      className="option"
      aria-selected={isActive}
      aria-disabled={problem !== null}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {option.kind === 'new' ? (
        <span>+ {edit.newTask(option.title)}</span>
      ) : (
        <>
          <StatusGlyph status={option.task.status} />
          <span className="task-title">{titleOf(option.task)}</span>
          <span className="quiet">{problem ?? messages.status[option.task.status]}</span>
        </>
      )}
    </div>
  );
}

/** The new task first, unless a task has exactly that title. */
function optionsOf(
  replica: Replica,
  text: string,
  { self, problemOf, isExisting }: Pick<TaskSearchProps, 'self' | 'problemOf' | 'isExisting'>,
): readonly SearchChoice[] {
  const title = text.trim();
  if (title === '') return [];
  const words = title.slice(0, MOST_SEARCHED).split(/\s+/).slice(0, MOST_WORDS).join(' ');
  const found = replica
    .find({ text: words })
    .filter(({ id }) => id !== self)
    .slice(0, MOST_LISTED)
    .map(taskOf);
  const choices = found.map((task): SearchChoice => ({ kind: 'task', task, problem: problemOf(task) }));
  if (isExisting) return choices;
  const [first, ...others] = choices;
  const isNamed = found[0]?.title.trim().toLowerCase() === title.toLowerCase();
  const added: SearchChoice = { kind: 'new', title };
  return first !== undefined && isNamed ? [first, added, ...others] : [added, ...choices];
}
