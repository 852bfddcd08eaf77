// Undoes an import as a whole. Rules: IO4, HIS2, HIS5.
import type { Caller } from '../caller.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';
import { dropRows } from './import-recorder.ts';
import {
  createPartSender,
  ImportError,
  type ImportOptions,
  PART_TIMEOUT_MS,
  type PartSender,
  undoRefusal,
} from './part-sender.ts';

export interface ImportUndo {
  /** Parts that this call undid. */
  readonly parts: number;
  /** Parts that were undone before. */
  readonly before: number;
}

/**
 * Undoes an import, the last part first. Only the file is needed: the parts are found by their
 * keys, and nothing is created to find them, because the import may have stopped at a part that the
 * service refuses.
 *
 * Throws an ImportError and undoes nothing:
 * - `import.conflict` if a part cannot be undone, because its content was changed since. The cause
 *   is the refusal of the service.
 * - `import.not_there` if there is no such import.
 * - `import.changed` if the service has forgotten its beginning.
 */
export async function undoImport(caller: Caller, graph: TransferGraph, options: ImportOptions): Promise<ImportUndo> {
  const sender = await createPartSender(caller, graph, options);
  const batches = await storedBatches(caller, sender, options.known);
  const open: string[] = [];
  for (const [index, batchId] of batches.entries()) {
    const refusal = await undoRefusal(caller, batchId);
    if (refusal === null) open.push(batchId);
    else if (refusal.code !== 'conflict.already_undone') {
      const message = `Nothing was undone, because part ${index + 1} can't be: ${refusal.message}`;
      throw new ImportError('import.conflict', message, batches.length, refusal);
    }
  }
  if (batches.length === 0) throw new ImportError('import.not_there', 'You have not imported this file.', 0);
  options.onProgress?.(0, open.length);
  for (const [index, batchId] of open.toReversed().entries()) {
    await caller.call('batch:undo', { batchId }, { timeoutMs: PART_TIMEOUT_MS });
    options.onProgress?.(index + 1, open.length);
  }
  if (options.source !== undefined) await dropRows(options.source, options, new Set(sender.ids.values()));
  return { parts: open.length, before: batches.length - open.length };
}

/** The batches of the parts that the service stored, up to the first missing part. */
async function storedBatches(caller: Caller, sender: PartSender, known: number | undefined): Promise<string[]> {
  const batches: string[] = [];
  for (const index of sender.parts.keys()) {
    if (!(await sender.isStored(index))) {
      if (await isForgotten(sender, index, known)) throw forgottenError();
      break;
    }
    const { batchId, isRepeat } = await sender.send(index);
    if (!isRepeat) {
      // The service forgot the key between the two calls, and created the part again.
      await caller.call('batch:undo', { batchId });
      throw forgottenError();
    }
    batches.push(batchId);
  }
  return batches;
}

/**
 * Whether a part was stored although the service does not know its key. The service forgets the
 * oldest keys first, so the next part or the last one is still known.
 */
async function isForgotten({ parts, isStored }: PartSender, index: number, known = 0): Promise<boolean> {
  if (index < known) return true;
  const later = new Set([index + 1, parts.length - 1].filter((each) => each > index && each < parts.length));
  for (const each of later) if (await isStored(each)) return true;
  return false;
}

function forgottenError(): ImportError {
  const message = 'Nothing was undone, because the service has forgotten the beginning of this import.';
  return new ImportError('import.changed', message, 0);
}
