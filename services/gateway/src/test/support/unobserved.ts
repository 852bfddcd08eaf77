// Follows calls for tests that are about something else.
import { createObserve, type Observe } from '../../calls/call-observer.ts';

/** Gives trace ids, and notes nothing. */
export const unobserved: Observe = createObserve({
  metrics: { note: () => undefined },
  log: { debug: () => undefined },
});
