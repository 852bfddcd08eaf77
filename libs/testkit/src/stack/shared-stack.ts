// The stack that `*.cluster.test.ts` and `*.browser.test.ts` share: two gateways, two workers, no
// jobs services, no rate limits.
import { inject } from 'vitest';
import { type RunningStack, running } from './stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stack: Pick<RunningStack, 'urls' | 'environment' | 'logFolder'>;
  }
}

/** A file that uses it has its own users (`emailOf`) and restarts no service. */
export function sharedStack(): RunningStack {
  return running(inject('stack'));
}
