// The operations on batches: `batch:run`, undo and redo.
import { z } from 'zod';
import { isRefusal, type Refusal } from '../errors.ts';
import { list, text } from '../fields.ts';
import { anyId } from '../ids.ts';
import { batchRun, redone, undone } from './answers.ts';
import { batchable, parseOperations } from './batch-parser.ts';
import { EXAMPLE } from './examples.ts';
import { ACTIVE } from './link-operations.ts';
import { COMMAND, type ErrorName, ON_ENTITY, type Operation } from './operation.ts';
import { TOKEN_PUSHES } from './pushes.ts';

/** The most operations of a `batch:run` (BAT1). */
export const MAXIMUM_OPERATIONS = 500;

/** The number of operations that count as one call (BAT7). */
export const OPERATIONS_OF_A_CALL = 25;

/** An undo may be refused like the commands that would make its changes. */
const UNDO_ERRORS: readonly ErrorName[] = [
  ...ON_ENTITY,
  ...ACTIVE,
  'conflict.already_trashed',
  'conflict.already_public',
  'conflict.not_public',
  'conflict.node_blocked',
  'conflict.claimed',
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
      .describe('The event of a command, except those on batches.'),
    payload: z
      .unknown()
      .optional()
      .describe('The payload of the event. `$name` in place of an id is the id from an earlier operation.'),
    as: text(64, 1)
      .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, `_` and `-`')
      .optional()
      .describe(
        'A name for the entity that `node:add` or `link:add` creates, unique in the batch: `$name` is its id, and `$name.link` the id of the link to the `target` of `node:add`.',
      ),
  })
  .describe('One operation of a batch.');

const operations = list(operation, MAXIMUM_OPERATIONS)
  .refine((all) => all.length > 0, 'must have at least one operation')
  .meta({ minItems: 1 });

const run = z.strictObject({ operations: operations.describe('The operations, in the order of their execution.') });

/** Each operation is checked like a separate command (BAT3). */
function refuseOperations({ operations: sent }: z.infer<typeof run>): Refusal | null {
  const parsed = parseOperations(sent);
  return isRefusal(parsed) ? parsed : null;
}

export const batchOperations = {
  'batch:undo': {
    ...COMMAND,
    name: 'batch:undo',
    scope: 'changes',
    transports: { rest: { method: 'POST', path: '/api/history/undo' }, socket: {} },
    summary: 'Undoes a batch.',
    description: 'It undoes all changes or none. It makes a new batch, which can be undone too.',
    resource: 'batch',
    payload: z.strictObject({ batchId: anyId.describe('The batch to undo.') }),
    answer: undone,
    errors: [...UNDO_ERRORS, 'conflict.already_undone'],
    pushes: TOKEN_PUSHES,
    level: { least: null, say: 'For each of its changes, the level that the change by hand would require.' },
    rules: ['HIS2', 'HIS3', 'HIS4', 'HIS5', 'HIS6'],
    example: { batchId: EXAMPLE.batch },
  },
  'batch:redo': {
    ...COMMAND,
    name: 'batch:redo',
    scope: 'changes',
    transports: { rest: { method: 'POST', path: '/api/history/redo' }, socket: {} },
    summary: 'Redoes an undone batch.',
    description: 'It redoes all changes or none. It makes a new batch, which can be undone too.',
    resource: 'batch',
    payload: z.strictObject({ batchId: anyId.describe('The batch to redo.') }),
    answer: redone,
    errors: [...UNDO_ERRORS, 'conflict.not_undone'],
    pushes: TOKEN_PUSHES,
    level: { least: null, say: 'For each of its changes, the level that the change by hand would require.' },
    rules: ['HIS2', 'HIS3', 'HIS4', 'HIS5', 'HIS6'],
    example: { batchId: EXAMPLE.batch },
  },
  'batch:run': {
    ...COMMAND,
    name: 'batch:run',
    scope: 'operations',
    transports: { rest: { method: 'POST', path: '/api/batch' }, socket: {} },
    summary: 'Executes several operations as one: all of them or none.',
    description: `1 to ${MAXIMUM_OPERATIONS} operations, each decided on the state that the earlier ones left. They make one batch of history, which is undone as one. The first refusal refuses all, and \`details.index\` is the operation that caused it, from 0. A call counts once, and once more for every ${OPERATIONS_OF_A_CALL} operations.`,
    resource: 'batch',
    payload: run,
    check: refuseOperations,
    answer: batchRun,
    errors: [...errors, 'bad_request.unknown_event', 'bad_request.unknown_name', 'bad_request.duplicate_name'],
    pushes: TOKEN_PUSHES,
    level: { least: null, say: 'The level that each of its operations requires.' },
    rules: ['BAT1', 'BAT2', 'BAT3', 'BAT4', 'BAT5', 'BAT6', 'BAT7'],
    example: {
      operations: [
        { event: 'node:add', payload: { title: 'Set up the domain' }, as: 'domain' },
        { event: 'link:add', payload: { source: '$domain', target: EXAMPLE.node } },
      ],
    },
  },
} as const satisfies Record<string, Operation>;
