// Reads that meet something while it goes. Neo4j reads what is committed at each moment: a link that is trashed, or becomes one of another type, while
// a statement runs stands in its rows without its properties, in the place of another that a limit then leaves out. A node stands there as it is since.

/** More often than that in a row no link goes while it is read, unless something is broken. */
const TRIES = 20;

/** Runs a statement until all that it brings is whole. */
export async function readWhole<R>(run: () => Promise<R>, isWhole: (found: R) => boolean): Promise<R> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const found = await run();
    if (isWhole(found)) return found;
  }
  throw new Error(`links went while they were read, ${TRIES} times in a row`);
}
