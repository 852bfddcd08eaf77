// A check whose result many attempts share, since they ask for it at the same time.

/** Milliseconds for which a result counts, from the start of its check. */
const RESULT_TTL_MS = 5_000;

/** Returns a function with the result of the check, which it executes at most every five seconds. */
export function createSharedCheck(check: () => Promise<boolean>): () => Promise<boolean> {
  let last: { readonly result: Promise<boolean>; readonly untilMs: number } | null = null;
  return () => {
    if (last === null || performance.now() >= last.untilMs)
      last = { result: check(), untilMs: performance.now() + RESULT_TTL_MS };
    return last.result;
  };
}
