// Undoes the last import or update of a source as a whole. Rules: IO12, IO4.
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { ImportSource } from '@taskgraph/wire/public-types';
import type { TaskgraphError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import type { ImportUndo } from '../import/import-undo.ts';
import { ImportError, isCode, PART_TIMEOUT_MS, undoRefusal } from '../import/part-sender.ts';
import type { UpdateCalls } from '../import/row-recorder.ts';
import { newRunId } from '../import/run-id.ts';
import { readRows } from './source-state.ts';
import { refuseSettings, settingsError } from './update-settings.ts';

export interface UndoOptions {
  /** The name of the source. */
  readonly source: string;
  readonly calls: UpdateCalls;
  /** The format of the file, and a hash of its path, as for an update; by default they are not compared. */
  readonly format?: string | undefined;
  readonly origin?: string | undefined;
  /** Only checks whether it can be undone, and counts its parts. */
  readonly dryRun?: boolean | undefined;
  readonly onProgress?: ((done: number, parts: number) => void) | undefined;
}

export interface UpdateUndo extends ImportUndo {
  /**
   * Whether the update was interrupted. The call that was on its way then may have changed tasks, and no undo
   * reverts it.
   */
  readonly interrupted: boolean;
}

/**
 * Undoes all batches of the last update, the last one first, and returns the rows to their former
 * values. The update may be an interrupted one. An interrupted undo is completed by running it again. Throws an
 * ImportError and undoes nothing:
 * - `import.conflict` if a batch cannot be undone. The cause is the refusal of the service.
 * - `import.not_there` if there is no update to undo. An import is undone with its file.
 * - `import.incomplete` if the last import was interrupted.
 * - `import.other_settings` if the file has another format or path than that of the import.
 */
export async function undoUpdate(caller: Caller, options: UndoOptions): Promise<UpdateUndo> {
  const { source: name, calls } = options;
  const source = (await calls.list()).find((each) => each.name === name);
  if (source === undefined) throw nothingError();
  refuseSettings(source, definedFields({ format: options.format, origin: options.origin }));
  if (source.state === 'importing') throw incompleteError();
  if (source.state === 'complete' && !source.undoable) throw nothingError();
  const interrupted = source.state === 'running';
  // Nothing ends an interrupted update before it is known that its undo is possible.
  if (options.dryRun === true || interrupted) {
    const { batches } = await readRows(calls, source.id);
    const { open, conflict } = await checkBatches(caller, batches);
    if (conflict !== null) throw conflict;
    if (batches.length === 0 && !interrupted) throw nothingError();
    if (options.dryRun === true) return { parts: open.length, before: batches.length - open.length, interrupted };
  }
  return applyUndo(caller, options, source.state);
}

async function applyUndo(
  caller: Caller,
  { source: name, calls, onProgress, format, origin }: UndoOptions,
  before: ImportSource['state'],
): Promise<UpdateUndo> {
  const run = newRunId();
  const start = { name, run, mode: 'undo' as const, ...definedFields({ format, origin }) };
  const { source } = await calls.begin(start).catch((error: unknown) => {
    if (isCode(error, 'conflict.import_incomplete')) throw incompleteError(error);
    if (isCode(error, 'conflict.import_settings'))
      throw settingsError((error as TaskgraphError).details.differs as readonly string[], error);
    throw isCode(error, 'not_found') ? nothingError() : error;
  });
  const { batches } = await readRows(calls, source.id);
  const { open, conflict } = await checkBatches(caller, batches);
  if (conflict !== null) {
    // A part of the undo stays an undo, because the rows of what is undone would be wrong. Batches that were
    // undone before this undo are no part of it.
    if (before !== 'undoing' || open.length === batches.length) await calls.store(source.id, run, { complete: true });
    throw conflict;
  }
  onProgress?.(0, open.length);
  for (const [index, batchId] of open.toReversed().entries()) {
    await caller.call('batch:undo', { batchId }, { timeoutMs: PART_TIMEOUT_MS });
    onProgress?.(index + 1, open.length);
  }
  while ((await calls.revert(source.id, run)).hasMore);
  const interrupted = before === 'running';
  if (batches.length === 0 && !interrupted) throw nothingError();
  return { parts: open.length, before: batches.length - open.length, interrupted };
}

interface UndoCheck {
  /** The batches that are not undone, the earliest first. */
  readonly open: readonly string[];
  /** The first refusal to undo one of them. */
  readonly conflict: ImportError | null;
}

async function checkBatches(caller: Caller, batches: readonly string[]): Promise<UndoCheck> {
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
  const message = 'The import of this source was interrupted: complete it first. An import is undone without --update.';
  return new ImportError('import.incomplete', message, 0, cause);
}
