// The fields of one value: numbers, the due date and the description.
import { dueText } from '@taskgraph/client';
import { useRef } from 'react';
import type { Task } from '../../graph/task.ts';
import { edit } from '../../messages/en/edit.ts';
import { dueWords, messages } from '../../messages/messages.ts';
import { FieldFault, type FieldForm, useField } from './field-draft.ts';
import { FieldFrame, fieldKeys } from './field-frame.tsx';

interface ValueFieldProps {
  readonly task: Task;
  readonly actor: string | undefined;
}

const MOST_NUMBER = 1_000_000;
const MOST_DESCRIPTION = 20_000;

const NUMBER: FieldForm<'volume' | 'priority'> = {
  textOf: (value) => (value === 0 ? '' : String(value)),
  parse(text) {
    const isWhole = /^\d{0,7}$/.test(text.trim());
    if (!isWhole || Number(text) > MOST_NUMBER) throw new FieldFault(edit.badNumber);
    return Number(text);
  },
};

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

/** A due date is written as a day. One with a time of day shows its day, and its time below. */
const DAY: FieldForm<'dueDate'> = {
  textOf: (value) => (value === null ? '' : dueText(value).slice(0, 'YYYY-MM-DD'.length)),
  parse(text) {
    if (text === '') return null;
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new FieldFault(edit.badDay);
    // As the service stores a day (IO6), so that the same day is no change.
    return `${text}T23:59:59.000Z`;
  },
};

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
        wordsOf={(day) => (day === '' ? '' : messages.day(day))}
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
      {isMoment && <p className="quiet">{edit.dueAt(dueWords(dueDate))}</p>}
    </>
  );
}

const TEXT: FieldForm<'description'> = { textOf: (value) => value, parse: (text) => text };

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
