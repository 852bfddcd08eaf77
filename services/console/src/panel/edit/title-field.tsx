// The title of a task: the heading of its panel, and a field for readers who may change it.
import { type Ref, useEffect, useRef, useState } from 'react';
import { MOST_TITLE_CHARACTERS } from '../../graph/limits.ts';
import type { Task } from '../../graph/task.ts';
import { titleOf } from '../../messages/messages.ts';
import { edit } from '../../messages/texts/edit.ts';
import { useField } from './field-draft.ts';
import { FieldFault, type FieldForm } from './field-forms.ts';
import { FieldFrame } from './field-frame.tsx';

const TITLE: FieldForm<'title'> = {
  textOf: (value) => value,
  parse(text) {
    if (text.trim() === '') throw new FieldFault(edit.emptyTitle);
    return text.trim();
  },
};

interface TitleFieldProps {
  readonly task: Task;
  readonly actor: string | undefined;
  readonly heading: Ref<HTMLHeadingElement>;
}

export function TitleField({ task, actor, heading }: TitleFieldProps) {
  const state = useField(task, 'title', TITLE);
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isNeeded = isOpen || state.isChanged || state.fault !== null;
  useEffect(() => {
    if (isOpen) input.current?.select();
  }, [isOpen]);
  const close = () => {
    setIsOpen(false);
    // The field goes away with the focus in it, unless its text waits for a choice.
    queueMicrotask(() => button.current?.focus());
  };
  return (
    <div className="panel-title">
      <h2 ref={heading} tabIndex={-1} dir="auto">
        {titleOf(task)}
      </h2>
      {isNeeded ? (
        <FieldFrame label={edit.title} state={state} actor={actor}>
          {(control) => (
            <input
              {...control}
              ref={input}
              type="text"
              autoComplete="off"
              maxLength={MOST_TITLE_CHARACTERS}
              aria-invalid={state.fault !== null}
              value={state.text}
              onChange={({ target }) => state.change(target.value)}
              onFocus={() => setIsOpen(true)}
              onBlur={() => {
                setIsOpen(false);
                state.save();
              }}
              onKeyDown={(event) => {
                const isEnd = event.key === 'Enter' || event.key === 'Escape';
                if (!isEnd || event.nativeEvent.isComposing) return;
                event.preventDefault();
                event.stopPropagation();
                if (event.key === 'Enter') state.save();
                else state.reset();
                close();
              }}
            />
          )}
        </FieldFrame>
      ) : (
        <button type="button" ref={button} className="plain" onClick={() => setIsOpen(true)}>
          {edit.changeTitle}
        </button>
      )}
    </div>
  );
}
