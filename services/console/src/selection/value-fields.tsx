// The fields of the question for a value: a number, a day, an item of a list, or another task.
import { useCallback, useId } from 'react';
import { MOST_SEARCH_CHARACTERS } from '../graph/limits.ts';
import { type Task, taskOf } from '../graph/task.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { edit } from '../messages/texts/edit.ts';
import { selection as texts } from '../messages/texts/selection.ts';
import { DAY, FieldFault, MOST_ITEM_CHARACTERS, NUMBER } from '../panel/edit/field-forms.ts';
import { StatusGlyph } from '../panel/status-glyph.tsx';
import { Combobox } from '../parts/combobox.tsx';
import { tasksFor } from '../session/task-finder.ts';
import { useWorkspace } from '../session/workspace.tsx';
import type { ChangeQuestion, DialogField } from './begin-change.ts';
import { isParent, type TaskChange } from './task-changes.ts';

/** What the reader has entered. */
export interface Answer {
  readonly text: string;
  /** For a list: whether the item is added or removed. */
  readonly isAdded: boolean;
  /** The chosen task. */
  readonly target: string | null;
}

/** The values that the tasks share are there at first. */
export function firstAnswer(question: ChangeQuestion, tasks: readonly Task[]): Answer {
  const empty = { text: '', isAdded: true, target: null };
  if (question.kind === 'change') return empty;
  const { field } = question;
  if (field === 'tags' || field === 'assignee' || field === 'move') return empty;
  const shared = new Set(
    tasks.map((task) => (field === 'dueDate' ? DAY.textOf(task.dueDate) : NUMBER.textOf(task[field]))),
  );
  return { ...empty, text: shared.size === 1 ? [...shared].join('') : '' };
}

/** The change for an answer, or why there is none. */
export function changeOf(field: DialogField, { text, isAdded, target }: Answer): TaskChange | string {
  if (field === 'move') return target === null ? texts.missingValue : { kind: 'move', target };
  if (field === 'tags' || field === 'assignee') {
    const item = text.trim();
    return item === '' ? texts.missingValue : { kind: field, item, isAdded };
  }
  try {
    return field === 'dueDate' ? { kind: field, value: DAY.parse(text) } : { kind: field, value: NUMBER.parse(text) };
  } catch (error) {
    if (error instanceof FieldFault) return error.message;
    throw error;
  }
}

interface ValueFieldsProps {
  readonly field: DialogField;
  readonly tasks: readonly Task[];
  readonly answer: Answer;
  readonly onChange: (answer: Answer) => void;
}

export function ValueFields(props: ValueFieldsProps) {
  switch (props.field) {
    case 'volume':
    case 'priority':
      return <NumberField {...props} />;
    case 'dueDate':
      return <DayField {...props} />;
    case 'move':
      return <ParentField {...props} />;
    default:
      return <ItemField {...props} field={props.field} />;
  }
}

function NumberField({ field, answer, onChange }: ValueFieldsProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{field === 'volume' ? messages.panel.effort : messages.panel.priority}</label>
      <input
        id={id}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        placeholder="0"
        value={answer.text}
        onChange={({ target }) => onChange({ ...answer, text: target.value })}
      />
    </div>
  );
}

function DayField({ answer, onChange }: ValueFieldsProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{messages.panel.dueDate}</label>
      <input
        id={id}
        type="date"
        max="9999-12-31"
        value={answer.text}
        aria-describedby={`${id}help`}
        onChange={({ target }) => onChange({ ...answer, text: target.value })}
      />
      <span id={`${id}help`} className="quiet">
        {texts.noDay}
      </span>
    </div>
  );
}

/** Values that a field proposes. */
const MOST_PROPOSED = 100;

function ItemField({ field, tasks, answer, onChange }: ValueFieldsProps & { readonly field: 'tags' | 'assignee' }) {
  const { replica } = useWorkspace();
  const id = useId();
  const { isAdded } = answer;
  const others = isAdded ? [...replica.snapshot().nodes.values()].map(taskOf) : tasks;
  const me = field === 'assignee' && isAdded && replica.username !== null ? [replica.username] : [];
  const items = new Set([...me, ...others.flatMap((task) => task[field] ?? [])]);
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{field === 'tags' ? texts.tag : texts.person}</label>
        <input
          id={id}
          type="text"
          list={`${id}items`}
          autoComplete="off"
          maxLength={MOST_ITEM_CHARACTERS[field]}
          value={answer.text}
          onChange={({ target }) => onChange({ ...answer, text: target.value })}
        />
        <datalist id={`${id}items`}>
          {[...items].slice(0, MOST_PROPOSED).map((item) => (
            <option key={item} value={item} />
          ))}
        </datalist>
      </div>
      <fieldset className="choice">
        <legend className="unseen">{texts.listChange}</legend>
        {[true, false].map((isAdd) => (
          <label key={String(isAdd)} className="check">
            <input
              type="radio"
              name={`${id}way`}
              checked={isAdded === isAdd}
              onChange={() => onChange({ ...answer, isAdded: isAdd })}
            />{' '}
            {isAdd ? texts.add : texts.remove}
          </label>
        ))}
      </fieldset>
    </>
  );
}

function ParentField({ tasks, answer, onChange }: ValueFieldsProps) {
  const { replica, graph } = useWorkspace();
  const isChosen = answer.target !== null;
  const optionsFor = useCallback((text: string) => (isChosen ? [] : tasksFor(replica, text)), [replica, isChosen]);
  const moved = new Set(tasks.map(({ id }) => id));
  const problemOf = (task: Task) =>
    moved.has(task.id) ? messages.selection.selected : isParent(task) ? null : texts.noParent;
  return (
    <Combobox
      label={texts.parent}
      help={() => texts.parentHelp}
      listLabel={edit.options}
      text={answer.text}
      mostCharacters={MOST_SEARCH_CHARACTERS}
      optionsFor={optionsFor}
      keyOf={({ id }) => id}
      isThere={({ id }) => graph.task(id) !== undefined}
      isRefused={(task) => problemOf(task) !== null}
      onWrite={(text) => onChange({ ...answer, text, target: null })}
      onChoose={(task) => {
        if (problemOf(task) === null) onChange({ ...answer, text: titleOf(task), target: task.id });
      }}
    >
      {(task) => (
        <>
          <StatusGlyph status={task.status} />
          <span className="task-title" dir="auto">
            {titleOf(task)}
          </span>
          <span className="quiet">{problemOf(task) ?? messages.status[task.status]}</span>
        </>
      )}
    </Combobox>
  );
}
