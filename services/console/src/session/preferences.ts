// The reader's theme, motion and language, whether single letters are shortcuts, and whether this device
// stores a copy: stored in this browser, and applied by attributes of the root. Without a choice, those of
// the system apply, and nothing is stored.
import { useSyncExternalStore } from 'react';
import { choiceKey, storedChoice } from '../stored-choice.ts';

const CHOICES = {
  theme: ['light', 'dark'],
  motion: ['reduced'],
  letters: ['off'],
  copy: ['off'],
  language: ['en', 'ar'],
} as const;

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
  if (value === 'system') localStorage.removeItem(choiceKey(name));
  else localStorage.setItem(choiceKey(name), value);
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
  const text = storedChoice(name);
  return (CHOICES[name] as readonly Preference<N>[]).find((each) => each === text) ?? 'system';
}
