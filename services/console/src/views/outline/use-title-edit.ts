// The title that the reader is changing in the outline. The edit belongs to the task: its row may
// move meanwhile.
import { useEffect, useRef, useState } from 'react';
import type { OutlineRow } from '../../graph/outline.ts';
import { mayEdit, type Task } from '../../graph/task.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { edit } from '../../messages/texts/edit.ts';
import { replaceValue } from '../../session/field-edits.ts';
import { note } from '../../session/notices.ts';
import { useGraphText, useWorkspace } from '../../session/workspace.tsx';
import type { FieldEnd } from './outline-row.tsx';
import { rowOfTask } from './use-draft.ts';

interface TitleEdit {
  /** The row of the field; null without an edit. */
  readonly row: OutlineRow | null;
  /** What the reader has written. */
  readonly written: string;
  begin(row: OutlineRow): void;
  write(title: string): void;
  finish(end: FieldEnd): void;
}

interface EditedTitle {
  readonly id: string;
  /** The key of the row in which the reader began. */
  readonly key: string;
  /** The title when the reader began. */
  readonly seen: string;
}

export function useTitleEdit(rows: readonly OutlineRow[], realId: (id: string) => string): TitleEdit {
  const { replica, graph } = useWorkspace();
  const [edited, setEdited] = useState<EditedTitle | null>(null);
  const written = useRef('');
  const row = edited === null ? null : rowOfTask(rows, { key: edited.key, id: realId(edited.id) });
  const task = row === null ? undefined : graph.task(row.id);
  const isPossible = useGraphText(() => String(row !== null && isEditable(graph.task(row.id)))) === 'true';
  // Somebody else took the row or the right to edit away.
  useEffect(() => {
    if (edited === null || isPossible) return;
    setEdited(null);
    const [title, text] = [titleOf({ title: edited.seen }), written.current];
    if (text === edited.seen) return;
    const { fields, lost, notSaved } = edit;
    const viewOnly = `${messages.panel.viewOnly} ${messages.quoted(text)}`;
    note('refused', task === undefined ? lost(fields.title, title, text) : notSaved(fields.title, title, viewOnly));
  });
  return {
    row: isPossible ? row : null,
    written: written.current,
    begin({ key, id }) {
      const begun = graph.task(id);
      if (begun === undefined) return;
      if (!mayEdit(begun)) return note('refused', `${messages.quoted(titleOf(begun))}: ${messages.panel.viewOnly}`);
      written.current = begun.title;
      setEdited({ id, key, seen: begun.title });
    },
    write(title) {
      written.current = title;
    },
    finish({ title, by }) {
      setEdited(null);
      if (edited === null || by === 'escape' || title === edited.seen) return;
      if (title.trim() === '') note('refused', edit.emptyTitle);
      else void replaceValue(replica, { id: realId(edited.id), field: 'title', seen: edited.seen, value: title });
    },
  };
}

function isEditable(task: Task | undefined): boolean {
  return task !== undefined && mayEdit(task);
}
