// Handles the requests of the page on files of tasks: reads, imports, updates, undoes them, and writes, one
// at a time. The calls of an import go through the page. Rules: IO1, IO2, IO4, IO12.
import {
  type CallOptions,
  type Calls,
  type EventName,
  type ImportSourceCalls,
  TaskgraphError,
} from '@taskgraph/client';
import {
  type Caller,
  exportGraph,
  type GraphContent,
  ImportError,
  runImport,
  runUpdate,
  sourceNameOf,
  undoImport,
  undoUpdate,
  writeFile,
} from '@taskgraph/client/transfer';
import type { CallFailure, FileAnswer, FileRequest, SourceMethod } from './file-messages.ts';
import { type ParsedFile, parseFile, previewOf, shownLosses } from './file-parser.ts';

type Request<K extends FileRequest['kind']> = Extract<FileRequest, { kind: K }>;
type Operations = Calls['batch:run']['payload']['operations'];

/** Places of a kind of changes that travel to the page. */
const MOST_PLACES = 20;

export interface FileHandler {
  handle(request: FileRequest): Promise<void>;
}

export function createFileHandler(post: (answer: FileAnswer) => void): FileHandler {
  let parsed: ParsedFile | null = null;
  let fileName = '';
  const page = createCaller(post);

  async function read({ file, format, reading }: Request<'read'>) {
    parsed = null;
    const read = await parseFile(file, format, reading);
    if ('kind' in read) return post({ kind: 'broken', fault: read });
    parsed = read;
    fileName = file.name;
    post({ kind: 'preview', preview: previewOf(read) });
  }

  async function run({ kind, under, again, known }: Request<'import' | 'undo'>) {
    if (parsed === null) throw new Error('no file was read');
    const { graph, bytes, format, reading } = parsed;
    const onProgress = (done: number, parts: number) => post({ kind: 'progress', done, parts });
    // A copy has no rows: those of the source name the tasks of the first import.
    const source = again === null ? { name: sourceNameOf(format, fileName), calls: page.sources } : undefined;
    const target = { under: under ?? undefined, again: again ?? undefined };
    const options = { file: bytes, format, reading, known, source, onProgress, ...target };
    await reportFailure(async () => {
      if (kind === 'undo') {
        await undoImport(page.caller, graph, options);
        return post({ kind: 'undone' });
      }
      const { nodes, links, parts, there, leftOut } = await runImport(page.caller, graph, options);
      post({ kind: 'imported', report: { nodes, links, parts, there, leftOut: shownLosses(leftOut) } });
    });
  }

  async function update(request: Request<'update' | 'undo-update'>) {
    if (parsed === null) throw new Error('no file was read');
    const { graph, format, reading } = parsed;
    const onProgress = (done: number, parts: number) => post({ kind: 'progress', done, parts });
    const shared = { source: sourceNameOf(format, fileName), calls: page.sources, onProgress };
    await reportFailure(async () => {
      if (request.kind === 'undo-update') {
        await undoUpdate(page.caller, { ...shared, format });
        return post({ kind: 'undone' });
      }
      const { choices, dryRun } = request;
      const { entries, changes } = await runUpdate(page.caller, graph, {
        ...shared,
        format,
        reading,
        ...choices,
        dryRun,
      });
      const shown = entries.map((entry) => ({ ...entry, places: entry.places.slice(0, MOST_PLACES) }));
      post({ kind: 'updated', report: { entries: shown, changes, isDry: dryRun, choices } });
    });
  }

  async function reportFailure(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = failureOf(error);
      // Anything else is a fault of the page.
      if (failure === null) throw error;
      post({ kind: 'failed', failure: { ...failure, place: page.refusedPlace() } });
    }
  }

  function write({ content, format, now }: Request<'write'>): void {
    const graph = exportGraph(content as unknown as GraphContent);
    const { text, leftOut } = writeFile(graph, format, { now, ids: graph.ids });
    const { nodes, links } = graph;
    post({
      kind: 'written',
      file: { text, tasks: nodes.length, links: links.length, leftOut: shownLosses(leftOut) },
    });
  }

  return {
    async handle(request) {
      switch (request.kind) {
        case 'read':
          return read(request);
        case 'import':
        case 'undo':
          return run(request);
        case 'update':
        case 'undo-update':
          return update(request);
        case 'write':
          return write(request);
        case 'answer':
          return page.answer(request);
        case 'refusal':
          return page.refuse(request);
      }
    },
  };
}

interface PendingCall {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: TaskgraphError) => void;
  readonly operations: Operations | null;
}

/** Makes calls through the page. */
function createCaller(post: (answer: FileAnswer) => void) {
  const pending = new Map<number, PendingCall>();
  let lastCall = 0;
  let place: readonly string[] = [];
  const take = (call: number): PendingCall => {
    const found = pending.get(call);
    if (found === undefined) throw new Error(`there is no call ${call}`);
    pending.delete(call);
    return found;
  };
  const caller: Caller = {
    call<E extends EventName>(event: E, payload: Calls[E]['payload'], options: CallOptions = {}) {
      const call = ++lastCall;
      place = [];
      post({ kind: 'call', call, event, payload, options });
      const operations = event === 'batch:run' ? (payload as Calls['batch:run']['payload']).operations : null;
      return new Promise<Calls[E]['answer']>((resolve, reject) => {
        pending.set(call, { resolve: resolve as PendingCall['resolve'], reject, operations });
      });
    },
  };
  const sourceCall = (method: SourceMethod, args: readonly unknown[]) => {
    const call = ++lastCall;
    place = [];
    post({ kind: 'source-call', call, method, args });
    return new Promise<never>((resolve, reject) => pending.set(call, { resolve, reject, operations: null }));
  };
  const sources: ImportSourceCalls = {
    list: () => sourceCall('list', []),
    begin: (...args) => sourceCall('begin', args),
    store: (...args) => sourceCall('store', args),
    rows: (...args) => sourceCall('rows', args),
    revert: (...args) => sourceCall('revert', args),
    delete: (...args) => sourceCall('delete', args),
  };
  return {
    caller,
    sources,
    /** The titles of the tasks that the last refusal concerns. */
    refusedPlace: () => place,
    answer({ call, answer }: Request<'answer'>): void {
      take(call).resolve(answer as never);
    },
    refuse({ call, failure }: Request<'refusal'>): void {
      const { reject, operations } = take(call);
      const { code, message, details } = failure;
      place = operations === null ? [] : titlesOf(operations, Number(details.index));
      // Its message begins with the code.
      const own = message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
      reject(new TaskgraphError({ code: code as TaskgraphError['code'], message: own, details, traceId: null }));
    },
  };
}

/** The titles of the tasks of an operation, as far as the same batch makes them. */
function titlesOf(operations: Operations, index: number): string[] {
  const titleOf = (payload: unknown) => String((payload as { title?: string }).title ?? '');
  const refused = operations[index];
  if (refused === undefined) return [];
  if (refused.event === 'node:add') return [titleOf(refused.payload)];
  const { id, source, target } = refused.payload as Readonly<Record<string, string | undefined>>;
  return [id, source, target].flatMap((name) => {
    const made = operations.find(({ as }) => as !== undefined && name === `$${as}`);
    return made === undefined ? [] : [titleOf(made.payload)];
  });
}

function failureOf(error: unknown): CallFailure | null {
  if (error instanceof TaskgraphError) {
    const { code, message, details } = error;
    return { code, message: message.slice(code.length + 2), details };
  }
  if (error instanceof ImportError) {
    const { code, message, cause } = error;
    return { code, message, details: cause instanceof TaskgraphError ? cause.details : {} };
  }
  return null;
}
