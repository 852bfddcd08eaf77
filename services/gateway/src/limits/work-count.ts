// Counts the work of a call after it is done, since a small request may make thousands of changes. Rule: LIM6.
import { furtherCallsFor, limitOfAll } from '@taskgraph/commands/rate-limits';
import type { Caller, Limits } from './limits.ts';

interface CallWork {
  readonly transport: 'rest' | 'socket';
  /** The work that the worker reports, in changes; it reports none up to the work of one call. */
  readonly work: number | undefined;
  /** The caller, with the weight by which the call was counted on arrival. */
  readonly caller: Caller;
  /** The rate-limit headers of the answer so far. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Adds the further calls that the work is worth to the limit on all calls. This call is answered in any case; only later calls may be
 * refused. Returns the headers of the limit with the least left.
 */
export async function countWork(
  limits: Pick<Limits, 'take'>,
  { transport, work = 0, caller, headers = {} }: CallWork,
): Promise<Readonly<Record<string, string>>> {
  const weight = furtherCallsFor(work, caller.weight ?? 1);
  if (weight === 0) return headers;
  const { headers: now } = await limits.take([limitOfAll(transport)], { ...caller, weight });
  const left = (of: Readonly<Record<string, string>>) => Number(of['RateLimit-Remaining'] ?? Number.POSITIVE_INFINITY);
  if (left(now) >= left(headers)) return headers;
  const { 'Retry-After': _retryAfter, ...told } = now;
  return told;
}
