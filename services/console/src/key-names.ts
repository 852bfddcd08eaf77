// The names of keys in the table of keys, with their modifiers.

export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/**
 * The name of a key, such as `Ctrl+Shift+Z` or `Delete`. On a Mac, the command key counts as Ctrl. A sign
 * such as `?` has no Shift in its name, since keyboards differ in how they reach it.
 */
export function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string {
  const isSign = key.length === 1 && !/\p{L}/u.test(key);
  const modifiers = [ctrlKey || metaKey ? 'Ctrl+' : '', altKey ? 'Alt+' : '', shiftKey && !isSign ? 'Shift+' : ''];
  return `${modifiers.join('')}${key.length === 1 ? key.toUpperCase() : key}`;
}

/** Whether it is a single sign without Ctrl or Alt, which speech input may type by mistake. */
export function isSingleSign(name: string): boolean {
  return /^(Shift\+)?.$/.test(name);
}
