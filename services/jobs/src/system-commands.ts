// Sends commands as the system, in the manner of gateways but on separate subjects. Rules: HIS1,
// GEN9.
import type { Requester } from '@taskgraph/bus/requests/request';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import { SYSTEM } from '@taskgraph/wire/actor';
import { partitionOf, slotOf } from '@taskgraph/wire/ids';

/** Deadline of a command in milliseconds; its job retries a command refused as unavailable. */
const DEADLINE_MS = 10_000;

/**
 * The result of a command: it changed something, there was nothing to do, or its entity does not
 * exist.
 */
export type CommandResult = 'done' | 'nothing' | 'gone';

/**
 * Sends a command about one node or link. Rejects unless it was executed or unnecessary, as when no
 * worker answers.
 */
export type SendAsSystem = (
  event: string,
  payload: { readonly id: string; readonly before?: string },
) => Promise<CommandResult>;

export function createSender(requester: Requester, newId: (slot: number) => string): SendAsSystem {
  return async (event, payload) => {
    const slot = slotOf(payload.id);
    const id = newId(slot);
    const reply = await requester.sendCommand(partitionOf(slot), {
      id,
      event,
      payload,
      actor: SYSTEM,
      key: null,
      // Without a recorded trace the command's id serves: without dashes it has the form of a trace
      // id.
      deadline: Date.now() + DEADLINE_MS,
      traceId: recordedTraceId() ?? id.replaceAll('-', ''),
    });
    if (!reply.ok) {
      if (reply.error === 'not_found') return 'gone';
      throw new Error(`${event} was refused: ${reply.error} ${reply.message}`);
    }
    const { batchId } = reply.body.diff as { batchId: string | null };
    return batchId === null ? 'nothing' : 'done';
  };
}
