// The bounds and fields of the rows that connect the tasks of imported files with nodes. Rule: IO12.
import { z } from 'zod';
import { text } from '../fields.ts';
import { anyId } from '../ids.ts';

/** The most sources of a user, and the most rows of all of them together. */
export const MAXIMUM_IMPORT_SOURCES = 100;
export const MAXIMUM_IMPORT_ROWS = 500_000;
/** The most rows of one call. */
export const IMPORT_ROWS_AT_ONCE = 500;
/** UTF-16 units of the name of a source, of the id of a task in it, and of its hashes. */
export const IMPORT_SOURCE_LENGTH = 200;
export const IMPORT_TASK_LENGTH = 200;
export const IMPORT_BASE_LENGTH = 300;

export const sourceName = text(IMPORT_SOURCE_LENGTH, 1).refine(
  (name) => /\S/.test(name),
  'must have a visible character',
);
/** How the file of a source is read, and where it is from, as its client names it. */
export const importSettings = {
  format: text(32).describe('The format of the file.'),
  reading: text(64).describe('A hash of the options by which it is read; empty for none.'),
  origin: text(64).describe('A hash of the path of the file; empty if its name stands for it.'),
  fingerprint: text(64).describe('Identifies an import: only the same one continues an interrupted one.'),
};
export const IMPORT_MODES = ['import', 'update', 'undo', 'drop'] as const;
export const IMPORT_STATES = ['complete', 'importing', 'running', 'undoing'] as const;

const taskId = text(IMPORT_TASK_LENGTH, 1);

/** A task of a source, with its node. */
export const importTask = z.strictObject({
  id: taskId.describe('The id of the task in its source.'),
  node: anyId.describe('The node that stands for it.'),
  base: text(IMPORT_BASE_LENGTH).describe('Hashes of the values that the file had, in a form of the client.'),
  path: text(64).optional().describe('A hash of the titles above it, if its title is its id.'),
  removed: z.literal(true).optional().describe('An update begins to move its node to the trash.'),
});
export type ImportTask = z.infer<typeof importTask>;

/** The two ends of a link of a source, by the ids of their tasks. */
export const importLinkEnds = z.strictObject({ source: taskId, target: taskId });

/** A link of a source. */
export const importLink = importLinkEnds.extend({
  base: z.int().min(0).max(3).describe('The type of the link that the file had; plus 2 for a private link.'),
});
export type ImportLink = z.infer<typeof importLink>;

/** A batch of the last import or update of a source. */
export const importBatch = z.strictObject({
  id: anyId,
  number: z.int().min(0).describe('Later batches of the source have higher numbers.'),
});
