// The settings of the rate limits, made from their table: one variable for each. Rule: LIM1.
import { LIMITS, type LimitName, type Rate, type Rates, variableOf } from '@taskgraph/commands/rate-limits';
import { z } from 'zod';

const MOST_POINTS = 1_000_000_000;
const MOST_SECONDS = 86_400;

/** `POINTS/SECONDS`, such as `5/10`. */
const rate = z
  .string()
  .regex(/^\d{1,10}\/\d{1,5}$/, 'it must be POINTS/SECONDS, such as 5/10')
  .transform((text): Rate => {
    const [points = 0, seconds = 0] = text.split('/').map(Number);
    return { points, seconds };
  })
  .refine(({ points, seconds }) => points >= 1 && points <= MOST_POINTS && seconds >= 1 && seconds <= MOST_SECONDS, {
    message: `points go from 1 to ${MOST_POINTS}, seconds from 1 to ${MOST_SECONDS}`,
  });

interface LimitSetting {
  readonly schema: typeof rate;
  readonly default: Rate;
  readonly description: string;
}

/** To be spread into the gateway's configuration. */
export const limitSettings: Readonly<Record<`LIMIT_${string}`, LimitSetting>> = Object.fromEntries(
  LIMITS.map(({ name, points, seconds }) => [
    variableOf(name),
    { schema: rate, default: { points, seconds }, description: `The limit ${name}: calls/seconds.` },
  ]),
);

/** The numbers of all limits, from a configuration that was read with these settings. */
export function ratesOf(config: Readonly<Record<`LIMIT_${string}`, Rate>>): Rates {
  const rates = LIMITS.map(({ name }): [LimitName, Rate] => [name, config[variableOf(name)] as Rate]);
  return Object.fromEntries(rates) as Rates;
}

/** Throws where limits are switched off in production: that is for benchmarks and tests alone. */
export function refuseUnlimited({ limits, environment }: { limits: string; environment: string }): void {
  if (limits !== 'off' || environment !== 'production') return;
  throw new Error('TASKGRAPH_LIMITS is off, which NODE_ENV=production does not allow. Unset one of them.');
}
