// The picture that the page shows, for exports: the view of the graph offers it while it is open.
import type { PictureSource } from './export-svg.ts';
import type { Theme } from './painter.ts';

export interface ThemedPicture extends PictureSource {
  readonly theme: Theme;
}

/** Null before the first layout. */
type OpenPicture = () => ThemedPicture | null;

let open: OpenPicture | null = null;

/** Returns a function that ends the offer. */
export function offerPicture(picture: OpenPicture): () => void {
  open = picture;
  return () => {
    if (open === picture) open = null;
  };
}

/** Null if the view of the graph is closed, or has no picture yet. */
export function openPicture(): ThemedPicture | null {
  return open?.() ?? null;
}
