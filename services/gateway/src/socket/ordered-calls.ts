// Puts the limits before the calls of one socket, without letting them overtake each other. Rules:
// LIM1, LIM2, LIM6, EVT1.
import { limitsOf } from '@taskgraph/commands/rate-limits';
import type { Refusal } from '@taskgraph/wire/errors';
import type { Answer } from '../http/answer.ts';
import type { Caller, Limits } from '../limits/limits.ts';
import { countWork } from '../limits/work-count.ts';
import type { SocketCall } from './socket-call.ts';

/** The calls of one socket, as far as their order goes. */
export interface CallQueue {
  /** Settles when the newest call has gone on; null as long as there was none. */
  before: Promise<unknown> | null;
}

/**
 * Makes the call where the limits let it pass, and gives what became of it, or the refusal. Limits
 * of all calls are judged at once, but each call goes on only after those before it: what `go` does
 * before its first await is done in the order in which the calls came.
 */
export async function inOrder<T>(
  queue: CallQueue,
  caller: Caller,
  { event, weight }: Pick<SocketCall, 'event' | 'weight'>,
  limits: Pick<Limits, 'take'>,
  go: () => Promise<T>,
): Promise<T | Refusal> {
  const judged = Promise.all([limits.take(limitsOf('socket', event), { ...caller, weight }), queue.before]);
  const gone = judged.then(([{ refusal }]) => ({ outcome: refusal ?? go() }));
  // A call that fails is answered as a failure; those after it go on.
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
 * The event besides the ack of a call past its limits, or null: `graph:get` answers the ack alone
 * (LIM2).
 */
export function limitedEvent(event: string, { body }: Answer): object | null {
  const isLimited = 'error' in body && body.error === 'rate_limited';
  return isLimited && event !== 'graph:get' ? { ...body, event } : null;
}
