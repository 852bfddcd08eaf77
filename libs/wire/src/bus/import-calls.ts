// The account operations on sources of imports: payload and answer of each event. Rule: IO12.
import { z } from 'zod';
import { anyId } from '../ids.ts';
import {
  IMPORT_MODES,
  IMPORT_ROWS_AT_ONCE,
  IMPORT_STATES,
  importBatch,
  importLink,
  importLinkEnds,
  importSettings,
  importTask,
  MAXIMUM_IMPORT_SOURCES,
  sourceName,
} from '../imports/import-fields.ts';
import { callerFields } from './caller-fields.ts';

const rowsOf = <T extends z.ZodType>(row: T) => z.array(row).max(IMPORT_ROWS_AT_ONCE);

const view = z.object({
  id: anyId,
  name: z.string(),
  under: anyId.nullable(),
  createdTime: z.string(),
  lastUsed: z.string(),
  group: z.int(),
  state: z.enum(IMPORT_STATES),
  rows: z.int(),
  format: z.string(),
  undoable: z.boolean(),
  reading: z.string(),
  origin: z.string(),
});
export type ImportSourceView = z.infer<typeof view>;

export const IMPORT_CALLS = {
  /** The actor's sources, by name. */
  'account:imports': {
    payload: z.object({}),
    answer: z.object({ sources: z.array(view).max(MAXIMUM_IMPORT_SOURCES) }),
  },
  'account:import:begin': {
    payload: z.object({
      /** The id of the source if it is new. */
      id: anyId,
      name: sourceName,
      run: anyId,
      under: anyId.nullable(),
      mode: z.enum(IMPORT_MODES),
      format: importSettings.format.nullable(),
      reading: importSettings.reading.nullable(),
      origin: importSettings.origin.nullable(),
      fingerprint: importSettings.fingerprint,
    }),
    answer: z.object({ source: view, free: z.int(), user: anyId, interrupted: z.boolean() }),
  },
  'account:import:store': {
    payload: z.object({
      source: anyId,
      run: anyId,
      tasks: rowsOf(importTask),
      links: rowsOf(importLink),
      droppedTasks: rowsOf(importTask.shape.id),
      droppedLinks: rowsOf(importLinkEnds),
      batch: anyId.nullable(),
      complete: z.boolean(),
      request: callerFields.request,
    }),
    answer: z.object({}),
  },
  'account:import:rows': {
    payload: z.object({ source: anyId, after: z.string().max(64) }),
    answer: z.object({
      tasks: z.array(importTask),
      links: z.array(importLink),
      batches: z.array(importBatch),
      next: z.string().nullable(),
    }),
  },
  'account:import:revert': {
    payload: z.object({ source: anyId, run: anyId }),
    answer: z.object({ hasMore: z.boolean() }),
  },
  /** `request`: a repeated request gets the first answer. */
  'account:import:delete': { payload: z.object({ source: anyId, request: anyId }), answer: z.object({}) },
} as const;
