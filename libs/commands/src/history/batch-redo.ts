/** batch:redo: make again what an undone batch did, all or nothing. Rules: HIS2 to HIS6. */
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineCommand } from '../define-command.ts';
import { revertBatch } from './undoing.ts';

export const batchRedo = defineCommand({
  event: 'batch:redo',
  rest: { method: 'POST', path: '/api/history/redo' },
  summary: 'Makes again what an undone batch did.',
  resource: 'batch',
  payload: z.strictObject({ batchId: anyId }),
  route: ({ batchId }) => slotOf(batchId),
  readSet: ({ batchId }) => ({ batches: [batchId] }),
  decide: (draft, { batchId }, context) => revertBatch(draft, batchId, 'redo', context),
});
