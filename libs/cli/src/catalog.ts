// The calls of the service and the remedies of its codes, derived from their declarations. The
// published package holds the values: packing evaluates this module (deploy/pack.mjs).
import { type Call, errorsOf } from '@taskgraph/wire/calls/call';
import { CALLS } from '@taskgraph/wire/calls/calls';
import { fieldsOf } from '@taskgraph/wire/calls/payload-schema';
import { ERRORS } from '@taskgraph/wire/error-codes';

/** A call: how it is made over REST, the sentences for people, and the JSON Schema of its fields. */
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

export const CATALOG: readonly CatalogCall[] = Object.values<Call>(CALLS).map(entryOf);

/** How to get further after a code; `<field>` stands for the name of a field. */
export const REMEDIES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ERRORS).map(([code, { remedy }]) => [code, withoutLinks(remedy)]),
);

/** A read with fields that no query string can hold is asked by POST. */
function entryOf(call: Call): CatalogCall {
  const { event, kind, rest, summary, description, onlyInBody = [], level } = call;
  return {
    event,
    changes: kind === 'command',
    method: onlyInBody.length > 0 && rest.alsoPost ? 'POST' : rest.method,
    path: rest.path,
    summary,
    description: `${description} Needed: ${level.say}`,
    fields: { ...fieldsOf(call), type: 'object' },
    codes: errorsOf(call, 'rest'),
  };
}

/** A terminal has no use for the address of a document. */
function withoutLinks(text: string): string {
  // Backtracks: the text is one of ours.
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
