// Refusals of claims, and of commands that name one, were correct at some moment between request and
// answer. Rules: CLAIM1, CLAIM2.
import { namedIn } from './check-claims.ts';
import type { Anomaly, Command } from './history.ts';
import { at, type OwnerOrder, type SerialOrders } from './serial-order.ts';

const MINUTE_MS = 60_000;
/** By how much the clocks of services may differ from each other. */
const CLOCKS_APART_MS = 5_000;

/** The claim of a node from a position on; null for none. */
interface ClaimStep {
  readonly position: number;
  readonly claimId: string | null;
  /** The command that set its end. */
  readonly setBy: Command | undefined;
}

export function checkClaimRefusals(orders: SerialOrders, commands: ReadonlyMap<string, Command>): Anomaly[] {
  const steps = new Map<string, ClaimStep[]>();
  for (const owner of orders.owners.values()) takeClaims(owner, commands, steps);
  return [...commands.values()].flatMap((command) => {
    const { outcome, payload, calledMs, endedMs } = command;
    const owner = orders.entityOf(String(payload.id))?.owner;
    if (outcome.kind !== 'refused' || owner === undefined) return [];
    const isRight = reasonOf(outcome.code, command);
    if (isRight === undefined) return [];
    const ofNode = steps.get(String(payload.id)) ?? [];
    const [first, last] = [owner.lowest(calledMs), owner.highest(endedMs)];
    for (let position = first; position <= last; position++) if (isRight(at(ofNode, position))) return [];
    const what = `${command.key}: ${outcome.code} holds at no position from ${first} to ${last}`;
    return [{ kind: 'a refusal of a claim was wrong', what, about: [command, ofNode.slice(-3)] }];
  });
}

function takeClaims(owner: OwnerOrder, commands: ReadonlyMap<string, Command>, steps: Map<string, ClaimStep[]>): void {
  for (const [index, { key, changes }] of owner.batches.entries()) {
    for (const { kind, id, after } of changes) {
      if (kind !== 'node' || (after !== null && after.claimId === undefined && after.claimUntil === undefined))
        continue;
      const ofNode = steps.get(id) ?? [];
      steps.set(id, ofNode);
      const claimId = after?.claimId === undefined ? (ofNode.at(-1)?.claimId ?? null) : after.claimId;
      ofNode.push({
        position: index + 1,
        claimId: after !== null && typeof claimId === 'string' ? claimId : null,
        setBy: commands.get(key),
      });
    }
  }
}

function reasonOf(code: string, { payload, endedMs }: Command): ((step: ClaimStep | undefined) => boolean) | undefined {
  if (code === 'conflict.claimed') return (step) => step !== undefined && step.claimId !== null;
  if (code !== 'conflict.claim_ended') return undefined;
  const named = namedIn(payload);
  return (step) => {
    if (step?.claimId !== named || step?.setBy === undefined) return true;
    // It ends by the clock of the service this long after a moment of the command, at the earliest.
    const { lease } = step.setBy.payload;
    return endedMs >= step.setBy.calledMs + Number(lease) * MINUTE_MS - CLOCKS_APART_MS;
  };
}
