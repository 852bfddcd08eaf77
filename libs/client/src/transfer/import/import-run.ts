// Imports a graph part by part and continues where an earlier run ended. Rules: IO1, GEN8, HIS5.
import type { Caller } from '../caller.ts';
import { createLossReport, type TransferLoss } from '../graph/loss-report.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';
import type { ImportPart } from './import-parts.ts';
import { createImportRecorder } from './import-recorder.ts';
import { createPartSender, ImportError, type ImportOptions, type PartAnswer, redoIfUndone } from './part-sender.ts';

export interface ImportReport {
  readonly nodes: number;
  readonly links: number;
  readonly parts: number;
  /** Parts that an earlier run had stored. */
  readonly there: number;
  readonly batches: readonly string[];
  /** The id of each node by its key in the file. */
  readonly ids: ReadonlyMap<string, string>;
  readonly leftOut: readonly TransferLoss[];
}

/**
 * Creates an ordered graph. A repeated run creates only missing parts: the service answers stored
 * parts from their keys, and undone parts are restored from the trash. Throws an ImportError if it
 * cannot continue, and a TaskgraphError if the service refuses a part. Earlier parts stay.
 */
export async function runImport(caller: Caller, graph: TransferGraph, options: ImportOptions): Promise<ImportReport> {
  const sender = await createPartSender(caller, graph, options);
  const { parts, ids } = sender;
  const { known = 0, onProgress } = options;
  const batches: string[] = [];
  const losses = createLossReport();
  let there = 0;
  const recorder = await createImportRecorder(graph, {
    ...options,
    onUnrecorded: (code) => losses.note('that later files update the tasks (--update)', code),
  });
  onProgress?.(0, parts.length);
  // The service forgets the oldest keys first.
  if (known > 0 && !(await sender.isStored(0))) throw forgottenError(0);
  for (const [index, part] of parts.entries()) {
    const { answer, batchId, isRepeat } = await sender.send(index);
    if (!isRepeat && index < known) {
      await caller.call('batch:undo', { batchId });
      throw forgottenError(index);
    }
    if (isRepeat) {
      await redoIfUndone(caller, batchId, index);
      there++;
    }
    reportCorrections(part, answer, losses.note);
    await recorder.recordPart(part, ids, batchId);
    batches.push(batchId);
    onProgress?.(index + 1, parts.length);
  }
  await recorder.complete();
  const leftOut = [...graph.leftOut, ...losses.list()];
  return { nodes: graph.nodes.length, links: graph.links.length, parts: parts.length, there, batches, ids, leftOut };
}

/** Without the key, the service would create the part a second time. */
function forgottenError(done: number): ImportError {
  const message =
    'This file was imported before, but the service has forgotten that import. Continuing would create its tasks twice.';
  return new ImportError('import.forgotten', message, done);
}

/**
 * Reports links that the service changed: their creator is not an editor of the target, or it is
 * independent (LNK3).
 */
function reportCorrections(
  part: ImportPart,
  { diff, results }: PartAnswer,
  note: (what: string, place: string) => void,
): void {
  const links = new Map(diff.links.map(({ after }) => [after.id, after]));
  for (const [index, operation] of part.entries()) {
    const link = links.get(results[index]?.id ?? '');
    if (operation.event !== 'link:add' || link === undefined) continue;
    const { type } = operation.fields as { readonly type: number };
    if (link.type !== undefined && link.type !== type)
      note('that a link blocks, where you may not add such links', `${link.source} → ${link.target}`);
    if (link.private === true && !('private' in operation.fields))
      note('that others see a link, where you may not add such links', `${link.source} → ${link.target}`);
  }
}
