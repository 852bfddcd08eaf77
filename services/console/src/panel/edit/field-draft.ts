// The text of a field while the reader edits it. It belongs to the reader until it is saved or given
// up: changes of others are offered next to it. Rule: CON9.
import { useEffect, useRef, useState } from 'react';
import type { Task } from '../../graph/task.ts';
import { titleOf } from '../../messages/messages.ts';
import { edit } from '../../messages/texts/edit.ts';
import { saveValue, type ValueField } from '../../session/field-edits.ts';
import { note } from '../../session/notices.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { FieldFault, type FieldForm } from './field-forms.ts';
import { type Draft, unsavedDraftsOf } from './unsaved-drafts.ts';

export interface FieldState {
  readonly text: string;
  /** Whether the text differs from the task. */
  readonly isChanged: boolean;
  readonly fault: string | null;
  /** The value that somebody else has set meanwhile, as a text. */
  readonly theirs: string | null;
  change(text: string): void;
  /** Saves the text, unless there is a value of somebody else to choose from. */
  save(): void;
  saveMine(): void;
  /** Saves that the field has no value. */
  clear(): void;
  /** Says what is wrong, in place of saving. */
  refuse(fault: string): void;
  /** Gives the text up: the field shows the task again. */
  reset(): void;
}

export function useField<F extends ValueField>(task: Task, field: F, { textOf, parse }: FieldForm<F>): FieldState {
  const { replica } = useWorkspace();
  const [draft, setDraft, returnDraft] = useDraft<F>(task.id, field);
  const [fault, setFault] = useState<string | null>(null);
  const isMounted = useIsMounted();
  useLostText(task, field, draft?.text);
  const current = task[field];
  const isOvertaken = draft !== null && draft.seen !== current && textOf(current) !== draft.text;

  async function send(text: string, seen: Task[F]): Promise<void> {
    let value: Task[F];
    try {
      value = parse(text);
    } catch (error) {
      if (!(error instanceof FieldFault)) throw error;
      setFault(error.message);
      return;
    }
    setFault(null);
    setDraft(null);
    if (value === current) return;
    const outcome = await saveValue(replica, { id: task.id, field, seen, value });
    if (outcome === 'saved') return;
    // The text is the reader's; it comes back unless they write another one.
    setDraft((next) => next ?? { text, seen });
    if (isMounted.current) return;
    const isReturned = returnDraft({ text, seen });
    const name = edit.fields[field];
    if (outcome === 'conflict') note('refused', edit.unsaved(name, titleOf(task), isReturned ? undefined : text));
    // The refusal has its own message, without the text.
    else if (!isReturned && text !== '') note('refused', edit.written(name, titleOf(task), text));
  }

  return {
    text: draft?.text ?? textOf(current),
    isChanged: draft !== null && draft.text !== textOf(current),
    fault,
    theirs: isOvertaken ? textOf(current) : null,
    change(text) {
      setFault(null);
      setDraft({ text, seen: draft === null ? current : draft.seen });
    },
    save() {
      if (draft !== null && !isOvertaken) void send(draft.text, draft.seen);
    },
    saveMine() {
      if (draft !== null) void send(draft.text, current);
    },
    clear() {
      void send('', draft?.seen ?? current);
    },
    refuse: setFault,
    reset() {
      setFault(null);
      setDraft(null);
    },
  };
}

/** Shows the text once more if the task is gone while the reader writes: nothing else has it. */
function useLostText(task: Task, field: ValueField, text: string | undefined): void {
  const { replica } = useWorkspace();
  const last = useRef({ task, text });
  last.current = { task, text };
  useEffect(
    () => () => {
      const { task: lost, text: written } = last.current;
      // After the end of a session, nothing of it may show.
      const isGone = replica.state !== 'signed-out' && !replica.snapshot().nodes.has(lost.id);
      if (isGone && written !== undefined) note('refused', edit.lost(edit.fields[field], titleOf(lost), written));
    },
    [replica, field],
  );
}

function useIsMounted() {
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}

/** A draft. That of a description outlives its panel. */
function useDraft<F extends ValueField>(id: string, field: F) {
  const { replica } = useWorkspace();
  const drafts = unsavedDraftsOf(replica);
  const [draft, setDraft] = useState<Draft<F> | null>(() =>
    field === 'description' ? ((drafts.get(id) as Draft<F> | undefined) ?? null) : null,
  );
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => {
    if (field === 'description') drafts.set(id, draft as Draft<ValueField> | null);
  }, [drafts, id, field, draft]);
  useEffect(
    () =>
      drafts.onReturn(id, field, (unsaved) => {
        if (latest.current !== null) return latest.current.text === unsaved.text;
        setDraft(unsaved as Draft<F>);
        return true;
      }),
    [drafts, id, field],
  );
  /** Returns whether a field of the task shows the draft, or will. */
  const returnDraft = (unsaved: Draft<F>) => drafts.returnDraft(id, field, unsaved as Draft<ValueField>);
  return [draft, setDraft, returnDraft] as const;
}
