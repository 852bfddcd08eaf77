// The picture that the page shows, for exports: the view of the graph offers it while it is open.
import type { PictureSource } from './export-svg.ts';
import type { Theme } from './painter.ts';

export interface ThemedPicture extends PictureSource {
  readonly theme: Theme;
}

/** Null before the first layout. */
type PictureProvider = () => ThemedPicture | null;

let current: PictureProvider | null = null;

/** Returns a function that withdraws it. */
export function offerPicture(provider: PictureProvider): () => void {
  current = provider;
  return () => {
    if (current === provider) current = null;
  };
}

/** Null if the view of the graph is closed, or has no picture yet. */
export function currentPicture(): ThemedPicture | null {
  return current?.() ?? null;
}
