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

const accessPath = z
  .strictObject({
    level,
    by: z
      .enum(['owner', 'grant', 'branch', 'tree', 'publication'])
      .describe(
        'As its owner, by a grant on it, by a grant on a branch that contains it, because it is below a node of their own, or by a public token.',
      ),
    root: id.describe(
      "The node that gives the access: the node itself, the root of the branch, or the nearest of the reader's own nodes.",
    ),
    due: time.nullable().describe('When the grant or publication ends.'),
    path: z
      .array(id.nullable())
      .describe(
        'The nodes from it up to the root. One null stands for consecutive nodes that the caller does not see.',
      ),
    email: z
      .string()
      .nullable()
      .optional()
      .describe("Only with `all`: the reader's e-mail; null for the public token."),
  })
  .meta({ id: 'AccessPath', description: 'A way by which a reader sees a node.' });

const why = answer({
  blockedBy: z
    .array(blocker)
    .describe('The visible nodes that block it, one entry for each link, by the id of the link; at most 500.'),
  workable: z
    .array(id)
    .describe('The nodes to complete first: open nodes that wait for nothing, nearest first; at most 100.'),
  access: z
    .array(accessPath)
    .describe('The ways by which the caller sees it or, with `all`, by which every reader does; at most 200.'),
  hidden: z.literal(true).optional().describe('It also waits for a node that the caller does not see.'),
  truncated: z
    .literal(true)
    .optional()
    .describe('A list or a path is incomplete, or the node waits for more than 20,000 nodes.'),
}).meta({ id: 'Why', description: 'Why a node waits, and by which ways readers see it.' });

export const whyOperations = {
  'node:why': {
    ...READ,
    name: 'node:why',
    transports: { rest: { method: 'GET', path: '/api/node/why' }, socket: {} },
    summary: 'Explains a node: what it waits for, what to complete first, and how readers see it.',
    description:
      'The answer covers what is visible to the caller. With `all` it also lists the ways of other readers, as far as they come from grants that the caller may list.',
    payload: z.strictObject({
      id: anyId.describe("The node's id."),
      all: z
        .boolean()
        .default(false)
        .describe('List the ways of all readers, each with its e-mail. For admins and the owner.'),
    }),
    answer: why,
    errors: ['not_found', 'forbidden'],
    level: { least: 'viewer', say: 'Viewer on the node; admin with `all`.' },
    rules: ['WHY1', 'WHY2', 'WHY3', 'ACL9', 'GEN7'],
    example: { id: EXAMPLE.node, all: true },
  },
} as const satisfies Record<string, Operation>;
