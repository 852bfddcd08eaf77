// The stack that `*.cluster.test.ts` share: two gateways, two workers, no jobs services, no rate limits.
import { inject } from 'vitest';
import { type RunningStack, running } from './stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: Pick<RunningStack, 'urls' | 'environment' | 'logFolder'>;
  }
}

/** A file that uses it has users of its own, by `emailOf`, and restarts nothing. */
export function sharedStack(): RunningStack {
  return running(inject('stack'));
}
