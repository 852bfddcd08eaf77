// The call that does several others in one.
import { z } from 'zod';
import { list, text } from '../fields.ts';
import { ran } from './answers.ts';
import type { Call, ErrorName } from './call.ts';
import { EXAMPLE } from './examples.ts';
import { linkCalls } from './link-calls.ts';
import { nodeCalls } from './node-calls.ts';
import { sharingCalls } from './sharing-calls.ts';

/** Most operations of a composite (BAT1). */
export const MAXIMUM_OPERATIONS = 500;

/** So many operations of a composite are counted as one call (BAT7). */
export const OPERATIONS_OF_A_CALL = 25;

const NOT_ALONE = new Set(['batch:undo', 'batch:redo']);

const mutations = Object.values<Call>({ ...nodeCalls, ...sharingCalls, ...linkCalls }).filter(
  ({ kind, event }) => kind === 'command' && !NOT_ALONE.has(event),
);

/** The events of operations that a composite may have. */
export const OPERATIONS: readonly string[] = mutations.map(({ event }) => event);

const errors: readonly ErrorName[] = [...new Set(mutations.flatMap((call) => call.errors))];

const operation = z
  .strictObject({
    event: text(100, 1)
      .meta({ enum: [...OPERATIONS] })
      .describe('The event of a mutation, other than those on batches.'),
    payload: z
      .unknown()
      .optional()
      .describe('The payload of the event. In the place of an id, `$name` stands for that of an earlier operation.'),
    as: text(64, 1)
      .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, `_` and `-`')
      .optional()
      .describe(
        'A name for what `node:add` or `link:add` brings, once in a batch: `$name` is its id, and `$name.link` that of the link to the `target` of `node:add`.',
      ),
  })
  .describe('One of the operations of a batch.');

const operations = list(operation, MAXIMUM_OPERATIONS)
  .refine((all) => all.length > 0, 'must have at least one operation')
  .meta({ minItems: 1 });

export const batchCalls = {
  'batch:run': {
    kind: 'command',
    event: 'batch:run',
    rest: { method: 'POST', path: '/api/batch' },
    summary: 'Does several operations in one, all of them or none.',
    description: `1 to ${MAXIMUM_OPERATIONS} operations, each judged on the state that those before it left. They make one batch of history, which is undone as one. The first refusal refuses all, and \`details.index\` says which operation it met, from 0. A call counts once, and once more for every ${OPERATIONS_OF_A_CALL} operations.`,
    resource: 'batch',
    payload: z.strictObject({ operations: operations.describe('In the order in which they are done.') }),
    answer: ran,
    errors: [...errors, 'bad_request.unknown_event', 'bad_request.unknown_name', 'bad_request.duplicate_name'],
    pushes: ['graph:diff', 'access:changed', 'feeds:heads', 'unpublished'],
    level: { least: null, say: 'The level that each of its operations takes.' },
    rules: ['BAT1', 'BAT2', 'BAT3', 'BAT4', 'BAT5', 'BAT6', 'BAT7'],
    example: {
      operations: [
        { event: 'node:add', payload: { title: 'Set up the domain' }, as: 'domain' },
        { event: 'link:add', payload: { source: '$domain', target: EXAMPLE.node } },
      ],
    },
  },
} as const satisfies Record<string, Call>;
