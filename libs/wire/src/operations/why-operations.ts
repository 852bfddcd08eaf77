// The read that explains a node. Rules: WHY1 to WHY3.
import { z } from 'zod';
import { id, level, status, time } from '../entities.ts';
import { anyId } from '../ids.ts';
import { answer } from './answers.ts';
import { EXAMPLE } from './examples.ts';
import { type Operation, READ } from './operation.ts';

const blocker = z
  .strictObject({ id, link: id.describe('The link by which it blocks.'), status })
  .meta({ id: 'Blocker', description: 'A node that blocks another.' });

const way = z
  .strictObject({
    level,
    by: z
      .enum(['owner', 'grant', 'branch', 'tree', 'publication'])
      .describe(
        'As its owner, by a grant on it, by one on a branch that it belongs to, since it hangs in their own tree, or by a public token.',
      ),
    root: id.describe('The node by which it is seen: itself, the root of the branch, or the nearest of their own.'),
    due: time.nullable().describe('When the grant or publication ends.'),
    path: z
      .array(id.nullable())
      .describe('The nodes from it up to the root; null for a run that the caller does not see.'),
    email: z
      .string()
      .nullable()
      .optional()
      .describe('With `all` alone: whose way it is; null for who has the public token.'),
  })
  .meta({ id: 'Way', description: 'A way in which somebody sees a node.' });

const why = answer({
  blockedBy: z
    .array(blocker)
    .describe('The nodes in sight that block it, one for each link, by the id of the link; at most 500.'),
  workable: z
    .array(id)
    .describe('The nodes to complete first: open ones that wait for nothing, nearest first; at most 100.'),
  access: z.array(way).describe('The ways in which the caller sees it, or with `all` everybody; at most 200.'),
  hidden: z.literal(true).optional().describe('It also waits for something that the caller does not see.'),
  truncated: z
    .literal(true)
    .optional()
    .describe('A list or a path is longer than it is told, or it waits for more than 20,000 nodes.'),
}).meta({ id: 'Why', description: 'The reasons for which a node waits, and the ways in which it is seen.' });

export const whyOperations = {
  'node:why': {
    ...READ,
    name: 'node:why',
    transports: { rest: { method: 'GET', path: '/api/node/why' }, socket: {} },
    summary: 'Explains a node: what it waits for, what has to be done first, and in which ways it is seen.',
    description:
      'It tells of what the caller sees alone. With `all` it tells in which ways others see the node, as far as by grants that the caller could list.',
    resource: 'node',
    payload: z.strictObject({
      id: anyId.describe("The node's id."),
      all: z.boolean().default(false).describe("Everybody's ways, each with its e-mail; for admins and the owner."),
    }),
    answer: why,
    errors: ['not_found', 'forbidden'],
    level: { least: 'viewer', say: 'Viewer on the node; admin with `all`.' },
    rules: ['WHY1', 'WHY2', 'WHY3', 'ACL9', 'GEN7'],
    example: { id: EXAMPLE.node, all: true },
  },
} as const satisfies Record<string, Operation>;
