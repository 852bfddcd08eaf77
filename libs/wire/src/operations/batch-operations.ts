// The operations on batches: running several commands as one, undo and redo.
import { z } from 'zod';
import { isRefusal, type Refusal } from '../errors.ts';
import { list, text } from '../fields.ts';
import { anyId } from '../ids.ts';
import { ran, redone, undone } from './answers.ts';
import { batchable, parseOperations } from './batch-parser.ts';
import { EXAMPLE } from './examples.ts';
import { ACTIVE } from './link-operations.ts';
import { COMMAND, type ErrorName, ON_ENTITY, type Operation } from './operation.ts';
import { TOKEN_PUSHES } from './pushes.ts';

/** Most operations of a composite (BAT1). */
export const MAXIMUM_OPERATIONS = 500;

/** So many operations of a composite are counted as one call (BAT7). */
export const OPERATIONS_OF_A_CALL = 25;

/** The refusals of an undo are those of the commands that would make its changes. */
const REVERTING: readonly ErrorName[] = [
  ...ON_ENTITY,
  ...ACTIVE,
  'conflict.already_trashed',
  'conflict.already_public',
  'conflict.not_public',
  'conflict.node_blocked',
  'conflict.target_in_trash',
  'conflict.irreversible',
  'conflict.expired',
  'conflict.too_many_grants',
];

const errors: readonly ErrorName[] = [...new Set(batchable.flatMap((one) => one.errors))];

const operation = z
  .strictObject({
    event: text(100, 1)
      .meta({ enum: batchable.map(({ name }) => name) })
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

const run = z.strictObject({ operations: operations.describe('In the order in which they are done.') });

/** Each operation is judged like a command of its own (BAT3). */
function refuseOperations({ operations: sent }: z.infer<typeof run>): Refusal | null {
  const parsed = parseOperations(sent);
  return isRefusal(parsed) ? parsed : null;
}

export const batchOperations = {
  'batch:undo': {
    ...COMMAND,
    name: 'batch:undo',
    transports: { rest: { method: 'POST', path: '/api/history/undo' }, socket: {} },
    summary: 'Takes back what a batch did.',
    description: 'All of it or nothing. It makes a batch of its own, which can be undone too.',
    resource: 'batch',
    payload: z.strictObject({ batchId: anyId.describe('The batch of history.') }),
    answer: undone,
    errors: [...REVERTING, 'conflict.already_undone'],
    pushes: TOKEN_PUSHES,
    level: { least: null, say: 'The level that each of its changes would take if it were done by hand.' },
    rules: ['HIS2', 'HIS3', 'HIS4', 'HIS5', 'HIS6'],
    example: { batchId: EXAMPLE.batch },
  },
  'batch:redo': {
    ...COMMAND,
    name: 'batch:redo',
    transports: { rest: { method: 'POST', path: '/api/history/redo' }, socket: {} },
    summary: 'Makes again what an undone batch did.',
    description: 'All of it or nothing. It makes a batch of its own, which can be undone too.',
    resource: 'batch',
    payload: z.strictObject({ batchId: anyId.describe('The batch of history.') }),
    answer: redone,
    errors: [...REVERTING, 'conflict.not_undone'],
    pushes: TOKEN_PUSHES,
    level: { least: null, say: 'The level that each of its changes would take if it were done by hand.' },
    rules: ['HIS2', 'HIS3', 'HIS4', 'HIS5', 'HIS6'],
    example: { batchId: EXAMPLE.batch },
  },
  'batch:run': {
    ...COMMAND,
    name: 'batch:run',
    transports: { rest: { method: 'POST', path: '/api/batch' }, socket: {} },
    summary: 'Does several operations in one, all of them or none.',
    description: `1 to ${MAXIMUM_OPERATIONS} operations, each judged on the state that those before it left. They make one batch of history, which is undone as one. The first refusal refuses all, and \`details.index\` says which operation it met, from 0. A call counts once, and once more for every ${OPERATIONS_OF_A_CALL} operations.`,
    resource: 'batch',
    payload: run,
    check: refuseOperations,
    answer: ran,
    errors: [...errors, 'bad_request.unknown_event', 'bad_request.unknown_name', 'bad_request.duplicate_name'],
    pushes: TOKEN_PUSHES,
    level: { least: null, say: 'The level that each of its operations takes.' },
    rules: ['BAT1', 'BAT2', 'BAT3', 'BAT4', 'BAT5', 'BAT6', 'BAT7'],
    example: {
      operations: [
        { event: 'node:add', payload: { title: 'Set up the domain' }, as: 'domain' },
        { event: 'link:add', payload: { source: '$domain', target: EXAMPLE.node } },
      ],
    },
  },
} as const satisfies Record<string, Operation>;
