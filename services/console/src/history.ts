// The address in the browser as a store for React.
import { type MouseEvent, useSyncExternalStore } from 'react';
import { type Place, placeOf, searchWith } from './routes.ts';

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}

/** The present place. The component renders again when the address changes. */
export function usePlace(): Place {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return placeOf(path);
}

interface Step {
  /** The browser's button back skips the place that is left. */
  readonly replace?: boolean;
}

/** Goes to a path. The query stays: it says which tasks the views show, and how. */
export function goTo(path: string, step: Step = {}): void {
  if (path !== location.pathname) move(path + location.search, step);
}

/** A parameter of the query; null if it is missing. The component renders again when it changes. */
export function useParameter(name: string): string | null {
  return useSyncExternalStore(subscribe, () => new URLSearchParams(location.search).get(name));
}

/** Sets parameters of the query; null removes one. */
export function setParameters(parameters: Readonly<Record<string, string | null>>, step: Step = {}): void {
  const search = searchWith(location.search, parameters);
  if (search !== location.search) move(location.pathname + search, step);
}

/** Removes the query, which may have words of the reader. */
export function clearParameters(): void {
  if (location.search !== '') move(location.pathname, { replace: true });
}

function move(address: string, { replace = false }: Step): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  for (const listener of [...listeners]) listener();
}

/** Follows a link within the page, unless the reader wants another tab. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(event.currentTarget.pathname);
}
