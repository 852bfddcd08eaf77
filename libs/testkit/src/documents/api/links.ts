// Links between operations of OpenAPI: which part of an answer is a field of which call. Programs that explore the API go by them.
import type { Call } from '@taskgraph/wire/calls/call';
import { CALLS } from '@taskgraph/wire/calls/calls';
import { type JsonSchema, payloadSchema } from '@taskgraph/wire/calls/payload-schema';
import { identifierOf } from './words.ts';

const NODE = '$response.body#/diff/nodes/0/after/id';
const LINK = '$response.body#/diff/links/0/after/id';
const BATCH = '$response.body#/diff/batchId';

/** The answers that others follow from: the field, where its value is, and which calls take it. */
const FOLLOWED: Readonly<Record<string, readonly Follow[]>> = {
  'node:add': [
    { field: 'id', value: NODE, of: ({ event }) => event.startsWith('node:') },
    { field: 'target', value: NODE, of: ({ event }) => event === 'node:add' },
    { field: 'source', value: NODE, of: ({ event }) => event === 'link:add' },
    { field: 'root', value: NODE, of: () => true },
    { field: 'batchId', value: BATCH, of: () => true },
  ],
  'link:add': [
    { field: 'id', value: LINK, of: ({ event }) => event.startsWith('link:') },
    { field: 'batchId', value: BATCH, of: () => true },
  ],
  'node:update': [{ field: 'batchId', value: BATCH, of: () => true }],
  'batch:undo': [{ field: 'batchId', value: '$response.body#/undoOf', of: ({ event }) => event === 'batch:redo' }],
  'graph:get': [
    { field: 'since', value: '$response.body#/position', of: () => true },
    { field: 'after', value: '$response.body#/next', of: ({ event }) => event === 'graph:get' },
  ],
};

interface Follow {
  readonly field: string;
  /** A runtime expression. */
  readonly value: string;
  readonly of: (call: Call) => boolean;
}

/** The links of an answer, by name; nothing for one that none follows from. */
export function linksOf(event: string): { links?: JsonSchema } {
  const links = (FOLLOWED[event] ?? []).flatMap(({ field, value, of }) =>
    Object.values<Call>(CALLS)
      .filter((call) => Object.hasOwn(payloadSchema(call.payload).properties ?? {}, field) && of(call))
      .map((call) => [
        `${identifierOf(call.event)}By${field[0]?.toUpperCase()}${field.slice(1)}`,
        linkTo(call, field, value),
      ]),
  );
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

/** Fields are in the body where there is one, else in the query. */
function linkTo({ event, rest, summary }: Call, field: string, value: string): JsonSchema {
  const inBody = rest.method === 'POST' || rest.method === 'PUT';
  const given = inBody ? { requestBody: { [field]: value } } : { parameters: { [field]: value } };
  return { operationId: identifierOf(event), description: `The \`${field}\` of: ${summary}`, ...given };
}
