// The fields of one value: numbers, the due date and the description.
import { dueText } from '@taskgraph/client';
import { useRef } from 'react';
import type { Task } from '../../graph/task.ts';
import { dueLabel, messages } from '../../messages/messages.ts';
import { edit } from '../../messages/texts/edit.ts';
import { useField } from './field-draft.ts';
import { DAY, NUMBER, TEXT } from './field-forms.ts';
import { FieldFrame, fieldKeys } from './field-frame.tsx';

interface ValueFieldProps {
  readonly task: Task;
  readonly actor: string | undefined;
}

const MOST_DESCRIPTION = 20_000;

export function NumberField({ task, actor, field }: ValueFieldProps & { readonly field: 'volume' | 'priority' }) {
  const state = useField(task, field, NUMBER);
  return (
    <FieldFrame
      label={field === 'volume' ? messages.panel.effort : messages.panel.priority}
      state={state}
      actor={actor}
    >
      {(control) => (
        <input
          {...control}
          type="text"
          inputMode="numeric"
          autoComplete="off"
          placeholder="0"
          aria-invalid={state.fault !== null}
          value={state.text}
          onChange={({ target }) => state.change(target.value)}
          onBlur={state.save}
          onKeyDown={fieldKeys(state)}
        />
      )}
    </FieldFrame>
  );
}

/** A due date with a time of day shows its time below. */
export function DueField({ task, actor }: ValueFieldProps) {
  const state = useField(task, 'dueDate', DAY);
  const input = useRef<HTMLInputElement>(null);
  // A date that is half written has no text. It must not count as none.
  const save = () => {
    if (input.current?.validity.badInput) state.refuse(edit.badDay);
    else state.save();
  };
  const { dueDate } = task;
  const isMoment = dueDate !== null && dueText(dueDate).length > 'YYYY-MM-DD'.length;
  return (
    <>
      <FieldFrame
        label={messages.panel.dueDate}
        state={state}
        actor={actor}
        textOf={(day) => (day === '' ? '' : messages.day(day))}
      >
        {(control) => (
          <span className="with-button">
            <input
              {...control}
              ref={input}
              type="date"
              max="9999-12-31"
              aria-invalid={state.fault !== null}
              value={state.text}
              onChange={({ target }) => state.change(target.value)}
              onBlur={save}
              onKeyDown={(event) => {
                if (event.key === 'Enter') {
                  event.preventDefault();
                  save();
                } else fieldKeys(state)(event);
              }}
            />
            {dueDate !== null && (
              <button
                type="button"
                className="plain"
                onClick={() => {
                  state.clear();
                  input.current?.focus();
                }}
              >
                {edit.clearDay}
              </button>
            )}
          </span>
        )}
      </FieldFrame>
      {isMoment && <p className="quiet">{edit.dueAt(dueLabel(dueDate))}</p>}
    </>
  );
}

/** Enter begins a line, so a button or Ctrl and Enter save. */
export function DescriptionField({ task, actor }: ValueFieldProps) {
  const state = useField(task, 'description', TEXT);
  const field = useRef<HTMLTextAreaElement>(null);
  const isOpen = state.isChanged && state.theirs === null;
  return (
    <>
      <FieldFrame label={messages.panel.description} state={state} actor={actor}>
        {(control) => (
          <textarea
            {...control}
            ref={field}
            rows={3}
            maxLength={MOST_DESCRIPTION}
            value={state.text}
            onChange={({ target }) => state.change(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) return;
              fieldKeys(state)(event);
            }}
          />
        )}
      </FieldFrame>
      {isOpen && (
        <div className="field-acts">
          <button
            type="button"
            onClick={() => {
              state.save();
              field.current?.focus();
            }}
          >
            {edit.saveDescription}
          </button>
          <button
            type="button"
            className="plain"
            onClick={() => {
              state.reset();
              field.current?.focus();
            }}
          >
            {edit.discard}
          </button>
          <span className="quiet">{edit.descriptionHelp}</span>
        </div>
      )}
    </>
  );
}
