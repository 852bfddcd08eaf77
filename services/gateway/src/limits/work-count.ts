// Counts a call's work after the call, since a small request may make thousands of changes. Rule:
// LIM6.
import { furtherCallsFor, limitOfAll } from '@taskgraph/commands/rate-limits';
import type { Caller, Limits } from './limits.ts';

interface CallWork {
  readonly transport: 'rest' | 'socket';
  /** The worker's count of changes; undefined up to the work of one call. */
  readonly work: number | undefined;
  /** The caller, with the weight that the call had on arrival. */
  readonly caller: Caller;
  /** The answer's rate-limit headers so far. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Charges the extra calls that the work is worth to the limit on all calls. This call is answered
 * anyway; only later calls can be refused. Returns the headers of the limit with the least left.
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
