// The read that plans open work. Rules: PLAN1 to PLAN6.
import { z } from 'zod';
import { PLAN_UNITS } from '../codes.ts';
import { id, time } from '../entities.ts';
import { type Refusal, refuseField } from '../errors.ts';
import { text, timestamp } from '../fields.ts';
import { anyId } from '../ids.ts';
import { answer } from './answers.ts';
import { EXAMPLE } from './examples.ts';
import { type Operation, READ } from './operation.ts';

/** The most units of a slip: as many as a node may last. */
const MAXIMUM_SLIP = 1_000_000;
const UUID_AND_NUMBER =
  /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}:(?:1000000|[1-9][0-9]{0,5})$/;

const slip = z
  .union([
    z.strictObject({ id: anyId, by: z.int().min(1).max(MAXIMUM_SLIP) }),
    text(50).regex(UUID_AND_NUMBER, 'must be an id, a colon and 1 to 1000000'),
  ])
  .describe('A node that is not completed, and the number of additional units: `{id, by}`, or `ID:BY` in a query.');

const units = z.int().min(0);
const date = time.nullable();
const late = z
  .array(z.strictObject({ id, dueDate: time, finish: date.describe('Null past the year 9999.') }))
  .describe('Open nodes that finish after their due date, by id; at most 1,000.');
const slipped = z.strictObject({
  makespan: z.strictObject({ before: units, after: units }),
  late: z.strictObject({ before: late, after: late }).optional().describe('Only with `start` and `unit`.'),
  nodes: z
    .array(z.strictObject({ id, latestFinish: units.describe('Before.'), earliestFinish: units.describe('After.') }))
    .describe('Nodes whose earliest finish is now after their former latest finish, by id; at most 1,000.'),
});

const planned = z
  .strictObject({
    id,
    earliestStart: units,
    earliestFinish: units,
    latestStart: units,
    latestFinish: units,
    slack: units.describe('How far the node can slip without moving the end of the plan.'),
    hidden: z
      .literal(true)
      .optional()
      .describe('A node that the caller does not see blocks it, so it may start later.'),
    startDate: date.optional().describe('The date of the earliest start; null past the year 9999.'),
    finishDate: date.optional().describe('The date of the earliest finish; null past the year 9999.'),
  })
  .meta({
    id: 'PlannedNode',
    description: 'When a node can and must start and finish, in units from the start of the plan.',
  });

const plan = answer({
  makespan: units.describe('The length of the whole plan.'),
  nodes: z.array(planned).describe('By id.'),
  hasMore: z.boolean().describe('Whether another page follows.'),
  next: id.nullable().describe('The `after` of the next page; null at the end.'),
  critical: z
    .array(id)
    .optional()
    .describe('Only on the first page: the critical path, one longest chain from its beginning; at most 2,500.'),
  ready: z
    .array(id)
    .optional()
    .describe(
      'Only on the first page: the nodes that are ready now, in the order in which to start them; at most 2,500.',
    ),
  late: late.optional(),
  slip: slipped.optional(),
  truncated: z.literal(true).optional().describe('A list is incomplete, or the caller was granted more than is shown.'),
}).meta({ id: 'Plan', description: 'A page of a plan.' });

const planFields = z.strictObject({
  root: anyId.optional().describe("The root of the branch to plan; without it, the caller's own graph."),
  start: timestamp.optional().describe('When the plan starts. Only with `unit`.'),
  unit: z.enum(PLAN_UNITS).optional().describe('The length of a unit of `volume`. Only with `start`.'),
  slip: slip.optional(),
  limit: z.int().min(1).max(5_000).default(1_000).describe('The most nodes of the page.'),
  after: anyId.optional().describe('The `next` of the page before.'),
});

/** `start` and `unit` require each other (PLAN4). */
function refuseHalfCalendar({ start, unit }: z.infer<typeof planFields>): Refusal | null {
  if (start !== undefined && unit === undefined) return refuseField('missing', 'unit', 'The field unit is missing.');
  if (unit !== undefined && start === undefined) return refuseField('missing', 'start', 'The field start is missing.');
  return null;
}

export const planOperations = {
  'graph:plan': {
    ...READ,
    name: 'graph:plan',
    transports: { rest: { method: 'GET', path: '/api/plan' }, socket: {} },
    summary: 'Plans open work: when each node can start, which nodes must not slip, and which are ready now.',
    description:
      "The nodes are those of a branch or, without `root`, of the caller's own graph. Each lasts its `volume`, and a completed node nothing. The target of a primary link waits for its source unless it is `independent`. Pages are in order of id; the first page has the lists of the whole plan.",
    payload: planFields,
    check: refuseHalfCalendar,
    answer: plan,
    errors: ['not_found', 'forbidden', 'bad_request.too_large', 'conflict.not_open'],
    level: { least: null, say: "None for the caller's own graph; viewer on a root." },
    rules: ['PLAN1', 'PLAN2', 'PLAN3', 'PLAN4', 'PLAN5', 'PLAN6'],
    example: { root: EXAMPLE.node, start: '2026-01-05T09:00:00.000Z', unit: 'hour' },
  },
} as const satisfies Record<string, Operation>;
