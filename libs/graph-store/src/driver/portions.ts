// Long stored texts are read in portions that memory can bear.

/** A stored batch, and how long its changes are. */
export interface Sized {
  readonly id: string;
  readonly characters: number;
}

/** Most batches, and about most characters of changes, that one transaction reads. */
const MAXIMUM_BATCHES = 100;
const MAXIMUM_CHARACTERS = 2_000_000;

/** Ids in order, in portions of bounded length; a batch that is longer than that stands alone. */
export function portionsOf(batches: readonly Sized[]): string[][] {
  const portions: string[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const batch of batches) {
    const open = portions.at(-1);
    characters += batch.characters;
    if (open !== undefined && open.length < MAXIMUM_BATCHES && characters <= MAXIMUM_CHARACTERS) open.push(batch.id);
    else {
      portions.push([batch.id]);
      characters = batch.characters;
    }
  }
  return portions;
}
