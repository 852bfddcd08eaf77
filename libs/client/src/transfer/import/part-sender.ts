// Sends the parts of an import. The idempotency key of a part follows from the file and the part's
// index, so that the service recognizes repetitions. Rules: IO1, IO4, GEN8.
import type { Calls } from '../../calls.ts';
import { TaskgraphError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import type { ReadOptions, TransferGraph } from '../graph/transfer-graph.ts';
import { contentHash } from './content-hash.ts';
import { type ImportPart, operationsOfPart, partsOf, recordIds } from './import-parts.ts';
import type { ImportSourceChoice } from './row-recorder.ts';

/** Identifies an import: the same file with the same settings is the same import. */
export interface ImportIdentity {
  /** The whole file. */
  readonly file: string | Uint8Array;
  /** The format that it is read as. */
  readonly format: string;
  /** How the file is read, if not as usual. */
  readonly reading?: ReadOptions | undefined;
  /** The id of the node below which the file is imported. */
  readonly under?: string | undefined;
  /** A label. Another label makes another import of the same file. */
  readonly again?: string | undefined;
}

export interface ImportOptions extends ImportIdentity {
  /** Called after each stored part. */
  readonly onProgress?: ((done: number, parts: number) => void) | undefined;
  /**
   * The number of parts that an earlier run stored. If the service has forgotten one of them, the
   * import fails.
   */
  readonly known?: number | undefined;
  /** The source in which the import is recorded, so that later files can update it. Without it, nothing is. */
  readonly source?: ImportSourceChoice | undefined;
}

/** An import that cannot continue. `done` parts are stored. */
export class ImportError extends Error {
  readonly code:
    | 'import.forgotten'
    | 'import.changed'
    | 'import.not_there'
    | 'import.gone'
    | 'import.conflict'
    | 'import.no_source'
    | 'import.too_many_rows'
    | 'import.replaced'
    | 'import.other_file'
    | 'import.many_removals'
    | 'import.other_settings'
    | 'import.incomplete';
  readonly done: number;

  constructor(code: ImportError['code'], message: string, done: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ImportError';
    this.code = code;
    this.done = done;
  }
}

export const PART_TIMEOUT_MS = 120_000;
/** The id of no node: the service only makes UUIDs of version 7 (GEN1). */
const NO_NODE = '00000000-0000-0000-0000-000000000000';
export type PartAnswer = Calls['batch:run']['answer'];

/** The name of an import: 64 hexadecimal digits that follow from the file and the settings. */
export async function importName(identity: ImportIdentity): Promise<string> {
  const { file, format, under = '', again = '' } = identity;
  const reading = readingName(identity.reading);
  return contentHash(JSON.stringify([contentHash(file), format, under, again, ...(reading === '' ? [] : [reading])]));
}

/** The options that change the tasks of a file; '' for none. */
export function readingName({ columns = {}, dates }: ReadOptions = {}): string {
  const mapped = Object.entries(columns).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return mapped.length === 0 && dates === undefined ? '' : JSON.stringify([mapped, dates ?? '']);
}

export interface SentPart {
  readonly answer: PartAnswer;
  readonly batchId: string;
  /** Whether an earlier run had stored the part. */
  readonly isRepeat: boolean;
}

export interface PartSender {
  readonly parts: readonly ImportPart[];
  readonly ids: Map<string, string>;
  /** Whether the service remembers this part of an earlier run. Changes nothing. */
  isStored(index: number): Promise<boolean>;
  send(index: number): Promise<SentPart>;
}

export async function createPartSender(
  caller: Caller,
  graph: TransferGraph,
  identity: ImportIdentity,
): Promise<PartSender> {
  const { under } = identity;
  const parts = partsOf(graph, { under: under !== undefined });
  const ids = new Map<string, string>();
  const name = await importName(identity);
  const keyOf = (index: number) => `import:${name}:${index}`;
  // The start time by the clock of the worker that runs the parts: the first operation of a batch
  // decides its worker (BAT4).
  const { diff } = await caller.call('node:add', {}, { dryRun: true });
  return {
    parts,
    ids,
    async isStored(index) {
      // The service checks the key before the node (GEN3): with a new key the node is not found.
      const options = { idempotencyKey: keyOf(index) };
      const refusal = await caller.call('node:trash', { id: NO_NODE }, options).catch((error: unknown) => error);
      if (isCode(refusal, 'conflict.idempotency_key')) return true;
      if (isCode(refusal, 'not_found')) return false;
      throw refusal;
    },
    async send(index) {
      const part = parts[index] ?? [];
      const operations = operationsOfPart(part, { ids, under });
      if (operations === null) throw deletedError(index);
      const options = { idempotencyKey: keyOf(index), timeoutMs: PART_TIMEOUT_MS };
      const answer = await caller.call('batch:run', { operations }, options).catch((error: unknown) => {
        if (isCode(error, 'conflict.idempotency_key')) throw changedError(index, error);
        throw index > 0 && DELETION_CODES.some((code) => isCode(error, code)) ? deletedError(index, error) : error;
      });
      recordIds(part, answer.results, ids);
      return { answer, batchId: answer.diff.batchId as string, isRepeat: answer.diff.ts < diff.ts };
    },
  };
}

/** Codes of a later part whose earlier tasks were deleted or are no longer visible. */
const DELETION_CODES = ['not_found', 'forbidden', 'conflict.in_trash'];

function deletedError(done: number, cause?: unknown): ImportError {
  const message = 'A task that later parts need was deleted since, or is no longer visible to you.';
  return new ImportError('import.gone', message, done, cause);
}

function changedError(done: number, cause: unknown): ImportError {
  const message =
    'An earlier import of this file created something else: with another release, or so long ago that the service has forgotten its beginning.';
  return new ImportError('import.changed', message, done, cause);
}

/** The refusal to undo a batch; null if it can be undone. */
export async function undoRefusal(caller: Caller, batchId: string): Promise<TaskgraphError | null> {
  return caller.call('batch:undo', { batchId }, { dryRun: true, timeoutMs: PART_TIMEOUT_MS }).then(
    () => null,
    (error: unknown) => {
      if (error instanceof TaskgraphError && /^(conflict|version_conflict|not_found|forbidden)/.test(error.code))
        return error;
      throw error;
    },
  );
}

/** Restores an undone part from the trash, with the same ids. */
export async function redoIfUndone(caller: Caller, batchId: string, done: number): Promise<void> {
  if (!isCode(await undoRefusal(caller, batchId), 'conflict.already_undone')) return;
  await caller.call('batch:redo', { batchId }, { timeoutMs: PART_TIMEOUT_MS }).catch((error: unknown) => {
    if (!(error instanceof TaskgraphError)) throw error;
    const message = `This file was imported and undone, and cannot be restored from the trash (${error.code}).`;
    throw new ImportError('import.gone', message, done, error);
  });
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof TaskgraphError && error.code === code;
}
