// The reader's theme and motion, whether single letters are shortcuts, and whether this device stores a
// copy: stored in this browser, and applied by attributes of the root. Without a choice, those of the system apply, and nothing is stored.
import { useSyncExternalStore } from 'react';

const CHOICES = { theme: ['light', 'dark'], motion: ['reduced'], letters: ['off'], copy: ['off'] } as const;

export type PreferenceName = keyof typeof CHOICES;
/** `system` stands for no choice. */
export type Preference<N extends PreferenceName> = (typeof CHOICES)[N][number] | 'system';

const listeners = new Set<() => void>();

/** Applies the stored preferences, now and when another tab changes them. */
export function applyPreferences(): void {
  apply();
  addEventListener('storage', apply);
}

export function choosePreference<N extends PreferenceName>(name: N, value: Preference<N>): void {
  if (value === 'system') localStorage.removeItem(keyOf(name));
  else localStorage.setItem(keyOf(name), value);
  apply();
}

/** The component renders again when the preference changes. */
export function usePreference<N extends PreferenceName>(name: N): Preference<N> {
  return useSyncExternalStore(subscribe, () => preferenceOf(name));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function apply(): void {
  for (const name of Object.keys(CHOICES) as PreferenceName[]) {
    const value = preferenceOf(name);
    if (value === 'system') delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = value;
  }
  for (const listener of [...listeners]) listener();
}

/** The present choice. Any other text, such as one of a later release, stands for no choice. */
export function preferenceOf<N extends PreferenceName>(name: N): Preference<N> {
  const text = storedText(keyOf(name));
  return (CHOICES[name] as readonly Preference<N>[]).find((each) => each === text) ?? 'system';
}

/** Null too where the browser blocks the data of pages. */
function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The key of a preference in the storage of the browser. */
export function keyOf(name: PreferenceName): string {
  return `taskgraph.${name}`;
}
