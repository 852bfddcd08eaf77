// Texts that the reader wrote and that are not saved when their field goes away. One of a description
// waits for the next panel of its task; it may be long, and is saved only on request. Rule: CON9.
import type { Task } from '../../graph/task.ts';
import type { ValueField } from '../../session/field-edits.ts';

export interface Draft<F extends ValueField> {
  readonly text: string;
  /** The value of the task when the reader began. */
  readonly seen: Task[F];
}

type AnyDraft = Draft<ValueField>;

export interface UnsavedDrafts {
  /** The draft of a description. */
  get(id: string): AnyDraft | undefined;
  /** Stores the draft of a description; null removes it. */
  set(id: string, draft: AnyDraft | null): void;
  /** The task has another id now. */
  rename(from: string, to: string): void;
  /**
   * Takes a text that was refused after its field went away. Returns whether another field of the same
   * task shows it, or the next one will.
   */
  returnDraft(id: string, field: ValueField, draft: AnyDraft): boolean;
  /** `take` returns whether the field shows the draft: it does unless it has another text. */
  onReturn(id: string, field: ValueField, take: (draft: AnyDraft) => boolean): () => void;
}

const MOST_DRAFTS = 50;

export function createUnsavedDrafts(): UnsavedDrafts {
  const drafts = new Map<string, AnyDraft>();
  const fields = new Map<string, (draft: AnyDraft) => boolean>();
  const set = (id: string, draft: AnyDraft | null) => {
    drafts.delete(id);
    if (draft !== null) drafts.set(id, draft);
    for (const oldest of drafts.keys()) if (drafts.size > MOST_DRAFTS) drafts.delete(oldest);
  };
  return {
    get: (id) => drafts.get(id),
    set,
    rename(from, to) {
      const draft = drafts.get(from);
      if (draft === undefined) return;
      drafts.delete(from);
      set(to, draft);
    },
    returnDraft(id, field, draft) {
      const mounted = fields.get(`${field} ${id}`);
      if (mounted !== undefined) return mounted(draft);
      if (field === 'description') set(id, draft);
      return field === 'description';
    },
    onReturn(id, field, take) {
      const key = `${field} ${id}`;
      fields.set(key, take);
      return () => {
        if (fields.get(key) === take) fields.delete(key);
      };
    },
  };
}

/** They end with the replica. */
const ALL = new WeakMap<object, UnsavedDrafts>();

export function unsavedDraftsOf(replica: object): UnsavedDrafts {
  const drafts = ALL.get(replica) ?? createUnsavedDrafts();
  ALL.set(replica, drafts);
  return drafts;
}
