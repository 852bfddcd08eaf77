// The messages about the reader's own acts: what was done, and what was refused. A refusal stays
// until it is dismissed; any other message makes place for the next one.
import { useSyncExternalStore } from 'react';

export interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'refused';
  readonly text: string;
  /** What the reader can do about it, such as undoing a change. */
  readonly act?: NoticeAct | undefined;
}

export interface NoticeAct {
  readonly label: string;
  readonly run: () => void;
}

/** The oldest goes first. */
const MOST_NOTICES = 4;

const listeners = new Set<() => void>();
let notices: readonly Notice[] = [];
let lastId = 0;

function set(next: readonly Notice[]): void {
  notices = next;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useNotices(): readonly Notice[] {
  return useSyncExternalStore(subscribe, () => notices);
}

export function note(kind: Notice['kind'], text: string, act?: NoticeAct): void {
  const others = notices.filter((each) => each.kind === 'refused');
  set([...others, { id: ++lastId, kind, text, act }].slice(-MOST_NOTICES));
}

export function dismiss(id: number): void {
  set(notices.filter((each) => each.id !== id));
}

/** Dismisses the messages that offer to undo or redo a change. */
export function dismissOffers(): void {
  set(notices.filter(({ act }) => act === undefined));
}

export function dismissAll(): void {
  set([]);
}
