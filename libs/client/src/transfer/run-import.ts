// Makes what a file says, part by part, each under a key that follows from the file and its place in it; goes on where it ended; and takes all of it back.
// Rules: IO1, IO4, GEN8, HIS2, HIS5.
import type { Calls, EventName } from '../calls.ts';
import type { CallOptions } from '../connect.ts';
import { TaskgraphError } from '../error.ts';
import { createLedger, type LeftOut, type TransferGraph } from './model.ts';
import { noteIds, operationsIn, type Part, partsOf } from './parts.ts';

/** It makes calls: a client over a socket, or what sends them over REST. */
export interface Caller {
  call<E extends EventName>(event: E, payload: Calls[E]['payload'], options?: CallOptions): Promise<Calls[E]['answer']>;
}

/** An import is known by this: the same file with the same settings is the same import. */
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

export interface TakenBack {
  /** Parts that are taken back now, and those that were before. */
  readonly parts: number;
  readonly before: number;
}

/** An import that can't go on. `done` parts are there. */
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

const PART_TIMEOUT_MS = 120_000;
type Ran = Calls['batch:run']['answer'];

/** The name of an import: 64 hexadecimal digits that follow from the file and the settings. */
export async function importName({ file, format, under = '', again = '' }: ImportIdentity): Promise<string> {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const content = await digest(bytes);
  return digest(new TextEncoder().encode(JSON.stringify([content, format, under, again])));
}

async function digest(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Sender {
  readonly parts: readonly Part[];
  readonly ids: Map<string, string>;
  /** Sends a part; `isThere` says that an earlier run has made it. */
  send(index: number): Promise<{ readonly answer: Ran; readonly batchId: string; readonly isThere: boolean }>;
}

async function senderOf(caller: Caller, graph: TransferGraph, identity: ImportIdentity): Promise<Sender> {
  const { under } = identity;
  const parts = partsOf(graph, { under: under !== undefined });
  const ids = new Map<string, string>();
  const name = await importName(identity);
  // By the clock of the worker that also makes the parts, since the first operation of each decides where it is made (BAT4).
  const { diff } = await caller.call('node:add', {}, { dryRun: true });
  return {
    parts,
    ids,
    async send(index) {
      const part = parts[index] ?? [];
      const operations = operationsIn(part, { ids, under });
      if (operations === null) throw gone(index);
      const options = { idempotencyKey: `import:${name}:${index}`, timeoutMs: PART_TIMEOUT_MS };
      const answer = await caller.call('batch:run', { operations }, options).catch((error: unknown) => {
        if (isCode(error, 'conflict.idempotency_key')) throw otherContent(index, error);
        throw index > 0 && LOSSES.some((code) => isCode(error, code)) ? gone(index, error) : error;
      });
      noteIds(part, answer.results, ids);
      return { answer, batchId: answer.diff.batchId as string, isThere: answer.diff.ts < diff.ts };
    },
  };
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
  for (const [index, part] of parts.entries()) {
    const { answer, batchId, isThere } = await sender.send(index);
    if (!isThere && index < known) throw await forgotten(caller, batchId, index);
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
async function forgotten(caller: Caller, batchId: string, done: number): Promise<ImportError> {
  await caller.call('batch:undo', { batchId });
  const message =
    'It was imported before, and the service no longer remembers it: to go on would make its tasks twice.';
  return new ImportError('import.forgotten', message, done);
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

/** Why a batch can't be undone; null where it can. */
async function refusalOf(caller: Caller, batchId: string): Promise<TaskgraphError | null> {
  return caller.call('batch:undo', { batchId }, { dryRun: true, timeoutMs: PART_TIMEOUT_MS }).then(
    () => null,
    (error: unknown) => {
      if (error instanceof TaskgraphError && /^(conflict|version_conflict|not_found|forbidden)/.test(error.code))
        return error;
      throw error;
    },
  );
}

/** The service makes links of less where their maker has less than editor on the target, or that is independent (LNK3). */
function noteCorrections(part: Part, { diff, results }: Ran, note: (what: string, place: string) => void): void {
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

/**
 * Takes an import back, the last part first. It is found by its keys, so that neither a receipt nor the machine that made it is needed; a part that was
 * never made is made and undone on the way. Nothing is undone where a part can't be, because somebody changed what it made: ImportError `import.conflict`,
 * with the service's refusal as its cause. Where there is no such import: `import.not_there`.
 */
export async function takeBack(caller: Caller, graph: TransferGraph, options: ImportOptions): Promise<TakenBack> {
  const sender = await senderOf(caller, graph, options);
  const standing: string[] = [];
  let before = 0;
  for (const index of sender.parts.keys()) {
    const { batchId, isThere } = await sender.send(index);
    if (!isThere) {
      await caller.call('batch:undo', { batchId });
      break;
    }
    const refusal = await refusalOf(caller, batchId);
    if (refusal === null) standing.push(batchId);
    else if (refusal.code === 'conflict.already_undone') before++;
    else {
      const message = `Part ${index + 1} can't be taken back, and so nothing is: ${refusal.message}`;
      throw new ImportError('import.conflict', message, sender.parts.length, refusal);
    }
  }
  if (standing.length + before === 0)
    throw new ImportError('import.not_there', 'This file was not imported by you.', 0);
  options.onProgress?.(0, standing.length);
  for (const [index, batchId] of standing.toReversed().entries()) {
    await caller.call('batch:undo', { batchId }, { timeoutMs: PART_TIMEOUT_MS });
    options.onProgress?.(index + 1, standing.length);
  }
  return { parts: standing.length, before };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof TaskgraphError && error.code === code;
}
