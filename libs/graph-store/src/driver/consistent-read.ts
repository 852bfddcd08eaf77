// Reads that overlap a change. Neo4j is read-committed: if a link is trashed or changes its type
// during a statement, its row lacks properties and displaces another row within the limit. A node
// appears in its newer state.

/** Maximum consecutive reads with incomplete rows; more indicate a defect. */
const TRIES = 20;

/** Repeats a statement until all its rows are complete. */
export async function readConsistently<R>(run: () => Promise<R>, isWhole: (found: R) => boolean): Promise<R> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const found = await run();
    if (isWhole(found)) return found;
  }
  throw new Error(`links changed during the read ${TRIES} times in a row`);
}
