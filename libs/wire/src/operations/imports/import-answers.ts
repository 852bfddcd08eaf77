// The answers of the operations on sources of imports. Their schemas are closed.
import { z } from 'zod';
import { id, time } from '../../entities.ts';
import { IMPORT_STATES, importBatch, importLink, importTask } from '../../imports/import-fields.ts';
import { answer } from '../answers.ts';

const task = importTask
  .extend({ node: id.describe('The node that stands for it.') })
  .meta({ id: 'ImportTask', description: 'A task of an imported file, with the node that stands for it.' });
const link = importLink.extend({}).meta({ id: 'ImportLink', description: 'A link of an imported file.' });
const batch = importBatch
  .extend({ id })
  .meta({ id: 'ImportBatch', description: 'A batch that created or changed tasks of an imported file.' });

const source = z
  .strictObject({
    id,
    name: z.string(),
    under: id.nullable().describe('The node below which new tasks are added; null for none.'),
    createdTime: time,
    lastUsed: time.describe('When the last import or update of it began.'),
    group: z.int().min(0).describe('The number of its last import or update.'),
    state: z
      .enum(IMPORT_STATES)
      .describe(
        'Whether its last run is complete: an interrupted import is `importing`, an update `running`, an undo `undoing`.',
      ),
    undoable: z.boolean().describe('Whether its last run with changes was an update, which an undo reverts.'),
    rows: z.int().min(0).describe('Its tasks and links.'),
    format: z.string().describe('The format of its file; empty if its client did not say it.'),
    reading: z.string().describe('A hash of the options by which its file is read; empty for none.'),
    origin: z.string().describe('A hash of the path of its file; empty if it is not known.'),
  })
  .meta({
    id: 'ImportSource',
    description: 'The source of imported files, such as a file that is exported again and again.',
  });

export const importSources = answer({ sources: z.array(source) }).meta({ id: 'ImportSources' });
export const importSource = answer({
  source,
  free: z.int().min(0).describe('The rows that the user may still store.'),
  interrupted: z.boolean().describe('Whether it continues a run that was interrupted.'),
  user: id.describe('The user whose source it is.'),
}).meta({ id: 'ImportRun' });
export const importRows = answer({
  tasks: z.array(task),
  links: z.array(link),
  batches: z.array(batch).describe('The batches of the last import or update, in any order.'),
  hasMore: z.boolean().describe('Whether another page follows.'),
  next: z.string().nullable().describe('The `after` of the next page; null at the end.'),
}).meta({ id: 'ImportRows', description: 'A page of the rows of a source.' });
export const revertedRows = answer({
  hasMore: z.boolean().describe('Whether rows remain that the last import or update changed.'),
}).meta({ id: 'ImportRevert' });
