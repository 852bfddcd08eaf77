/** batch:undo: take back what a batch did, all or nothing. Rules: HIS2 to HIS6. */
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineCommand } from '../define-command.ts';
import { revertBatch } from './undoing.ts';

export const batchUndo = defineCommand({
  event: 'batch:undo',
  rest: { method: 'POST', path: '/api/history/undo' },
  summary: 'Takes back what a batch did.',
  resource: 'batch',
  payload: z.strictObject({ batchId: anyId }),
  route: ({ batchId }) => slotOf(batchId),
  readSet: ({ batchId }) => ({ batches: [batchId] }),
  decide: (draft, { batchId }, context) => revertBatch(draft, batchId, 'undo', context),
});
