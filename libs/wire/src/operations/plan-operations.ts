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

/** The most units that a slip adds: as many as a node may last. */
const MAXIMUM_SLIP = 1_000_000;
const UUID_AND_NUMBER =
  /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}:(?:1000000|[1-9][0-9]{0,5})$/;

const slip = z
  .union([
    z.strictObject({ id: anyId, by: z.int().min(1).max(MAXIMUM_SLIP) }),
    text(50).regex(UUID_AND_NUMBER, 'must be an id, a colon and 1 to 1000000'),
  ])
  .describe('A node that is not completed, and how many units longer it takes: `{id, by}`, or `ID:BY` in a query.');

const units = z.int().min(0);
const date = time.nullable();
const late = z
  .array(z.strictObject({ id, dueDate: time, finish: date.describe('Null past the year 9999.') }))
  .describe('Open nodes that end after they are due, by id; at most 1,000.');
const slipped = z.strictObject({
  makespan: z.strictObject({ before: units, after: units }),
  late: z.strictObject({ before: late, after: late }).optional().describe('With `start` and `unit` alone.'),
  nodes: z
    .array(z.strictObject({ id, latestFinish: units.describe('Before.'), earliestFinish: units.describe('After.') }))
    .describe('Nodes that can end no sooner than after what was the latest, by id; at most 1,000.'),
});

const planned = z
  .strictObject({
    id,
    earliestStart: units,
    earliestFinish: units,
    latestStart: units,
    latestFinish: units,
    slack: units.describe('How far it may slip without moving the end of the plan.'),
    hidden: z
      .literal(true)
      .optional()
      .describe('Something blocks it that the caller does not see, so that it may begin later.'),
    startDate: date.optional().describe('The date of its earliest start; null past the year 9999.'),
    finishDate: date.optional().describe('The date of its earliest finish; null past the year 9999.'),
  })
  .meta({
    id: 'PlannedNode',
    description: 'When a node can and must begin and end, in units from the beginning of the plan.',
  });

const plan = answer({
  makespan: units.describe('How long all of it takes.'),
  nodes: z.array(planned).describe('By id.'),
  hasMore: z.boolean().describe('Whether there is more after this page.'),
  next: id.nullable().describe('The `after` of the next page; null at the end.'),
  critical: z
    .array(id)
    .optional()
    .describe('On a first page: the critical path, one longest chain from its beginning; at most 2,500.'),
  ready: z
    .array(id)
    .optional()
    .describe(
      'On a first page: the nodes that can be worked on now, in the order in which to begin them; at most 2,500.',
    ),
  late: late.optional(),
  slip: slipped.optional(),
  truncated: z
    .literal(true)
    .optional()
    .describe('One of the lists is longer than it is told, or more was granted to the caller than is shown.'),
}).meta({ id: 'Plan', description: 'A page of a plan.' });

const planFields = z.strictObject({
  root: anyId.optional().describe("The root of a branch; without it the caller's own graph is planned."),
  start: timestamp.optional().describe('When the plan begins. With `unit` alone.'),
  unit: z.enum(PLAN_UNITS).optional().describe('How long a unit of `volume` lasts. With `start` alone.'),
  slip: slip.optional(),
  limit: z.int().min(1).max(5_000).default(1_000).describe('The most nodes of the page.'),
  after: anyId.optional().describe('The `next` of the page before.'),
});

/** Neither `start` nor `unit` has a meaning alone (PLAN4). */
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
    summary: 'Plans what is to be done: when each node can begin, which may not slip, and what is ready now.',
    description:
      "The nodes are those of a branch, or of the caller's own graph without `root`. Each lasts its `volume`, a completed one nothing; the target of a primary link waits for its source unless it is `independent`. Pages come by id; lists of the whole plan come with the first.",
    resource: 'node',
    payload: planFields,
    check: refuseHalfCalendar,
    answer: plan,
    errors: ['not_found', 'forbidden', 'bad_request.too_large', 'conflict.not_open'],
    level: { least: null, say: 'None for the own graph; viewer on a root.' },
    rules: ['PLAN1', 'PLAN2', 'PLAN3', 'PLAN4', 'PLAN5', 'PLAN6'],
    example: { root: EXAMPLE.node, start: '2026-01-05T09:00:00.000Z', unit: 'hour' },
  },
} as const satisfies Record<string, Operation>;
