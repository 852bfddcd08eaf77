// Reads the field `wait` of a call: the time for which the call may wait. Rules: GEN4, LONG1.
import { isRefusal } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { type Input, validatePayload } from '../calls/dispatch.ts';

/** The approximate size of the longest item of `heard` in memory. */
const HEARD_BYTES = 200;

interface RequestedWait {
  readonly waitMs: number;
  /** The approximate size of the payload in memory. */
  readonly payloadBytes: number;
  /** The field `fields`, which each read of the call repeats. */
  readonly fields: unknown;
}

interface WaitingPayload {
  readonly since: string;
  readonly heard?: readonly unknown[];
  readonly fields?: readonly string[];
}

/** Null for a call that does not wait, and for one whose payload is refused. */
export function requestedWaitOf(operation: Operation, input: Input): RequestedWait | null {
  if (operation.transports.rest.waits !== true) return null;
  const given = 'query' in input ? input.query.values : input.value;
  // The dispatch validates every payload; only calls that wait need it twice.
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'wait')) return null;
  const payload = validatePayload(operation, input);
  if (isRefusal(payload) || payload.cursor !== undefined || typeof payload.wait !== 'number') return null;
  const { since, heard = [], fields } = payload as unknown as WaitingPayload;
  return { waitMs: payload.wait * 1_000, payloadBytes: since.length + HEARD_BYTES * heard.length, fields };
}
