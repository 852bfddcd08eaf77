// The calls of the service and the remedies of its codes, derived from their declarations. The
// published package holds the values: packing evaluates this module (deploy/pack.mjs).
import { errorsOf, type Operation, requirementsOf } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { fieldsOf } from '@taskgraph/wire/operations/payload-schema';
import { REMEDIES as PLAIN_REMEDIES } from '@taskgraph/wire/remedies';

/**
 * A call: how it is made over REST, the sentences for people, and the JSON Schema of its fields.
 */
export interface CatalogCall {
  readonly event: string;
  readonly changes: boolean;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly fields: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly codes: readonly string[];
}

export const CATALOG: readonly CatalogCall[] = socketOperations.map(entryOf);

/** The remedy for each code. `<field>` is a placeholder for the name of a field. */
export const REMEDIES: Readonly<Record<string, string>> = PLAIN_REMEDIES;

/** A read with fields that no query string can hold is a POST. */
function entryOf(operation: Operation): CatalogCall {
  const { name, changes, transports, summary, description } = operation;
  const { rest } = transports;
  return {
    event: name,
    changes,
    method: rest.alsoPost && (rest.onlyInBody || rest.flattened) ? 'POST' : rest.method,
    path: rest.path,
    summary,
    description: `${description} Needed: ${requirementsOf(operation)}`,
    fields: { ...fieldsOf(operation), type: 'object' },
    codes: errorsOf(operation, 'rest'),
  };
}
