// Applies the rate limits to the calls of one socket without changing their order. Rules: LIM1,
// LIM2, LIM6, EVT1.
import type { Refusal } from '@taskgraph/wire/errors';
import type { CallAnswer } from '../http/answer.ts';
import type { Caller, Limits } from '../limits/limits.ts';
import { countWork } from '../limits/work-count.ts';
import type { SocketCall } from './socket-call.ts';

/** The order of one socket's calls. */
export interface CallQueue {
  /** Settles when the newest call has been published; null before the first. */
  before: Promise<unknown> | null;
}

/**
 * Makes a call if the limits allow it, and returns its outcome or the refusal. The limits of all
 * calls are checked concurrently, but each call waits for those before it: what `go` does before
 * its first await keeps the order of arrival.
 */
export async function inOrder<T>(
  queue: CallQueue,
  caller: Caller,
  { limits: names, weight }: Pick<SocketCall, 'limits' | 'weight'>,
  limits: Pick<Limits, 'take'>,
  go: () => Promise<T>,
): Promise<T | Refusal> {
  const judged = Promise.all([limits.take(names, { ...caller, weight }), queue.before]);
  const gone = judged.then(([{ refusal }]) => ({ outcome: refusal ?? go() }));
  // A failed call is answered as a failure; later calls continue.
  queue.before = gone.catch(() => undefined);
  const { outcome: going } = await gone;
  const outcome = await going;
  await countWork(limits, { transport: 'socket', work: workOf(outcome), caller: { ...caller, weight } });
  return outcome;
}

function workOf(outcome: unknown): number | undefined {
  const { work } = (outcome ?? {}) as { work?: unknown };
  return typeof work === 'number' ? work : undefined;
}

/**
 * The `rate_limited` event beside the ack of a limited call; null for `graph:get`, which has the
 * ack alone (LIM2).
 */
export function limitedEvent(event: string, { body }: CallAnswer): object | null {
  const isLimited = 'error' in body && body.error === 'rate_limited';
  return isLimited && event !== 'graph:get' ? { ...body, event } : null;
}
