// The field that finds a task to link, or names a new one. Tasks that cannot be linked are listed with
// the reason, and cannot be chosen.
import type { Replica } from '@taskgraph/client';
import { useCallback, useRef } from 'react';
import { MOST_SEARCH_CHARACTERS, MOST_SEARCH_WORDS, MOST_TITLE_CHARACTERS } from '../../graph/limits.ts';
import { type Task, taskOf } from '../../graph/task.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { edit } from '../../messages/texts/edit.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { note } from '../../session/notices.ts';
import { hitsFor } from '../../session/task-finder.ts';
import { useWorkspace } from '../../session/workspace.tsx';
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

export function TaskSearch({ help, problemOf, self, isExisting = false, onChoose, onClose }: TaskSearchProps) {
  const { text, setText, giveBack } = useTypedText();
  const { replica } = useWorkspace();
  const search = useRef({ self, problemOf, isExisting });
  search.current = { self, problemOf, isExisting };
  const optionsFor = useCallback((written: string) => optionsOf(replica, written, search.current), [replica]);

  const choose = (choice: SearchChoice) => {
    if (choice.kind === 'task' && choice.problem !== null) {
      note('refused', edit.notLinked(`${messages.quoted(titleOf(choice.task))} ${choice.problem}`));
      return;
    }
    const sent = onChoose(choice);
    setText('');
    if (choice.kind === 'new') void giveBackIfRefused(choice.title, sent);
  };
  const giveBackIfRefused = async (title: string, sent: Promise<boolean>) => {
    if (!(await sent) && !giveBack(title)) note('refused', edit.notAdded(title));
  };
  return (
    <div className="task-search">
      <Combobox
        label={isExisting ? edit.findLabel : edit.searchLabel}
        help={() => help}
        listLabel={edit.options}
        text={text}
        mostCharacters={MOST_TITLE_CHARACTERS}
        optionsFor={optionsFor}
        keyOf={(option) => (option.kind === 'new' ? 'new' : option.task.id)}
        isThere={(option) => option.kind === 'new' || replica.snapshot().nodes.has(option.task.id)}
        isRefused={(option) => option.kind === 'task' && option.problem !== null}
        onWrite={setText}
        onChoose={choose}
        onEscape={onClose}
      >
        {(option) => <OptionText option={option} />}
      </Combobox>
      <button type="button" className="plain" onClick={onClose}>
        {messages.cancel}
      </button>
    </div>
  );
}

function OptionText({ option }: { readonly option: SearchChoice }) {
  if (option.kind === 'new') return <span>+ {edit.newTask(option.title)}</span>;
  const { task, problem } = option;
  return (
    <>
      <StatusGlyph status={task.status} />
      <span className="task-title" dir="auto">
        {titleOf(task)}
      </span>
      <span className="quiet">{problem ?? messages.status[task.status]}</span>
    </>
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
  const words = title.slice(0, MOST_SEARCH_CHARACTERS).split(/\s+/).slice(0, MOST_SEARCH_WORDS).join(' ');
  const found = hitsFor(replica, words)
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
