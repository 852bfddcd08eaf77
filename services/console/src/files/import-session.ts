// One file on its way into the graph, outside of React:
//   reading → preview or broken → running → imported, or failed after some parts → running the undo → undone.
//   preview → running → compared → running → updated → running the undo → undone.
// The worker reads the file and decides the calls, the page makes them. Rules: CON28, IO1, IO4, IO12.
import { type TaskgraphClient, TaskgraphError } from '@taskgraph/client';
import type { ImportFormat, ReadOptions } from '@taskgraph/client/transfer';
import type {
  FileAnswer,
  FileCall,
  FileFault,
  FilePreview,
  FileRequest,
  ImportResult,
  SourceCall,
  SourceMethod,
  TransferFailure,
  UpdateChoices,
  UpdateResult,
} from '../transfer/file-messages.ts';

export interface ImportCalls extends Pick<TaskgraphClient, 'call' | 'close'> {
  /** Makes a call on sources of imports. */
  source(method: SourceMethod, args: readonly unknown[]): Promise<unknown>;
}

export type ImportAct = 'import' | 'undo' | 'compare' | 'update' | 'undo-update';

export type ImportState =
  | { readonly kind: 'reading' }
  | { readonly kind: 'broken'; readonly fault: FileFault; readonly reading: ReadOptions }
  | PreviewState
  | RunningState
  | {
      readonly kind: 'failed';
      readonly act: ImportAct;
      readonly preview: FilePreview;
      readonly failure: TransferFailure;
      /** Parts of the import that are stored, and all of them. */
      readonly stored: number;
      readonly parts: number;
    }
  | { readonly kind: 'imported'; readonly preview: FilePreview; readonly report: ImportResult }
  /** What an update would do, or has done. */
  | { readonly kind: 'compared' | 'updated'; readonly preview: FilePreview; readonly report: UpdateResult };

interface PreviewState {
  readonly kind: 'preview';
  readonly preview: FilePreview;
  /** How the table is read, if not as usual. */
  readonly reading: ReadOptions;
  /** The preview is of an earlier choice: the file is read again. */
  readonly isStale: boolean;
  /** An import of this file was undone just now. */
  readonly isUndone: boolean;
  /** An update from this file was undone just now. */
  readonly isUpdateUndone?: boolean;
}

interface RunningState {
  readonly kind: 'running';
  readonly act: ImportAct;
  readonly preview: FilePreview;
  readonly done: number;
  /** 0 until it is known. */
  readonly parts: number;
  readonly isStopping: boolean;
}

export interface ImportSession {
  readonly fileName: string;
  state(): ImportState;
  subscribe(changed: () => void): () => void;
  /** Reads the file again, as another format. */
  readAs(format: ImportFormat): void;
  /** Reads the table again, with these fields of columns and this order of dates. */
  readTable(reading: ReadOptions): void;
  /** Imports the file, below a task if one is given. */
  run(options: { readonly under: string | null }): void;
  /** Makes the parts that are missing, in the same place. */
  continue(): void;
  /** Imports the file once more in the same place, although it was imported before. */
  importCopy(): void;
  /** Compares the file with what an earlier import of it created. */
  compare(choices: UpdateChoices): void;
  /** Compares again, although the file has hardly any of the earlier tasks. */
  acceptMismatch(): void;
  /** Makes the changes of the last comparison. */
  update(): void;
  /** Undoes what it made so far. */
  undo(): void;
  /** Undoes the last update. */
  undoUpdate(): void;
  /** Stops after the part that is on its way. */
  stop(): void;
  /** Ends the worker. Parts that are stored stay, and can still be undone. */
  end(): void;
}

export interface ImportSessionOptions {
  readonly file: File;
  readonly startWorker: (listeners: {
    readonly received: (answer: FileAnswer) => void;
    readonly failed: (message: string) => void;
  }) => { send(request: FileRequest): void; stop(): void };
  readonly openCalls: () => Promise<ImportCalls>;
}

/** An import: where it goes, and its label if it is a copy. */
interface Target {
  readonly under: string | null;
  readonly again: string | null;
}

export function createImportSession({ file, startWorker, openCalls }: ImportSessionOptions): ImportSession {
  const listeners = new Set<() => void>();
  let state: ImportState = { kind: 'reading' };
  let target: Target = { under: null, again: null };
  let choices: UpdateChoices = { overwrite: false, remove: false };
  let reading: ReadOptions = {};
  /** The format that the reader chose. */
  let chosen: ImportFormat | null = null;
  /** Requests to read the file that have no answer yet. Only the last answer counts. */
  let reads = 0;
  /** Parts of that target that are stored, and all of them. */
  let [stored, parts] = [0, 0];
  let calls: ImportCalls | null = null;
  let worker: ReturnType<typeof startWorker> | null = null;
  /** What to do once the file is read again. */
  let next: (() => void) | null = null;

  function set(next: ImportState): void {
    state = next;
    for (const listener of [...listeners]) listener();
  }

  function received(answer: FileAnswer) {
    if ((answer.kind === 'preview' || answer.kind === 'broken') && --reads > 0) return;
    switch (answer.kind) {
      case 'preview':
        if (next === null)
          return set({ kind: 'preview', preview: answer.preview, reading, isStale: false, isUndone: false });
        next();
        next = null;
        return;
      case 'broken':
        next = null;
        return set({ kind: 'broken', fault: answer.fault, reading });
      case 'call':
        return void make(answer, (opened) => opened.call(answer.event, answer.payload, answer.options));
      case 'source-call':
        return void make(answer, (opened) => opened.source(answer.method, answer.args));
      case 'written':
        throw new Error('an import writes no file');
    }
    if (state.kind !== 'running') return;
    const { act, preview } = state;
    if (answer.kind !== 'progress') closeCalls();
    switch (answer.kind) {
      case 'progress':
        if (act === 'import') [stored, parts] = [Math.max(stored, answer.done), answer.parts];
        return set({ ...state, done: answer.done, parts: answer.parts });
      case 'imported':
        return set({ kind: 'imported', preview, report: answer.report });
      case 'updated':
        return set({ kind: answer.report.isDry ? 'compared' : 'updated', preview, report: answer.report });
      case 'undone':
        stored = 0;
        return set({
          kind: 'preview',
          preview,
          reading,
          isStale: false,
          isUndone: act === 'undo',
          isUpdateUndone: act === 'undo-update',
        });
      case 'failed':
        return set({ kind: 'failed', act, preview, failure: answer.failure, stored, parts });
    }
  }

  function send(request: FileRequest): void {
    worker ??= startWorker({ received, failed });
    worker.send(request);
  }

  function read(format: ImportFormat | null): void {
    reads++;
    send({ kind: 'read', file, format, reading });
  }

  /** The worker has ended with an error, which is a fault of the page. */
  function failed(message: string): void {
    end();
    set({ kind: 'broken', fault: { kind: 'unreadable', reason: message }, reading });
  }

  /** Calls that begin another part. Those that complete a part pass, so that it is stored with its rows. */
  function isNextPart(request: FileCall | SourceCall): boolean {
    if (request.kind === 'source-call') return request.method === 'begin';
    if (request.event === 'batch:undo') return state.kind === 'running' && /^undo/.test(state.act);
    return request.event === 'batch:run';
  }

  async function make(request: FileCall | SourceCall, work: (opened: ImportCalls) => Promise<unknown>): Promise<void> {
    const { call } = request;
    try {
      // What is stored stays whole: only the next part does not begin.
      if (state.kind === 'running' && state.isStopping && isNextPart(request)) throw stopped();
      const asking = worker;
      const opened = calls ?? (await openCalls());
      // The session may have ended meanwhile.
      if (worker !== asking) return opened.close();
      calls = opened;
      const answer = await work(calls);
      if (worker !== null) send({ kind: 'answer', call, answer });
    } catch (error) {
      if (!(error instanceof TaskgraphError)) throw error;
      const { code, message, details } = error;
      if (worker !== null) send({ kind: 'refusal', call, failure: { code, message, details } });
    }
  }

  /** Of another target nothing is stored. */
  function setTarget(next: Target): void {
    target = next;
    [stored, parts] = [0, 0];
  }

  function start(act: ImportAct) {
    if (state.kind === 'reading' || state.kind === 'broken' || state.kind === 'running') return;
    if (state.kind === 'preview' && state.isStale) return;
    const { preview } = state;
    set({ kind: 'running', act, preview, done: 0, parts, isStopping: false });
    const begin = () => send(requestOf(act));
    if (worker !== null) return begin();
    next = begin;
    read(preview.format);
  }

  function requestOf(act: ImportAct): FileRequest {
    switch (act) {
      case 'import':
      case 'undo':
        return { kind: act, ...target, known: stored };
      case 'compare':
      case 'update':
        return { kind: 'update', choices, dryRun: act === 'compare' };
      case 'undo-update':
        return { kind: act };
    }
  }

  function closeCalls(): void {
    calls?.close();
    calls = null;
  }

  function end(): void {
    closeCalls();
    worker?.stop();
    worker = null;
    next = null;
    reads = 0;
  }

  read(null);
  return {
    fileName: file.name,
    state: () => state,
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    readAs(format) {
      set({ kind: 'reading' });
      [stored, parts] = [0, 0];
      [chosen, reading] = [format, {}];
      read(format);
    },
    readTable(options) {
      // The page stays, so that the choice does not lose the focus.
      set(state.kind === 'preview' ? { ...state, reading: options, isStale: true } : { kind: 'reading' });
      [stored, parts] = [0, 0];
      reading = options;
      read(chosen);
    },
    run({ under }) {
      if (under !== target.under) setTarget({ ...target, under });
      start('import');
    },
    continue: () => start(state.kind === 'failed' ? state.act : 'import'),
    compare(chosen) {
      choices = chosen;
      start('compare');
    },
    acceptMismatch() {
      choices = { ...choices, acceptMismatch: true };
      start('compare');
    },
    update: () => start('update'),
    undoUpdate: () => start('undo-update'),
    importCopy() {
      setTarget({ ...target, again: new Date().toISOString() });
      start('import');
    },
    undo: () => start('undo'),
    stop() {
      if (state.kind === 'running') set({ ...state, isStopping: true });
    },
    end,
  };
}

function stopped(): TaskgraphError {
  return new TaskgraphError({ code: 'client.closed', message: 'It was stopped.', traceId: null });
}
