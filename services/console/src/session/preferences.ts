// The reader's theme, motion and language, whether single letters are shortcuts, and whether this device
// stores a copy: stored in this browser, and applied by attributes of the root. Without a preference, those
// of the system apply, and nothing is stored.
import { useSyncExternalStore } from 'react';
import { preferenceKey, storedPreference } from '../stored-preference.ts';

const VALUES = {
  theme: ['light', 'dark'],
  motion: ['reduced'],
  letters: ['off'],
  copy: ['off'],
  language: ['en', 'ar'],
} as const;

export type PreferenceName = keyof typeof VALUES;
/** `system` stands for no preference. */
export type Preference<N extends PreferenceName> = (typeof VALUES)[N][number] | 'system';

const listeners = new Set<() => void>();

/** Applies the stored preferences, now and when another tab changes them. */
export function applyPreferences(): void {
  apply();
  addEventListener('storage', apply);
}

export function choosePreference<N extends PreferenceName>(name: N, value: Preference<N>): void {
  if (value === 'system') localStorage.removeItem(preferenceKey(name));
  else localStorage.setItem(preferenceKey(name), value);
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
  for (const name of Object.keys(VALUES) as PreferenceName[]) {
    const value = preferenceOf(name);
    if (value === 'system') delete document.documentElement.dataset[name];
    else document.documentElement.dataset[name] = value;
  }
  for (const listener of [...listeners]) listener();
}

/** The present preference. Any other text, such as one of a later release, stands for none. */
export function preferenceOf<N extends PreferenceName>(name: N): Preference<N> {
  const text = storedPreference(name);
  return (VALUES[name] as readonly Preference<N>[]).find((each) => each === text) ?? 'system';
}
