// Undoes the last import or update of a source as a whole. Rules: IO12, IO4.
import type { Caller } from '../caller.ts';
import type { ImportUndo } from '../import/import-undo.ts';
import { ImportError, isCode, PART_TIMEOUT_MS, undoRefusal } from '../import/part-sender.ts';
import type { SourceCalls } from '../import/row-recorder.ts';
import { newRunId } from '../import/run-id.ts';
import { readRows } from './stored-state.ts';

interface UndoOptions {
  /** The name of the source. */
  readonly source: string;
  readonly calls: SourceCalls;
  readonly onProgress?: ((done: number, parts: number) => void) | undefined;
}

/**
 * Undoes all batches of the last update, the last one first, and returns the rows to their former
 * values. An interrupted undo is completed by running it again. Throws an ImportError and undoes nothing:
 * - `import.conflict` if a batch cannot be undone. The cause is the refusal of the service.
 * - `import.not_there` if there is nothing to undo.
 */
export async function undoUpdate(
  caller: Caller,
  { source: name, calls, onProgress }: UndoOptions,
): Promise<ImportUndo> {
  const run = newRunId();
  const { source } = await calls.begin({ name, run, mode: 'undo' }).catch((error: unknown) => {
    throw isCode(error, 'not_found') ? nothingError() : error;
  });
  const { batches } = await readRows(calls, source.id);
  const open: string[] = [];
  for (const [index, batchId] of batches.entries()) {
    const refusal = await undoRefusal(caller, batchId);
    if (refusal === null) open.push(batchId);
    else if (refusal.code !== 'conflict.already_undone') {
      await calls.store(source.id, run, { complete: true });
      const message = `Nothing was undone, because part ${index + 1} can't be: ${refusal.message}`;
      throw new ImportError('import.conflict', message, batches.length, refusal);
    }
  }
  onProgress?.(0, open.length);
  for (const [index, batchId] of open.toReversed().entries()) {
    await caller.call('batch:undo', { batchId }, { timeoutMs: PART_TIMEOUT_MS });
    onProgress?.(index + 1, open.length);
  }
  while ((await calls.revert(source.id, run)).hasMore);
  if (batches.length === 0) throw nothingError();
  return { parts: open.length, before: batches.length - open.length };
}

function nothingError(): ImportError {
  return new ImportError('import.not_there', 'There is no import or update of this source to undo.', 0);
}
