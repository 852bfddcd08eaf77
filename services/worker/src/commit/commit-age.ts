// How long after its `ts` a batch may become readable, and therefore how far history with the order
// `oldest` lags behind. Rule: HISX2.
//
// 1. A group commits within LONGEST_OPEN_MS of the time of its batches, or not at all. In a
//    transaction the worker checks this right before the commit, by its monotonic clock. A write
//    from the cache checks it in its own statement, by the clock of the database.
// 2. Two things can delay a batch beyond that: the commit itself, which nothing can interrupt, and
//    the difference between the clocks. A worker corrects its clock if it differs from that of the
//    database by more than 1 s.
// 3. A large command has no such bound. The worker records it in the database before it takes the
//    time of its batch (libs/graph-store/src/commit/open-commits.ts).

/** Milliseconds from the time of a group's batches to its commit. */
export const LONGEST_OPEN_MS = 5_000;

/** Milliseconds by which history lags: LONGEST_OPEN_MS, and 5 s for clocks and commits. */
export const HISTORY_LAG_MS = 10_000;

/**
 * Milliseconds by which history ends before an open large command, whose thread has its own clock.
 */
export const LARGE_LAG_MS = 2_000;
