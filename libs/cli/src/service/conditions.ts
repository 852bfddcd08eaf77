// Conditions on nodes in JSON, as options of commands.
import type { Calls } from '@taskgraph/client';
import { CliError } from '../failures.ts';

export type Conditions = NonNullable<Calls['node:find']['payload']['where']>;

/** The conditions of `--where`. Throws a CliError if they are not JSON; the service checks them. */
export function conditionsIn(text: string): Conditions {
  try {
    return JSON.parse(text) as Conditions;
  } catch {
    throw new CliError('usage', '--where is not JSON.', `Write it as '{"tag": ["docs"]}'.`);
  }
}
