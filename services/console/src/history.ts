// The address in the browser as a store for React.
import { type MouseEvent, useSyncExternalStore } from 'react';
import { type Place, placeOf } from './routes.ts';

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

/** `replace`: the browser's button back skips the place that is left. */
export function goTo(path: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (path === location.pathname) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', path);
  for (const listener of [...listeners]) listener();
}

/** Follows a link within the page, unless the reader wants another tab. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goTo(event.currentTarget.pathname);
}
