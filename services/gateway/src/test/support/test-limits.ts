// Limits of one gateway with its own count. Limits without a rate allow everything.
import type { LimitName, Rates } from '@taskgraph/commands/rate-limits';
import { demandsOf, type Limits, noLimits, verdictOf } from '../../limits/limits.ts';
import { createLocalWindows } from '../../limits/local-counter.ts';

/** `taken` holds the names of all limits that calls were counted for, in order. */
export function createCounting(rates: Partial<Rates>): Limits & { readonly taken: LimitName[] } {
  const count = createLocalWindows();
  const taken: LimitName[] = [];
  return {
    ...noLimits,
    taken,
    async take(names, caller) {
      taken.push(...names);
      const demands = names.flatMap((name) => demandsOf(name, caller));
      return verdictOf(
        demands.flatMap(({ limit, key }) => {
          const rate = rates[limit];
          if (rate === undefined) return [];
          return [{ limit, points: rate.points, ...count(`${limit}:${key}`, rate.seconds, Date.now()) }];
        }),
      );
    },
  };
}
