// Splits reads of long stored texts into chunks that fit in memory.

/** A stored batch and the length of its changes. */
export interface BatchSize {
  readonly id: string;
  readonly characters: number;
}

/** Maximum batches, and approximate maximum characters of changes, of one transaction. */
const MAXIMUM_BATCHES = 100;
const MAXIMUM_CHARACTERS = 2_000_000;

/** Ids in order, in chunks of bounded length; a longer batch gets its own chunk. */
export function batchChunksOf(batches: readonly BatchSize[]): string[][] {
  const chunks: string[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const batch of batches) {
    const open = chunks.at(-1);
    characters += batch.characters;
    if (open !== undefined && open.length < MAXIMUM_BATCHES && characters <= MAXIMUM_CHARACTERS) open.push(batch.id);
    else {
      chunks.push([batch.id]);
      characters = batch.characters;
    }
  }
  return chunks;
}
