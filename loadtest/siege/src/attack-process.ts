// The attack process. It receives the plan as a message, attacks until it is stopped, and returns
// its counts. It runs at the lowest priority, so that the baseline clients wait for the service and
// not for this process.
import { setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { ATTACKS, chooseAttacks, labelOf } from './attacks/all.ts';
import type { Plan, Tallies } from './plan.ts';

const LOWEST_PRIORITY = 19;

interface AttackRequest {
  readonly plan: Plan;
  readonly only: readonly string[];
}

const ending = new AbortController();
// Every attack and every pause listens to it.
setMaxListeners(0, ending.signal);

async function runAttacks({ plan, only }: AttackRequest): Promise<void> {
  const tallies: Tallies = {};
  await Promise.all(
    chooseAttacks(only).map(async (name) => {
      const tally = { counts: {}, breaches: [] as string[] };
      tallies[labelOf(name)] = tally;
      const context = { plan, tally, signal: ending.signal };
      // An attack that throws is invalid, so it counts as a breach.
      await ATTACKS[name]?.(context).catch((error: unknown) => tally.breaches.push(`the attack broke off: ${error}`));
    }),
  );
  process.send?.(tallies, () => process.exit());
}

setPriority(LOWEST_PRIORITY);
process.on('message', (message: AttackRequest | 'stop') => {
  if (message === 'stop') ending.abort();
  else void runAttacks(message);
});
process.on('disconnect', () => process.exit(1));
process.send?.('ready');
