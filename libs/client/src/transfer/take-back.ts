// Takes an import back as a whole. Rules: IO4, HIS2, HIS5.
import {
  type Caller,
  ImportError,
  type ImportOptions,
  PART_TIMEOUT_MS,
  refusalOf,
  type Sender,
  senderOf,
} from './import-sender.ts';
import type { TransferGraph } from './model.ts';

export interface TakenBack {
  /** Parts that are taken back now, and those that were before. */
  readonly parts: number;
  readonly before: number;
}

/**
 * Takes an import back, the last part first. It is found by its keys, so that neither a receipt nor the machine that made it is needed, and nothing
 * is made on the way: an import that stopped midway may have stopped because the service refuses its next part. Nothing is undone where a part
 * can't be, because somebody changed what it made: ImportError `import.conflict`, with the service's refusal as its cause. Where there is no such
 * import: `import.not_there`; where the service has forgotten its beginning: `import.changed`.
 */
export async function takeBack(caller: Caller, graph: TransferGraph, options: ImportOptions): Promise<TakenBack> {
  const sender = await senderOf(caller, graph, options);
  const made: string[] = [];
  for (const index of sender.parts.keys()) {
    if (!(await sender.isMade(index))) {
      if (await isForgotten(sender, index, options.known)) throw beginningForgotten();
      break;
    }
    const { batchId, isThere } = await sender.send(index);
    if (!isThere) {
      // It was forgotten this moment, and made again.
      await caller.call('batch:undo', { batchId });
      throw beginningForgotten();
    }
    made.push(batchId);
  }
  const standing: string[] = [];
  for (const [index, batchId] of made.entries()) {
    const refusal = await refusalOf(caller, batchId);
    if (refusal === null) standing.push(batchId);
    else if (refusal.code !== 'conflict.already_undone') {
      const message = `Part ${index + 1} can't be taken back, and so nothing is: ${refusal.message}`;
      throw new ImportError('import.conflict', message, made.length, refusal);
    }
  }
  if (made.length === 0) throw new ImportError('import.not_there', 'This file was not imported by you.', 0);
  options.onProgress?.(0, standing.length);
  for (const [index, batchId] of standing.toReversed().entries()) {
    await caller.call('batch:undo', { batchId }, { timeoutMs: PART_TIMEOUT_MS });
    options.onProgress?.(index + 1, standing.length);
  }
  return { parts: standing.length, before: made.length - standing.length };
}

/** Whether a part that the service does not know was made all the same. It forgets the oldest first: later ones tell, the last one of a whole import. */
async function isForgotten({ parts, isMade }: Sender, index: number, known = 0): Promise<boolean> {
  if (index < known) return true;
  const later = new Set([index + 1, parts.length - 1].filter((each) => each > index && each < parts.length));
  for (const each of later) if (await isMade(each)) return true;
  return false;
}

function beginningForgotten(): ImportError {
  const message = 'The service no longer remembers the beginning of this import, and so nothing of it is taken back.';
  return new ImportError('import.changed', message, 0);
}
