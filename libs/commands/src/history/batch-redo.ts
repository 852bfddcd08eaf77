/** batch:redo: apply an undone batch again, all or nothing. Rules: HIS2 to HIS6. */
import { slotOf } from '@taskgraph/wire/ids';
import { defineSteppedCommand } from '../define-command.ts';
import { revertBatch } from './revert-batch.ts';

export const batchRedo = defineSteppedCommand({
  name: 'batch:redo',
  route: ({ batchId }) => slotOf(batchId),
  readSet: ({ batchId }) => ({ batches: [batchId] }),
  decideInSteps: (steps, { batchId }, context) => revertBatch(steps, batchId, 'redo', context),
});
