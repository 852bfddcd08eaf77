// The query string of a request with a body: a mutation may have `dryRun` there; other parameters
// are refused. Rules: DRY1, GEN13.
import { isRefusal, type Refusal, refuse, refuseField } from '@taskgraph/wire/errors';
import type { Input } from '../calls/dispatch.ts';
import { parseQueryString } from '../http/query-string.ts';

/**
 * Adds the `dryRun` of the query string to an input. An input from the query itself stays
 * unchanged.
 */
export function withQuery(input: Input | Refusal, query: string, { kind }: { readonly kind: string }): Input | Refusal {
  if (isRefusal(input) || !('value' in input) || query === '') return input;
  const parsed = parseQueryString(query);
  if (isRefusal(parsed)) return parsed;
  const mayBeDry = kind === 'command';
  const unknown = Object.keys(parsed.values).find((name) => !mayBeDry || name !== 'dryRun');
  if (unknown !== undefined) return unknownParameter(unknown, mayBeDry);
  const { dryRun } = parsed.values;
  const { value } = input;
  if (dryRun === undefined || typeof value !== 'object' || value === null) return input;
  const isTwice = Object.hasOwn(value, 'dryRun') || parsed.repeated.includes('dryRun');
  if (isTwice) return refuseField('invalid', 'dryRun', 'The field dryRun is given more than once.');
  return { value: { ...value, dryRun: dryRun === 'true' ? true : dryRun === 'false' ? false : dryRun } };
}

function unknownParameter(name: string, mayBeDry: boolean): Refusal {
  const shown = name.slice(0, 100);
  const taken = mayBeDry ? 'Besides dryRun, the' : 'The';
  const message = `There is no query parameter ${JSON.stringify(shown)} here. ${taken} fields of this request belong in its body.`;
  return refuse('bad_request.unknown_field', message, { path: shown });
}
