// Whether the page is being printed: then lists have all of their rows, and the graph its whole picture.
import { useSyncExternalStore } from 'react';

const QUERY = matchMedia('print');
let isBetween = false;

/** The component renders again before the browser lays out the paper, and after that. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(subscribe, () => isBetween || QUERY.matches);
}

/** The browser tells of printing before the media change; tests only change the media. */
function subscribe(changed: () => void): () => void {
  const begin = () => {
    isBetween = true;
    changed();
  };
  const end = () => {
    isBetween = false;
    changed();
  };
  addEventListener('beforeprint', begin);
  addEventListener('afterprint', end);
  QUERY.addEventListener('change', changed);
  return () => {
    removeEventListener('beforeprint', begin);
    removeEventListener('afterprint', end);
    QUERY.removeEventListener('change', changed);
  };
}
