// OpenAPI links: the parts of an answer that are fields of other operations. Programs that explore
// the API follow them.
import { hasBody, type Operation } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { type JsonSchema, payloadSchema } from '@taskgraph/wire/operations/payload-schema';
import { identifierOf } from './words.ts';

const NODE = '$response.body#/diff/nodes/0/after/id';
const LINK = '$response.body#/diff/links/0/after/id';
const BATCH = '$response.body#/diff/batchId';

/** The sources of links: the field, the place of its value, and the operations that take it. */
const FOLLOWED: Readonly<Record<string, readonly Follow[]>> = {
  'node:add': [
    { field: 'id', value: NODE, of: ({ name }) => name.startsWith('node:') },
    { field: 'target', value: NODE, of: ({ name }) => name === 'node:add' },
    { field: 'source', value: NODE, of: ({ name }) => name === 'link:add' },
    { field: 'root', value: NODE, of: () => true },
    { field: 'batchId', value: BATCH, of: () => true },
  ],
  'link:add': [
    { field: 'id', value: LINK, of: ({ name }) => name.startsWith('link:') },
    { field: 'batchId', value: BATCH, of: () => true },
  ],
  'node:update': [{ field: 'batchId', value: BATCH, of: () => true }],
  'batch:undo': [{ field: 'batchId', value: '$response.body#/undoOf', of: ({ name }) => name === 'batch:redo' }],
  'graph:get': [
    { field: 'since', value: '$response.body#/position', of: () => true },
    { field: 'after', value: '$response.body#/next', of: ({ name }) => name === 'graph:get' },
  ],
};

interface Follow {
  readonly field: string;
  /** A runtime expression. */
  readonly value: string;
  readonly of: (operation: Operation) => boolean;
}

/** The links of an answer, by name; undefined if it is the source of none. */
export function linksOf(event: string): { links?: JsonSchema } {
  const links = (FOLLOWED[event] ?? []).flatMap(({ field, value, of }) =>
    socketOperations
      .filter((one) => Object.hasOwn(payloadSchema(one.payload).properties ?? {}, field) && of(one))
      .map((one) => [
        `${identifierOf(one.name)}By${field[0]?.toUpperCase()}${field.slice(1)}`,
        linkTo(one, field, value),
      ]),
  );
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

/** Fields are in the body if there is one, otherwise in the query. */
function linkTo({ name, transports, summary }: Operation, field: string, value: string): JsonSchema {
  const { rest } = transports;
  const given = hasBody(rest) ? { requestBody: { [field]: value } } : { parameters: { [field]: value } };
  return { operationId: identifierOf(name), description: `The \`${field}\` of: ${summary}`, ...given };
}
