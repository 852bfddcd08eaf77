// The operations on the sources of imports and their rows. Rule: IO12.
import { z } from 'zod';
import { type Refusal, refuse } from '../../errors.ts';
import { list } from '../../fields.ts';
import { anyId } from '../../ids.ts';
import {
  IMPORT_MODES,
  IMPORT_ROWS_AT_ONCE,
  importLink,
  importLinkEnds,
  importSettings,
  importTask,
  MAXIMUM_IMPORT_ROWS,
  MAXIMUM_IMPORT_SOURCES,
  sourceName,
} from '../../imports/import-fields.ts';
import { done } from '../account-answers.ts';
import { own } from '../account-operations.ts';
import { EXAMPLE } from '../examples.ts';
import type { Operation } from '../operation.ts';
import * as answers from './import-answers.ts';

const shared = {
  ...own,
  caller: 'token',
  level: { least: null, say: 'Any token of a person; it names only sources of its user.' },
  rules: ['IO12'],
} as const;
/** An update undoes batches and moves nodes to the trash by its rows, so a token needs these scopes to write them. */
const changes = { changes: true, scope: 'edit', moreScopes: ['link', 'trash'], resource: 'import' } as const;
const nothing = z.strictObject({});
const source = anyId.describe('The id of the source.');
const run = anyId.describe('An id of the client for this run. A later run of the same source ends it.');
const rowsOf = <T extends z.ZodType>(row: T) => list(row, IMPORT_ROWS_AT_ONCE).optional();

export const importOperations = {
  'import:list': {
    ...shared,
    name: 'import:list',
    transports: { rest: { method: 'GET', path: '/api/import' } },
    summary: "Lists the sources of the caller's imports, by name.",
    description: 'A source connects the tasks of a file with the nodes that earlier imports of it created.',
    scope: 'read',
    payload: nothing,
    answer: answers.importSources,
    errors: ['forbidden.target_required'],
    example: {},
  },
  'import:begin': {
    ...shared,
    name: 'import:begin',
    transports: { rest: { method: 'POST', path: '/api/import' } },
    ...changes,
    summary: 'Begins an import or update of a source, or continues an interrupted one.',
    description: `Creates the source if its name is new. A user has at most ${MAXIMUM_IMPORT_SOURCES} sources. With \`undo\` it begins to revert the last update, also an interrupted one. An import whose source has the rows of another import, or that is complete, does not begin: the answer to the latter has the state of the source.`,
    payload: z.strictObject({
      name: sourceName,
      run,
      under: anyId.optional().describe('The node below which new tasks are added.'),
      mode: z
        .enum(IMPORT_MODES)
        .default('import')
        .describe('`import` creates the source; the others need it. `drop` removes rows of an import that is undone.'),
      format: importSettings.format.optional(),
      reading: importSettings.reading.optional(),
      origin: importSettings.origin.optional(),
      fingerprint: importSettings.fingerprint.optional(),
    }),
    answer: answers.importSource,
    errors: [
      'not_found',
      'forbidden.target_required',
      'conflict.too_many_imports',
      'conflict.import_undo',
      'conflict.import_incomplete',
      'conflict.import_source',
      'conflict.import_settings',
    ],
    example: { name: 'github issues.json', run: EXAMPLE.run, mode: 'import', format: 'github' },
  },
  'import:store': {
    ...shared,
    name: 'import:store',
    transports: { rest: { method: 'POST', path: '/api/import/rows' } },
    ...changes,
    summary: 'Stores rows of a source: tasks with their nodes, and links.',
    description: `A row replaces the earlier row of the same task or link. A call has at most ${IMPORT_ROWS_AT_ONCE} rows, and a user at most ${MAXIMUM_IMPORT_ROWS}.`,
    payload: z.strictObject({
      source,
      run,
      tasks: rowsOf(importTask),
      links: rowsOf(importLink),
      droppedTasks: rowsOf(importTask.shape.id).describe('Tasks whose rows are removed.'),
      droppedLinks: rowsOf(importLinkEnds).describe('Links whose rows are removed.'),
      batch: anyId
        .optional()
        .describe('The batch that created or changed them. In an update it is one of the user since the update began.'),
      complete: z.boolean().optional().describe('Whether the import or update is complete.'),
    }),
    check: checkRows,
    answer: done,
    errors: ['not_found', 'forbidden.target_required', 'conflict.import_replaced', 'conflict.too_many_import_rows'],
    example: {
      source: EXAMPLE.importSource,
      run: EXAMPLE.run,
      tasks: [{ id: 'PROJ-17', node: EXAMPLE.node, base: 'title:Yb3zJ9' }],
      complete: true,
    },
  },
  'import:rows': {
    ...shared,
    name: 'import:rows',
    transports: { rest: { method: 'GET', path: '/api/import/rows' } },
    summary: 'Reads the rows of a source, page by page.',
    description: 'The order of the rows means nothing. The service does not check whether the nodes still exist.',
    scope: 'read',
    payload: z.strictObject({
      source,
      after: z
        .string()
        .max(64)
        .regex(/^[a-z0-9-]*$/)
        .optional()
        .describe('The `next` of the page before.'),
    }),
    answer: answers.importRows,
    errors: ['not_found', 'forbidden.target_required'],
    example: { source: EXAMPLE.importSource },
  },
  'import:revert': {
    ...shared,
    name: 'import:revert',
    transports: { rest: { method: 'POST', path: '/api/import/revert' } },
    ...changes,
    summary: 'Gives rows the values that they had before the last update.',
    description: `One call reverts up to ${IMPORT_ROWS_AT_ONCE} rows. It does not change nodes: undo the batches first.`,
    payload: z.strictObject({ source, run }),
    answer: answers.revertedRows,
    errors: ['not_found', 'forbidden.target_required', 'conflict.import_replaced'],
    example: { source: EXAMPLE.importSource, run: EXAMPLE.run },
  },
  'import:delete': {
    ...shared,
    name: 'import:delete',
    transports: { rest: { method: 'DELETE', path: '/api/import' } },
    ...changes,
    summary: 'Deletes a source with its rows.',
    description: 'The nodes stay. Later imports of the same file cannot update them.',
    payload: z.strictObject({ source }),
    answer: done,
    errors: ['not_found', 'forbidden.target_required'],
    example: { source: EXAMPLE.importSource },
  },
} as const satisfies Record<string, Operation>;

type RowLists = Partial<Record<'tasks' | 'links' | 'droppedTasks' | 'droppedLinks', readonly unknown[]>>;

function checkRows({ tasks = [], links = [], droppedTasks = [], droppedLinks = [] }: RowLists): Refusal | null {
  const count = tasks.length + links.length + droppedTasks.length + droppedLinks.length;
  if (count <= IMPORT_ROWS_AT_ONCE) return null;
  return refuse('bad_request.too_large', `A call has at most ${IMPORT_ROWS_AT_ONCE} rows.`);
}
