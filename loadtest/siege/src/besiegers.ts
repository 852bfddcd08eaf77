// The attack process. It receives the plan as a message, attacks until it is stopped, and returns
// its counts. It runs at the lowest priority, so that the measured clients wait for the service and
// not for this process.
import { setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { ATTACKS } from './attacks/all.ts';
import type { Plan, Tallies } from './plan.ts';

const LOWEST_PRIORITY = 19;

interface Order {
  readonly plan: Plan;
  readonly only: readonly string[];
}

const ending = new AbortController();
// Every attack and every pause listens to it.
setMaxListeners(0, ending.signal);

async function besiege({ plan, only }: Order): Promise<void> {
  const names = Object.keys(ATTACKS).filter((name) => only.length === 0 || only.includes(name));
  const tallies: Tallies = {};
  await Promise.all(
    names.map(async (name) => {
      const tally = { counts: {}, breaches: [] as string[] };
      tallies[name] = tally;
      const field = { plan, tally, signal: ending.signal };
      // An attack that throws is invalid, so it counts as a breach.
      await ATTACKS[name]?.(field).catch((error: unknown) => tally.breaches.push(`the attack broke off: ${error}`));
    }),
  );
  process.send?.(tallies, () => process.exit());
}

setPriority(LOWEST_PRIORITY);
process.on('message', (message: Order | 'stop') => {
  if (message === 'stop') ending.abort();
  else void besiege(message);
});
process.on('disconnect', () => process.exit(1));
process.send?.('ready');
