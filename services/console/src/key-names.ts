// The names of keys in the table of keys, with their modifiers.

export interface KeyPress {
  readonly key: string;
  /** The place of the key, such as `KeyZ`. */
  readonly code?: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** The signs of the keys beside the letters, without Shift. */
const SIGNS: Readonly<Record<string, string>> = { Comma: ',', Period: '.', Slash: '/' };

/** The key as a Latin keyboard has it: the letters of other scripts are named by their place. */
export function latinKey({ key, code = '', shiftKey }: Pick<KeyPress, 'key' | 'code' | 'shiftKey'>): string {
  const place = SIGNS[code] ?? /^(?:Key|Digit)(.)$/.exec(code)?.[1];
  if (place === undefined || key <= '\u024f') return key;
  if (shiftKey) return place === '/' ? '?' : place;
  return place.toLowerCase();
}

/**
 * The name of a key, such as `Ctrl+Shift+Z` or `Delete`. On a Mac, the command key counts as Ctrl. A sign
 * such as `?` has no Shift in its name, since keyboards differ in how they reach it.
 */
export function keyOf(press: KeyPress): string {
  const { ctrlKey, metaKey, altKey, shiftKey } = press;
  const key = latinKey(press);
  const isSign = key.length === 1 && !/\p{L}/u.test(key);
  const modifiers = [ctrlKey || metaKey ? 'Ctrl+' : '', altKey ? 'Alt+' : '', shiftKey && !isSign ? 'Shift+' : ''];
  return `${modifiers.join('')}${key.length === 1 ? key.toUpperCase() : key}`;
}

/** Whether it is a single sign without Ctrl or Alt, which speech input may type by mistake. */
export function isSingleSign(name: string): boolean {
  return /^(Shift\+)?.$/.test(name);
}
