// Parses a socket event: validates the arguments before anything uses them. Rules: GEN4, GEN8.
import { type LimitName, limitsOfSocketCall, weightOf } from '@taskgraph/commands/rate-limits';
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/** Sends an ack. */
export type Acknowledge = (body: unknown) => void;

/** A parsed event. `acknowledge` is null without an ack callback. */
export interface SocketCall {
  readonly event: string;
  /** The number of calls it counts as in limits on all calls. */
  readonly weight: number;
  /** The limits that count it. */
  readonly limits: readonly LimitName[];
  readonly acknowledge: Acknowledge | null;
  /** The payload without its `idempotencyKey`, or the refusal of an invalid one. */
  readonly payload: { readonly value: Record<string, unknown>; readonly key: unknown } | Refusal;
}

/**
 * `packet` has the event's name, its arguments, and last the ack callback, if the client gave one.
 */
export function parsePacket(packet: readonly unknown[]): SocketCall {
  const [name, ...rest] = packet;
  const last = rest.at(-1);
  const acknowledge = typeof last === 'function' ? (last as Acknowledge) : null;
  const payloads = acknowledge === null ? rest : rest.slice(0, -1);
  const event = String(name).slice(0, 100);
  const [payload] = payloads;
  const counted = { weight: weightOf(event, payload), limits: limitsOfSocketCall(event, payload) };
  return { event, ...counted, acknowledge, payload: payloadOf(payloads) };
}

function payloadOf(payloads: readonly unknown[]): SocketCall['payload'] {
  const [payload] = payloads;
  const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  if (payloads.length !== 1 || !isObject) {
    return refuse('bad_request.invalid_body', 'An event has one payload, and it must be an object.');
  }
  const { idempotencyKey: key, ...value } = payload as Record<string, unknown>;
  return { value, key };
}
