// Keys that act on the whole page: a table from a key to its act. While the reader types, all keys
// belong to the field. A dialog may have to be loaded: the keys that follow the one which opens it are
// meant for the dialog, so none of them acts before it shows. Escape gives it up.
import { useCallback, useEffect, useRef, useState } from 'react';
import { isSingleSign, keyOf } from './key-names.ts';
import { preferenceOf } from './session/preferences.ts';

/**
 * Acts by key; one that returns false has nothing to do, and the browser may act. A key is named as
 * `keyOf` names it: `Ctrl+Shift+Z`, `Delete`, `D`. Two keys after each other have a space between: `G B`.
 */
export type KeyTable = Readonly<Record<string, () => unknown>>;

/** Where a key writes or chooses something. */
const FIELDS = 'input, textarea, select, [contenteditable="true"]';
/** What is behind a dialog takes no key, wherever the focus is. */
const DIALOG = 'dialog[open]';

/** Cancels the load of each dialog that is to show. While there is one, no key acts on the page. */
const suspensions = new Set<() => void>();
/** Watches for the dialog that shows, while there is a suspension. */
let observer: MutationObserver | null = null;
/** The letters of keys that were stopped. */
let typed = '';

/**
 * No key acts from now on, except in fields and open dialogs, until a dialog shows, the returned function
 * is called, or Escape calls `cancel`.
 */
export function suspendKeys(cancel: () => void): () => void {
  if (suspensions.size === 0) {
    typed = '';
    observer ??= new MutationObserver(endWithDialog);
    observer.observe(document.body, { subtree: true, attributeFilter: ['open'] });
  }
  const suspension = () => cancel();
  suspensions.add(suspension);
  return () => {
    suspensions.delete(suspension);
    if (suspensions.size === 0) observer?.disconnect();
  };
}

/**
 * A dialog closes a moment before its component hears of it. The keys of that moment are for the page, so
 * the suspension ends when the dialog shows.
 */
function endWithDialog(changes: readonly MutationRecord[]): void {
  if (!changes.some(({ target }) => (target as Element).matches(DIALOG))) return;
  suspensions.clear();
  observer?.disconnect();
}

/** A dialog that is loaded when it is to show. `open` says what it shows. */
export function useLoadedDialog<T extends string | object>() {
  const [open, setOpen] = useState<T | null>(null);
  const last = useRef<{ readonly value: T; readonly release: () => void } | null>(null);
  /** With a value: unless something else shows by now. */
  const close = useCallback((value?: T) => {
    if (value !== undefined && last.current?.value !== value) return;
    last.current?.release();
    last.current = null;
    setOpen(null);
  }, []);
  const show = useCallback(
    (value: T) => {
      last.current?.release();
      last.current = { value, release: suspendKeys(() => close(value)) };
      setOpen(value);
    },
    [close],
  );
  useEffect(() => () => last.current?.release(), []);
  return { open, show, close };
}

/** Stops a key before anything acts on it, except those of the browser. */
function stopSuspendedKey(event: KeyboardEvent): void {
  if (suspensions.size === 0 || document.querySelector(DIALOG) !== null) return;
  if ((event.target as Element | null)?.closest?.(FIELDS)) return;
  event.stopImmediatePropagation();
  const { key, altKey, ctrlKey, metaKey } = event;
  if (key === 'Escape') {
    for (const cancel of suspensions) {
      suspensions.delete(cancel);
      cancel();
    }
  }
  if (altKey || ctrlKey || metaKey || /^(Tab|F\d+)$/.test(key)) return;
  event.preventDefault();
  if (key.length === 1) typed += key;
}

/** What the reader has typed while a dialog was loading, for the dialog that has a field for it. */
export function takeTyped(): string {
  const text = typed;
  typed = '';
  return text;
}

/** Adds the keys of a table to the page while the component shows. */
export function useKeys(table: KeyTable): void {
  const current = useRef(table);
  current.current = table;
  useEffect(() => {
    let first: string | null = null;
    const press = (event: KeyboardEvent) => {
      const name = keyOf(event);
      // Shift alone is on its way to another key.
      if (event.repeat || name.endsWith('Shift')) return;
      const before = first;
      first = null;
      if (event.defaultPrevented || document.querySelector(DIALOG) !== null) return;
      if ((event.target as Element | null)?.closest?.(FIELDS)) return;
      if (isSingleSign(name) && preferenceOf('letters') === 'off') return;
      const act = current.current[before === null ? name : `${before} ${name}`];
      if (act === undefined) {
        if (before !== null || !Object.keys(current.current).some((each) => each.startsWith(`${name} `))) return;
        first = name;
        return;
      }
      if (act() !== false) event.preventDefault();
    };
    const forget = () => {
      first = null;
    };
    addEventListener('keydown', stopSuspendedKey, { capture: true });
    addEventListener('keydown', press);
    addEventListener('pointerdown', forget);
    return () => {
      removeEventListener('keydown', stopSuspendedKey, { capture: true });
      removeEventListener('keydown', press);
      removeEventListener('pointerdown', forget);
    };
  }, []);
}
