// Finds a file format by its name, in any case.
import { CliError } from '../failures.ts';

/** Throws a CliError if there is no such format. */
export function formatNamed<F extends string>(name: string, formats: readonly F[]): F {
  const found = formats.find((format) => format === name.toLowerCase());
  if (found !== undefined) return found;
  throw new CliError('usage', `There is no format ${name}.`, `It is one of ${formats.join(', ')}.`);
}
