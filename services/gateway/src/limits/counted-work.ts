// Counts what a call turned out to cost: a small one may come to a thousand changes. Rule: LIM6.
import { furtherCallsFor, limitOfAll } from '@taskgraph/commands/rate-limits';
import type { Caller, Limits } from './limits.ts';

interface Counted {
  readonly transport: 'rest' | 'socket';
  /** The work that the worker told of, as a number of changes; it says nothing of one call's worth. */
  readonly work: number | undefined;
  /** As the call was counted before it was made. */
  readonly caller: Caller;
  /** The headers that its answer would bear. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Counts the calls that the work comes to beyond those that were counted already, where all calls are counted together. The call is answered in any
 * case: the caller's next ones are those that may be refused. Gives the headers of the limit with the least left.
 */
export async function countWork(
  limits: Pick<Limits, 'take'>,
  { transport, work = 0, caller, headers = {} }: Counted,
): Promise<Readonly<Record<string, string>>> {
  const weight = furtherCallsFor(work, caller.weight ?? 1);
  if (weight === 0) return headers;
  const { headers: now } = await limits.take([limitOfAll(transport)], { ...caller, weight });
  const left = (of: Readonly<Record<string, string>>) => Number(of['RateLimit-Remaining'] ?? Number.POSITIVE_INFINITY);
  if (left(now) >= left(headers)) return headers;
  const { 'Retry-After': _retryAfter, ...told } = now;
  return told;
}
