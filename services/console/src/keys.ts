// Keys that act on the whole page: a table from a key to its act. While the reader types, all keys
// belong to the field.
import { useEffect, useRef } from 'react';
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
    addEventListener('keydown', press);
    addEventListener('pointerdown', forget);
    return () => {
      removeEventListener('keydown', press);
      removeEventListener('pointerdown', forget);
    };
  }, []);
}
