// Undoes the last import or update of a source as a whole. Rules: IO12, IO4.
import type { TaskgraphError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import type { ImportUndo } from '../import/import-undo.ts';
import { ImportError, isCode, PART_TIMEOUT_MS, undoRefusal } from '../import/part-sender.ts';
import type { UpdateCalls } from '../import/row-recorder.ts';
import { newRunId } from '../import/run-id.ts';
import { readRows } from './stored-state.ts';

interface UndoOptions {
  /** The name of the source. */
  readonly source: string;
  readonly calls: UpdateCalls;
  /** Only checks whether it can be undone, and counts its parts. */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((done: number, parts: number) => void) | undefined;
}

/**
 * Undoes all batches of the last update, the last one first, and returns the rows to their former
 * values. An interrupted undo is completed by running it again. Throws an ImportError and undoes nothing:
 * - `import.conflict` if a batch cannot be undone. The cause is the refusal of the service.
 * - `import.not_there` if there is no update to undo. An import is undone with its file.
 * - `import.incomplete` if the last import or update was interrupted.
 */
export async function undoUpdate(caller: Caller, options: UndoOptions): Promise<ImportUndo> {
  return options.dryRun === true ? previewUndo(caller, options) : applyUndo(caller, options);
}

async function previewUndo(caller: Caller, { source: name, calls }: UndoOptions): Promise<ImportUndo> {
  const source = (await calls.list()).find((each) => each.name === name);
  if (source?.state === 'importing' || source?.state === 'running') throw incompleteError();
  if (source?.undoable !== true) throw nothingError();
  const { batches } = await readRows(calls, source.id);
  if (batches.length === 0) throw nothingError();
  const { open, conflict } = await openBatches(caller, batches);
  if (conflict !== null) throw conflict;
  return { parts: open.length, before: batches.length - open.length };
}

async function applyUndo(caller: Caller, { source: name, calls, onProgress }: UndoOptions): Promise<ImportUndo> {
  const run = newRunId();
  const { source } = await calls.begin({ name, run, mode: 'undo' }).catch((error: unknown) => {
    if (isCode(error, 'conflict.import_incomplete')) throw incompleteError(error);
    throw isCode(error, 'not_found') ? nothingError() : error;
  });
  const { batches } = await readRows(calls, source.id);
  const { open, conflict } = await openBatches(caller, batches);
  if (conflict !== null) {
    // A part of the undo stays an undo, because the rows of what is undone would be wrong.
    if (open.length === batches.length) await calls.store(source.id, run, { complete: true });
    throw conflict;
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

interface OpenBatches {
  /** The batches that are not undone, the earliest first. */
  readonly open: readonly string[];
  /** The first refusal to undo one of them. */
  readonly conflict: ImportError | null;
}

async function openBatches(caller: Caller, batches: readonly string[]): Promise<OpenBatches> {
  const open: string[] = [];
  let conflict: ImportError | null = null;
  for (const [index, batchId] of batches.entries()) {
    const refusal = await undoRefusal(caller, batchId);
    if (refusal !== null && refusal.code === 'conflict.already_undone') continue;
    open.push(batchId);
    // Later batches of the same update are undone before.
    if (refusal === null || isOwnConflict(refusal, new Set(batches.slice(index + 1)))) continue;
    const message = `Nothing was undone, because part ${index + 1} can't be: ${refusal.message}`;
    conflict ??= new ImportError('import.conflict', message, batches.length, refusal);
  }
  return { open, conflict };
}

/** Whether only these batches changed what a batch had set. */
function isOwnConflict({ code, details }: TaskgraphError, later: ReadonlySet<string>): boolean {
  if (code !== 'version_conflict' || details.truncated === true || !Array.isArray(details.conflicts)) return false;
  const conflicts = details.conflicts as readonly { readonly batchId?: string; readonly hidden?: boolean }[];
  return conflicts.every(({ batchId, hidden }) => hidden !== true && batchId !== undefined && later.has(batchId));
}

function nothingError(): ImportError {
  const message = 'There is no update of this source to undo. An import is undone with its file, without --update.';
  return new ImportError('import.not_there', message, 0);
}

function incompleteError(cause?: unknown): ImportError {
  const message = 'The last import or update of this source was interrupted: complete it first, then undo it.';
  return new ImportError('import.incomplete', message, 0, cause);
}
