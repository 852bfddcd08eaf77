// The options of the migration program.
import { parseArgs } from 'node:util';

interface MigrateOptions {
  /** Workers that start afterwards write history in the merged form. */
  readonly mergedHistory: boolean;
}

/** Throws on any other argument: a mistyped option must not pass for a success. */
export function readMigrateOptions(given: readonly string[]): MigrateOptions {
  const { values } = parseArgs({ args: [...given], options: { 'merged-history': { type: 'boolean' } } });
  return { mergedHistory: values['merged-history'] ?? false };
}
