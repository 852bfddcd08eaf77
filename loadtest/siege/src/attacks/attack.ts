// The context of an attack, and its counters.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan, Tally } from '../plan.ts';

export interface AttackContext {
  readonly plan: Plan;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Runs until the signal fires. */
export type Attack = (context: AttackContext) => Promise<void>;

export function count({ tally }: AttackContext, what: string | number): void {
  tally.counts[what] = (tally.counts[what] ?? 0) + 1;
}

/** Records a violation; only the first ten of each attack are kept. */
export function breach({ tally }: AttackContext, what: string): void {
  if (tally.breaches.length < 10) tally.breaches.push(what);
}

/** Repeats an action with a pause of `everyMs` milliseconds, until the siege ends. */
export async function repeat(
  { signal }: AttackContext,
  everyMs: number,
  act: (turn: number) => Promise<void>,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    await act(turn);
    await pause(signal, everyMs);
  }
}

export async function pause(signal: AbortSignal, durationMs: number): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => undefined);
}

/** The loopback addresses of one attack: `addressesOf(3)(7)` is 127.3.0.8. */
export function addressesOf(attack: number): (index: number) => string {
  return (index) => `127.${attack}.${Math.floor(index / 250) % 250}.${1 + (index % 250)}`;
}
