// The frame of an editable field: its label, its control, what is wrong with it, and what somebody
// else has written meanwhile.
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { edit } from '../../messages/texts/edit.ts';
import type { FieldState } from './field-draft.ts';

interface FieldFrameProps {
  readonly label: string;
  readonly state: FieldState;
  /** Who changed the field last, as far as this window knows. */
  readonly actor: string | undefined;
  /** A value for people, if its text is a form for machines. */
  readonly textOf?: (text: string) => string;
  readonly children: (control: { readonly id: string; readonly 'aria-describedby': string | undefined }) => ReactNode;
}

export function FieldFrame({ label, state, actor, textOf = (text) => text, children }: FieldFrameProps) {
  const id = useId();
  const { fault, theirs } = state;
  const noteId = `${id}note`;
  /** The buttons go away. */
  const end = (act: () => void) => () => {
    act();
    document.getElementById(id)?.focus();
  };
  return (
    <div className="edit-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': fault === null && theirs === null ? undefined : noteId })}
      <div className="field-note" id={noteId} role="status">
        {fault !== null && <p className="late">{fault}</p>}
        {theirs !== null && <p>{edit.theirs(actor, shortened(textOf(theirs)))}</p>}
      </div>
      {theirs !== null && (
        <div className="field-acts">
          <button type="button" onClick={end(state.reset)}>
            {edit.useTheirs}
          </button>
          <button type="button" onClick={end(state.saveMine)}>
            {edit.saveMine}
          </button>
        </div>
      )}
    </div>
  );
}

/** A description may be long, and its field shows the whole of it. */
const MOST_SHOWN = 300;

function shortened(text: string): string {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}

/** The keys of a field of one line: Enter saves, Escape gives the change up. */
export function fieldKeys(state: FieldState) {
  return (event: KeyboardEvent) => {
    // The key belongs to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') state.save();
    else if (event.key === 'Escape' && state.isChanged) state.reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
