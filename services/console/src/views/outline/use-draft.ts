// The task that the reader adds in the outline. It belongs to the task above it, whose row may move
// meanwhile.
import { useState } from 'react';
import type { OutlineRow } from '../../graph/outline.ts';
import { messages } from '../../messages/messages.ts';
import { addTask } from '../../session/acts.ts';
import { note } from '../../session/notices.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import type { FieldEnd } from './outline-row.tsx';

/** A row, and the task that it has. */
type RowPlace = Pick<OutlineRow, 'key' | 'id'>;

interface Draft {
  /** The task that will wait for the new one, and its row when the reader began; null for a root. */
  readonly parent: RowPlace | null;
  /** Each draft has another number. */
  readonly number: number;
}

export interface DraftEntry {
  readonly key: string;
  readonly level: number;
}

interface DraftState {
  readonly isOpen: boolean;
  /** The row above it; null for a root, and without a draft. */
  readonly parent: OutlineRow | null;
  /** The rows with the draft behind those of its siblings. */
  readonly entries: readonly (OutlineRow | DraftEntry)[];
  begin(parent: OutlineRow | null): void;
  /** Returns false if the field has to stay, because nothing is added. */
  finish(end: FieldEnd): boolean;
}

export function useDraft(rows: readonly OutlineRow[], realId: (id: string) => string): DraftState {
  const { replica, graph } = useWorkspace();
  const [draft, setDraft] = useState<Draft | null>(null);
  const parent = draft === null || draft.parent === null ? null : { ...draft.parent, id: realId(draft.parent.id) };
  return {
    isOpen: draft !== null,
    parent: parent === null ? null : rowOfTask(rows, parent),
    entries: draft === null ? rows : withDraft(rows, { parent, number: draft.number }),
    begin: (row) => setDraft({ parent: row, number: (draft?.number ?? 0) + 1 }),
    finish({ title, by }) {
      const isAdded = by !== 'escape' && title.trim() !== '';
      if (isAdded && parent !== null && graph.task(parent.id) === undefined) {
        note('refused', `${messages.quoted(title.trim())}: ${messages.panel.missing}`);
        return false;
      }
      if (isAdded) void addTask(replica, title.trim(), parent?.id);
      // Enter continues with the next task, as long as there are titles.
      setDraft(isAdded && by === 'enter' && draft !== null ? { parent, number: draft.number + 1 } : null);
      return true;
    },
  };
}

/** The row with a key, else the one in which its task stands in full. */
export function rowOfTask(rows: readonly OutlineRow[], { key, id }: RowPlace): OutlineRow | null {
  const own = rows.filter((row) => row.id === id);
  return own.find((row) => row.key === key) ?? own.find(({ isReference }) => !isReference) ?? own[0] ?? null;
}

function withDraft(rows: readonly OutlineRow[], { parent, number }: Draft): readonly (OutlineRow | DraftEntry)[] {
  const row = parent === null ? null : rowOfTask(rows, parent);
  const above = row === null ? -1 : rows.indexOf(row);
  const level = row?.level ?? 0;
  const after = rows.findIndex((each, index) => index > above && each.level <= level);
  const end = after === -1 ? rows.length : after;
  return [...rows.slice(0, end), { key: `draft ${number}`, level: level + 1 }, ...rows.slice(end)];
}
