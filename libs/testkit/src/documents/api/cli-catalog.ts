// Makes libs/cli/src/catalog.ts from the declarations of calls and codes: the command line and its server for agents go by them, and depend on
// nothing of ours but the client.
import { ERRORS } from '@taskgraph/wire/error-codes';
import { errorsOf, type Operation } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { fieldsOf } from './schemas.ts';

const HEAD = `// The calls of the service and its codes, as it declares them. It is long since it has all of them, and generated: \`npm run docs:generate\` writes it.

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
}`;

/** The module, as text. */
export function cliCatalog(): string {
  const calls = socketOperations.map(entryOf);
  const remedies = Object.entries(ERRORS).map(([code, { remedy }]) => [code, withoutLinks(remedy)]);
  return `${[
    HEAD,
    `export const CATALOG: readonly CatalogCall[] = ${JSON.stringify(calls, null, 2)};`,
    `/** How to get further after a code; \`<field>\` stands for the name of a field. */`,
  ].join(
    '\n\n',
  )}\nexport const REMEDIES: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(remedies), null, 2)};\n`;
}

/** A read with fields that no query string can hold is asked by POST. */
function entryOf(operation: Operation): object {
  const { name, changes, transports, summary, description, level } = operation;
  const { rest } = transports;
  return {
    event: name,
    changes,
    method: rest.onlyInBody && rest.alsoPost ? 'POST' : rest.method,
    path: rest.path,
    summary,
    description: `${description} Needed: ${level.say}`,
    fields: fieldsOf(operation),
    codes: errorsOf(operation, 'rest'),
  };
}

/** A terminal has no use for the address of a document. */
function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
