// An observer of calls that records nothing, for tests of other subjects.
import { createObserve, type Observe } from '../../calls/call-observer.ts';

/** Gives trace ids, and notes nothing. */
export const unobserved: Observe = createObserve({
  metrics: { note: () => undefined },
  log: { debug: () => undefined },
});
