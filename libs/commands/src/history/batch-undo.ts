/** batch:undo: revert a batch, all or nothing. Rules: HIS2 to HIS6. */
import { slotOf } from '@taskgraph/wire/ids';
import { defineSteppedCommand } from '../define-command.ts';
import { revertBatch } from './revert-batch.ts';

export const batchUndo = defineSteppedCommand({
  name: 'batch:undo',
  route: ({ batchId }) => slotOf(batchId),
  readSet: ({ batchId }) => ({ batches: [batchId] }),
  decideInSteps: (steps, { batchId }, context) => revertBatch(steps, batchId, 'undo', context),
});
