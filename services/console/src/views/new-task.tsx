// The field that adds a task.
import { type FormEvent, useId, useRef } from 'react';
import { MOST_TITLE_CHARACTERS } from '../graph/limits.ts';
import { messages } from '../messages/messages.ts';
import { addTask } from '../session/acts.ts';
import { useWorkspace } from '../session/workspace.tsx';

export function NewTask() {
  const { ready: texts } = messages;
  const { replica } = useWorkspace();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const field = input.current;
    const title = field?.value.trim() ?? '';
    if (field === null || title === '') return;
    field.value = '';
    void addTask(replica, title).then((isAdded) => {
      // The text is the reader's; it comes back unless they write another one.
      if (!isAdded && field.value === '') field.value = title;
    });
  };
  return (
    <form className="new-task" onSubmit={add}>
      <label htmlFor={id} className="unseen">
        {texts.addTitle}
      </label>
      <input
        id={id}
        ref={input}
        type="text"
        placeholder={texts.add}
        maxLength={MOST_TITLE_CHARACTERS}
        autoComplete="off"
      />
      <button type="submit">{texts.addSubmit}</button>
    </form>
  );
}
