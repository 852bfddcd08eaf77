// Sends the parts of an import. The key of each part is derived from the file and the part's index, so that the service recognises it.
// Rules: IO1, IO4, GEN8.
import type { Calls, EventName } from '../calls.ts';
import type { CallOptions } from '../connect.ts';
import { TaskgraphError } from '../error.ts';
import { sha256 } from '../values/sha256.ts';
import type { TransferGraph } from './model.ts';
import { noteIds, operationsIn, type Part, partsOf } from './parts.ts';

/** Makes calls, over a socket or over REST. */
export interface Caller {
  call<E extends EventName>(event: E, payload: Calls[E]['payload'], options?: CallOptions): Promise<Calls[E]['answer']>;
}

/** Identifies an import: the same file with the same settings is the same import. */
export interface ImportIdentity {
  /** The whole file. */
  readonly file: string | Uint8Array;
  /** The format that it was read as. */
  readonly format: string;
  /** The id of the node that all of it hangs below. */
  readonly under?: string | undefined;
  /** Makes another import of the same file. */
  readonly again?: string | undefined;
}

export interface ImportOptions extends ImportIdentity {
  /** Told of the parts that are done. */
  readonly onProgress?: ((done: number, parts: number) => void) | undefined;
  /** How many parts are known to have been done before: where the service has forgotten one of them, nothing is made twice. */
  readonly known?: number | undefined;
}

/** An import that can't continue. `done` parts are stored. */
export class ImportError extends Error {
  readonly code: 'import.forgotten' | 'import.changed' | 'import.not_there' | 'import.gone' | 'import.conflict';
  readonly done: number;

  constructor(code: ImportError['code'], message: string, done: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ImportError';
    this.code = code;
    this.done = done;
  }
}

export const PART_TIMEOUT_MS = 120_000;
/** The id of no node: the service makes UUIDs of version 7 alone (GEN1). */
const NO_NODE = '00000000-0000-0000-0000-000000000000';
export type PartAnswer = Calls['batch:run']['answer'];

/** The name of an import: 64 hexadecimal digits that follow from the file and the settings. */
export async function importName({ file, format, under = '', again = '' }: ImportIdentity): Promise<string> {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const content = await sha256(bytes);
  return sha256(new TextEncoder().encode(JSON.stringify([content, format, under, again])));
}

export interface Sender {
  readonly parts: readonly Part[];
  readonly ids: Map<string, string>;
  /** Whether the service remembers a part of an earlier run. Changes nothing. */
  isMade(index: number): Promise<boolean>;
  /** Sends a part. `isThere`: an earlier run had already stored it. */
  send(index: number): Promise<{ readonly answer: PartAnswer; readonly batchId: string; readonly isThere: boolean }>;
}

export async function senderOf(caller: Caller, graph: TransferGraph, identity: ImportIdentity): Promise<Sender> {
  const { under } = identity;
  const parts = partsOf(graph, { under: under !== undefined });
  const ids = new Map<string, string>();
  const name = await importName(identity);
  const keyOf = (index: number) => `import:${name}:${index}`;
  // By the clock of the worker that also makes the parts, since the first operation of each decides where it is made (BAT4).
  const { diff } = await caller.call('node:add', {}, { dryRun: true });
  return {
    parts,
    ids,
    async isMade(index) {
      // The service checks the key before the node (GEN3): a used key is refused as such, and with an unused one the node is not found.
      const options = { idempotencyKey: keyOf(index) };
      const refusal = await caller.call('node:trash', { id: NO_NODE }, options).catch((error: unknown) => error);
      if (isCode(refusal, 'conflict.idempotency_key')) return true;
      if (isCode(refusal, 'not_found')) return false;
      throw refusal;
    },
    async send(index) {
      const part = parts[index] ?? [];
      const operations = operationsIn(part, { ids, under });
      if (operations === null) throw gone(index);
      const options = { idempotencyKey: keyOf(index), timeoutMs: PART_TIMEOUT_MS };
      const answer = await caller.call('batch:run', { operations }, options).catch((error: unknown) => {
        if (isCode(error, 'conflict.idempotency_key')) throw otherContent(index, error);
        throw index > 0 && LOSSES.some((code) => isCode(error, code)) ? gone(index, error) : error;
      });
      noteIds(part, answer.results, ids);
      return { answer, batchId: answer.diff.batchId as string, isThere: answer.diff.ts < diff.ts };
    },
  };
}

/** Refusals of a part whose parts before it were taken. */
const LOSSES = ['not_found', 'forbidden', 'conflict.in_trash'];

function gone(done: number, cause?: unknown): ImportError {
  const message = 'A task that the rest of it needs was thrown away since, or is out of sight.';
  return new ImportError('import.gone', message, done, cause);
}

function otherContent(done: number, cause: unknown): ImportError {
  const message =
    'An import of this file was begun that made something else of it, by another release or so long ago that its beginning is forgotten.';
  return new ImportError('import.changed', message, done, cause);
}

/** Why a batch can't be undone; null where it can. */
export async function refusalOf(caller: Caller, batchId: string): Promise<TaskgraphError | null> {
  return caller.call('batch:undo', { batchId }, { dryRun: true, timeoutMs: PART_TIMEOUT_MS }).then(
    () => null,
    (error: unknown) => {
      if (error instanceof TaskgraphError && /^(conflict|version_conflict|not_found|forbidden)/.test(error.code))
        return error;
      throw error;
    },
  );
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof TaskgraphError && error.code === code;
}
