/** batch:undo: take back what a batch did, all or nothing. Rules: HIS2 to HIS6. */
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { revertBatch } from './undoing.ts';

export const batchUndo = defineCommand({
  event: 'batch:undo',
  route: ({ batchId }) => slotOf(batchId),
  readSet: ({ batchId }) => ({ batches: [batchId] }),
  decide: (draft, { batchId }, context) => revertBatch(draft, batchId, 'undo', context),
});
