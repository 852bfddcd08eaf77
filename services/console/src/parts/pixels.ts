// Lengths that follow the size of letters, which readers choose in their browser, also while a view shows.
import { useSyncExternalStore } from 'react';

/** The pixels of one `rem`; null until it is measured. */
let measured: number | null = null;

/** The pixels of a length in `rem`. */
export function usePixels(rem: number): number {
  return rem * useSyncExternalStore(watchLetters, pixelsOfRem);
}

function pixelsOfRem(): number {
  measured ??= Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return measured;
}

/** No event says that the letters have another size, but an element has it with them. */
function watchLetters(changed: () => void): () => void {
  const probe = document.createElement('div');
  Object.assign(probe.style, { position: 'absolute', visibility: 'hidden', inlineSize: '1rem' });
  document.body.append(probe);
  const sizes = new ResizeObserver(() => {
    measured = null;
    changed();
  });
  sizes.observe(probe);
  return () => {
    sizes.disconnect();
    probe.remove();
  };
}
