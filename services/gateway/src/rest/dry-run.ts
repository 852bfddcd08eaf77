// A mutation over REST may say in its query, too, that it is only to be decided. Rule: DRY1.
import { isRefusal, type Refusal, refuseField } from '@taskgraph/wire/errors';
import type { Input } from '../calls/dispatch.ts';
import { parseQueryString } from '../http/query-string.ts';

/** The input of a call with the `dryRun` of its query string; any other field of a query plays no part beside a body. */
export function withDryRun(
  input: Input | Refusal,
  query: string,
  { kind }: { readonly kind: string },
): Input | Refusal {
  if (kind !== 'command' || isRefusal(input) || !('value' in input) || !query.includes('dryRun')) return input;
  const parsed = parseQueryString(query);
  if (isRefusal(parsed)) return parsed;
  const { dryRun } = parsed.values;
  const { value } = input;
  if (dryRun === undefined || typeof value !== 'object' || value === null) return input;
  const isTwice = Object.hasOwn(value, 'dryRun') || parsed.repeated.includes('dryRun');
  if (isTwice) return refuseField('invalid', 'dryRun', 'The field dryRun is given more than once.');
  return { value: { ...value, dryRun: dryRun === 'true' ? true : dryRun === 'false' ? false : dryRun } };
}
