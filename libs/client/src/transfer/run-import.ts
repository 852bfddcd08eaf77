// Makes the tasks and links of a file, part by part, and goes on where an earlier run ended. Rules: IO1, GEN8, HIS5.
import { TaskgraphError } from '../error.ts';
import {
  type Caller,
  ImportError,
  type ImportOptions,
  isCode,
  PART_TIMEOUT_MS,
  type PartAnswer,
  refusalOf,
  senderOf,
} from './import-sender.ts';
import { createLedger, type LeftOut, type TransferGraph } from './model.ts';
import type { Part } from './parts.ts';

export interface ImportReport {
  readonly nodes: number;
  readonly links: number;
  readonly parts: number;
  /** Parts that were there already, from an earlier run. */
  readonly there: number;
  readonly batches: readonly string[];
  /** The id of each node by its key in the file. */
  readonly ids: ReadonlyMap<string, string>;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Makes the graph of an arranged file. Run again it does what is left: parts that are there answer from their keys, and what was taken back is made anew from
 * the trash. Throws an ImportError where that can't be, and a TaskgraphError where the service refuses a part; what was done until then stays.
 */
export async function runImport(caller: Caller, graph: TransferGraph, options: ImportOptions): Promise<ImportReport> {
  const sender = await senderOf(caller, graph, options);
  const { parts, ids } = sender;
  const { known = 0, onProgress } = options;
  const batches: string[] = [];
  const ledger = createLedger();
  let there = 0;
  onProgress?.(0, parts.length);
  // The service forgets the oldest keys first.
  if (known > 0 && !(await sender.isMade(0))) throw forgotten(0);
  for (const [index, part] of parts.entries()) {
    const { answer, batchId, isThere } = await sender.send(index);
    if (!isThere && index < known) {
      await caller.call('batch:undo', { batchId });
      throw forgotten(index);
    }
    if (isThere) await bringBack(caller, batchId, index);
    if (isThere) there++;
    noteCorrections(part, answer, ledger.note);
    batches.push(batchId);
    onProgress?.(index + 1, parts.length);
  }
  const leftOut = [...graph.leftOut, ...ledger.list()];
  return { nodes: graph.nodes.length, links: graph.links.length, parts: parts.length, there, batches, ids, leftOut };
}

/** A key that the service no longer knows would make all of it twice. */
function forgotten(done: number): ImportError {
  const message =
    'It was imported before, and the service no longer remembers it: to go on would make its tasks twice.';
  return new ImportError('import.forgotten', message, done);
}

/** A part that was taken back comes back from the trash, with the same ids. */
async function bringBack(caller: Caller, batchId: string, done: number): Promise<void> {
  if (!(await isUndone(caller, batchId))) return;
  await caller.call('batch:redo', { batchId }, { timeoutMs: PART_TIMEOUT_MS }).catch((error: unknown) => {
    if (!(error instanceof TaskgraphError)) throw error;
    const message = `It was imported and taken back, and can't come back from the trash (${error.code}).`;
    throw new ImportError('import.gone', message, done, error);
  });
}

async function isUndone(caller: Caller, batchId: string): Promise<boolean> {
  const refusal = await refusalOf(caller, batchId);
  return isCode(refusal, 'conflict.already_undone');
}

/** The service makes links of less where their maker has less than editor on the target, or that is independent (LNK3). */
function noteCorrections(part: Part, { diff, results }: PartAnswer, note: (what: string, place: string) => void): void {
  const made = new Map(diff.links.map(({ after }) => [after.id, after]));
  for (const [index, operation] of part.entries()) {
    const link = made.get(results[index]?.id ?? '');
    if (operation.event !== 'link:add' || link === undefined) continue;
    const { type } = operation.fields as { readonly type: number };
    if (link.type !== undefined && link.type !== type)
      note('a link that blocks, where it may not', `${link.source} → ${link.target}`);
    if (link.private === true && !('private' in operation.fields))
      note('a link that all see, where it may not be', `${link.source} → ${link.target}`);
  }
}
