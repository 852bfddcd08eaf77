// The reads of single nodes. Rules: NGET1, NGET2.
import { z } from 'zod';
import { id, pageLink, trashNode, wireNode } from '../entities.ts';
import { type Refusal, refuseField } from '../errors.ts';
import { list } from '../fields.ts';
import { anyId } from '../ids.ts';
import { answer, feedNumbers, position } from './answers.ts';
import { EXAMPLE } from './examples.ts';
import { type Operation, READ } from './operation.ts';
import { selectedFields } from './payloads.ts';

/** Most nodes of one call. */
export const MOST_NODES = 100;

/** Most links of one answer. */
export const MOST_LINKS_OF_NODES = 1_000;

const missing = z
  .strictObject({ id, error: z.enum(['not_found', 'forbidden']).describe('The code of a call for it alone.') })
  .meta({ id: 'MissingNode', description: 'A node that is not in the answer.' });

const nodes = answer({
  nodes: z
    .array(z.xor([wireNode, trashNode]))
    .describe('In the order of the call, each once. A node in the trash is shown as in a page of the trash.'),
  links: z.array(pageLink).optional().describe('With `links`: the active links that the caller sees on them, by id.'),
  truncated: z
    .literal(true)
    .optional()
    .describe(`There are more links than ${MOST_LINKS_OF_NODES}, or than fit into the answer.`),
  missing: z.array(missing).describe('The nodes that do not exist, or that the caller does not see.'),
  unread: z.array(id).optional().describe('The nodes that did not fit the answer: ask for them in another call.'),
  feeds: feedNumbers,
  position,
}).meta({ id: 'Nodes', description: 'Nodes by their ids.' });

export const nodeReadOperations = {
  'node:get': {
    ...READ,
    name: 'node:get',
    transports: { rest: { method: 'GET', path: '/api/node' }, socket: {} },
    summary: 'Reads a node, or up to 100 nodes, by id.',
    description:
      'A single `id` that cannot be read is refused. Of `ids`, those that cannot be read are in `missing`. Over REST the ids of `ids` are separated by commas.',
    payload: z.strictObject({
      id: anyId.optional().describe("The node's id."),
      ids: list(anyId, MOST_NODES).optional().describe(`Ids of 1 to ${MOST_NODES} nodes, in place of \`id\`.`),
      links: z.boolean().default(false).describe('Whether to read the links on these nodes.'),
      fields: selectedFields,
    }),
    check: ({ id, ids }) => checkIds(id, ids as readonly string[] | undefined),
    answer: nodes,
    errors: ['not_found', 'forbidden'],
    level: { least: 'viewer', say: 'Viewer on the node; of a node in the trash, the right to restore it.' },
    rules: ['NGET1', 'NGET2', 'NGET3', 'GEN7', 'GEN11', 'TRS2', 'ACL9', 'ACL11'],
    example: { id: EXAMPLE.node, links: true },
  },
} as const satisfies Record<string, Operation>;

function checkIds(id: unknown, ids: readonly string[] | undefined): Refusal | null {
  if (id !== undefined && ids !== undefined) return refuseField('invalid', 'ids', 'Give either id or ids.');
  if (id === undefined && ids === undefined) return refuseField('missing', 'id', 'Give an id, or several as ids.');
  if (ids?.length === 0) return refuseField('invalid', 'ids', 'The list ids is empty.');
  return null;
}
