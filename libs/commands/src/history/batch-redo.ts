/** batch:redo: make again what an undone batch did, all or nothing. Rules: HIS2 to HIS6. */
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { revertBatch } from './undoing.ts';

export const batchRedo = defineCommand({
  event: 'batch:redo',
  route: ({ batchId }) => slotOf(batchId),
  readSet: ({ batchId }) => ({ batches: [batchId] }),
  decide: (draft, { batchId }, context) => revertBatch(draft, batchId, 'redo', context),
});
