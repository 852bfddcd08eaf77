// undo: undoes a batch, after a confirmed dry run.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { makeChange } from '../changes.ts';
import { object, text } from '../input-schema.ts';
import { pageOfLines } from '../lines.ts';
import { isWholeId } from '../references.ts';
import { type ToolContext, ToolFailure } from '../service.ts';
import { CONFIRM } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

/** The latest batches of the caller among which the last change is looked for. */
const RECENT = 20;

interface UndoRequest {
  readonly batch?: string;
  readonly confirm?: string;
}

export const undo = defineTool<UndoRequest>({
  name: 'undo',
  description:
    'Undoes a batch, by default your last. First answers the effect and "confirm"; then give batch and confirm.',
  effect: 'changes',
  input: object({ batch: text(), confirm: CONFIRM }),
  async run({ batch, confirm }, context) {
    if (batch === undefined && confirm !== undefined) {
      // The last change is another one once the undo is made.
      throw new ToolFailure('bad_request.invalid_arguments', 'Give the "batch" that the confirmed answer names.');
    }
    const batchId = batch ?? (await lastBatch(context));
    if (!isWholeId(batchId))
      throw new ToolFailure('bad_request.invalid_uuid', 'The argument "batch" must be a whole id.');
    const change = { event: 'batch:undo', payload: { batchId }, isAdditive: false, ...definedFields({ confirm }) };
    return pageOfLines([`batch ${batchId}`, ...(await makeChange(context, change)).lines], undefined);
  },
});

interface RecentBatch {
  readonly batchId: string;
  readonly undone: boolean;
  readonly undoOf?: string;
}

async function lastBatch({ service }: ToolContext): Promise<string> {
  const { batches } = await service.call('history:page', { scopeType: 'USER', limit: RECENT });
  const found = (batches as readonly RecentBatch[]).find(({ undone, undoOf }) => !undone && undoOf === undefined);
  if (found !== undefined) return found.batchId;
  throw new ToolFailure('not_found', 'You have no recent change to undo. Name a batch; history lists them.');
}
