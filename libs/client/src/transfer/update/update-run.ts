// Updates what earlier imports of a source created, from a later file. Rules: IO12, IO1.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { TaskgraphError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import { createLossReport, type TransferLoss } from '../graph/loss-report.ts';
import type { ReadOptions, TransferGraph } from '../graph/transfer-graph.ts';
import { changedSince, isSameValue } from '../import/field-hashes.ts';
import { settingsOf } from '../import/import-recorder.ts';
import { ImportError, isCode } from '../import/part-sender.ts';
import { createRowRecorder, type RowChange, type RowRecorder, type UpdateCalls } from '../import/row-recorder.ts';
import { newRunId } from '../import/run-id.ts';
import { sourceIdsOf } from '../import/source-ids.ts';
import { createOperationSender } from './operation-sender.ts';
import { type GraphView, readGrants, readGraph, readRows, type SourceRows } from './source-state.ts';
import { activeAgain, type FieldOperation, rebaseRow, type UpdateOperation } from './update-operations.ts';
import {
  manyRemovals,
  mismatchOf,
  overwrittenFields,
  planUpdate,
  removableNodes,
  type UpdateChoices,
  type UpdateInput,
  type UpdatePlan,
} from './update-plan.ts';
import { createUpdateLog, type UpdateEntry, type UpdateLog } from './update-report.ts';
import { refuseSettings, settingsError } from './update-settings.ts';

export interface UpdateOptions extends UpdateChoices {
  /** The name of the source. */
  readonly source: string;
  /** The format that the file was read as. */
  readonly format: string;
  /** How it was read, if not as usual. */
  readonly reading?: ReadOptions | undefined;
  /** A hash of the path of the file, if its name alone makes the name of the source. */
  readonly origin?: string | undefined;
  /** The node below which new tasks are added; by default that of the earlier import, which it must be. */
  readonly under?: string | undefined;
  /** Whether the file may have hardly any of the earlier tasks. */
  readonly acceptMismatch?: boolean | undefined;
  /** Only reports. */
  readonly dryRun?: boolean | undefined;
  readonly calls: Omit<UpdateCalls, 'revert'>;
  /** Called after each part. */
  readonly onProgress?: ((done: number, operations: number) => void) | undefined;
}

export interface UpdateReport {
  /** All changes, and everything that stays although the file says something else. */
  readonly entries: readonly UpdateEntry[];
  /** Nodes and links that changed, or that a dry run would change. */
  readonly changes: number;
  readonly batches: readonly string[];
  readonly leftOut: readonly TransferLoss[];
}

/** A change that another one came before is planned again, this many times. */
const MAXIMUM_PASSES = 5;

/**
 * Updates the nodes of a source. An interrupted update is completed by running it again. Throws an
 * ImportError, and a TaskgraphError if the service refuses a part as a whole:
 * - `import.no_source` if there was no import of this source.
 * - `import.incomplete` if the import was interrupted, and `import.other_settings` if it had other settings.
 * - `import.other_file` if the file has hardly any of the earlier tasks.
 * - `import.many_removals` if it would move more than a fifth of the tasks to the trash, and at least five.
 * - `import.too_many_rows` if the user cannot store the new tasks and links.
 * - `import.replaced` if another run of the same source began.
 */
export async function runUpdate(caller: Caller, graph: TransferGraph, options: UpdateOptions): Promise<UpdateReport> {
  if (options.dryRun) return previewUpdate(caller, graph, options);
  return applyUpdate(caller, graph, options).catch((error: unknown) => {
    if (!isCode(error, 'conflict.import_replaced')) throw error;
    const message = 'Another import or update of the same source began meanwhile, so this one stopped.';
    throw new ImportError('import.replaced', message, 0, error);
  });
}

async function previewUpdate(caller: Caller, graph: TransferGraph, options: UpdateOptions): Promise<UpdateReport> {
  const source = (await options.calls.list()).find(({ name }) => name === options.source);
  if (source === undefined) throw noSourceError(options.source);
  if (source.state === 'importing') throw incompleteError();
  if (source.state === 'undoing') throw undoingError();
  refuseSettings(source, { ...settingsOf(options), ...definedFields({ under: options.under }) });
  const rows = await readRows(options.calls, source.id);
  const view = await readGraph(caller, rows);
  activeAgain(rows, view);
  const input = { ...inputOf(graph, options, rows), view, under: source.under };
  const refusal = mismatchError(input, options);
  if (refusal !== null) throw refusal;
  if (options.remove === true) await readGrants(caller, removableNodes(input), view);
  const plan = planUpdate(input);
  refuseManyRemovals(plan, input, options);
  const log = createUpdateLog();
  for (const operation of operationsOf(plan)) noteDone(log, operation, input);
  return reportOf(log, plan, { graph, batches: [], changes: operationsOf(plan).length });
}

interface UpdateState extends UpdateInput {
  readonly caller: Caller;
  readonly view: GraphView;
  readonly rows: SourceRows;
}

/** Throws an ImportError. */
async function beginUpdate(run: string, options: UpdateOptions) {
  const { under } = options;
  const start = { name: options.source, run, mode: 'update' as const, ...definedFields({ under }) };
  const begun = await options.calls.begin({ ...start, ...settingsOf(options) }).catch((error: unknown) => {
    if (isCode(error, 'not_found')) throw noSourceError(options.source);
    if (isCode(error, 'conflict.import_incomplete')) throw incompleteError(error);
    if (isCode(error, 'conflict.import_undo')) throw undoingError(error);
    if (isCode(error, 'conflict.import_settings'))
      throw settingsError((error as TaskgraphError).details.differs as readonly string[], error);
    throw error;
  });
  return begun;
}

/** Errors of calls that certainly changed nothing. */
const REFUSED = /^(bad_request|unauthorized|forbidden|not_found|version_conflict|conflict|rate_limited)/;

async function applyUpdate(caller: Caller, graph: TransferGraph, options: UpdateOptions): Promise<UpdateReport> {
  const run = newRunId();
  const begun = await beginUpdate(run, options);
  const recorder = createRowRecorder(options.calls, begun.source.id, run);
  let mayHaveChanged = false;
  const noting: Caller = {
    call(event, payload, callOptions) {
      const sent = caller.call(event, payload, callOptions);
      if (event !== 'batch:run') return sent;
      return sent.then(
        (answer) => {
          mayHaveChanged = true;
          return answer;
        },
        (error: unknown) => {
          mayHaveChanged ||= !(error instanceof TaskgraphError && REFUSED.test(error.code));
          throw error;
        },
      );
    },
  };
  const notingRecorder: RowRecorder = {
    store(changes, batch) {
      mayHaveChanged ||= changes.length > 0;
      return recorder.store(changes, batch);
    },
    complete: recorder.complete,
  };
  try {
    return await runPasses(noting, graph, { ...options, begun, recorder: notingRecorder });
  } catch (error) {
    // Otherwise the source would stay incomplete. An interrupted update stays so.
    if (!mayHaveChanged && !begun.interrupted) await recorder.complete().catch(() => undefined);
    throw error;
  }
}

interface PassOptions extends UpdateOptions {
  readonly begun: Awaited<ReturnType<typeof beginUpdate>>;
  readonly recorder: RowRecorder;
}

async function runPasses(caller: Caller, graph: TransferGraph, options: PassOptions): Promise<UpdateReport> {
  const { calls, begun, recorder } = options;
  const { source, free } = begun;
  // The start time by the clock of the worker that runs the parts.
  const { diff } = await caller.call('node:add', {}, { dryRun: true });
  const rows = await readRows(calls, source.id);
  const log = createUpdateLog();
  const losses = createLossReport();
  const batches: string[] = [];
  const refused = new Set<string>();
  const under = await activeNode(caller, source.under);
  let changes = 0;
  for (let pass = 1; ; pass++) {
    const view = await readGraph(caller, rows);
    await recorder.store(activeAgain(rows, view));
    const state: UpdateState = { ...inputOf(graph, options, rows), caller, view, under: source.under };
    if (pass === 1) {
      const refusal = mismatchError(state, options);
      if (refusal !== null) throw refusal;
    }
    if (options.remove === true) await readGrants(caller, removableNodes(state), view);
    const stale = new Set<UpdateOperation>();
    const done = new Set<UpdateOperation>();
    let total = 0;
    const sender = createOperationSender({
      caller,
      recorder,
      rows,
      view,
      begunAt: diff.ts,
      under,
      keyPrefix: `update:${source.id}:${source.group}`,
      onDone: (operation) => {
        done.add(operation);
        changes++;
      },
      onLoss: losses.note,
      onBatch: (batchId) => {
        batches.push(batchId);
        options.onProgress?.(Math.min(changes, total), total);
      },
      onRefused: (operation, error) => {
        if (error.code === 'version_conflict' && pass < MAXIMUM_PASSES) stale.add(operation);
        else {
          refused.add(operation.name);
          log.note('refused', `${operation.place} (${error.code})`);
        }
      },
    });
    const send = async (operations: readonly UpdateOperation[]) => {
      const open = operations.filter(({ name }) => !refused.has(name));
      // Afterwards the rows no longer show it.
      const noted = open.map((operation) => [operation, overwrittenOf(operation, state)] as const);
      await sender.send(open);
      for (const [operation, overwritten] of noted)
        if (done.has(operation)) noteDone(log, operation, state, overwritten);
    };
    const first = planUpdate(state);
    if (pass === 1) {
      refuseTooMany(first, free);
      refuseManyRemovals(first, state, options);
    }
    if (pass === 1 && first.creates.some(({ isTop }) => isTop) && source.under !== null && under === null)
      losses.note('that new tasks are below the node of the import, which is gone', source.name);
    total = changes + operationsOf(first).length;
    // What stays is compared again in the next pass.
    const kept = createUpdateLog();
    const plan = await sendPlan(first, { state, send, log: kept, recorder });
    if (stale.size > 0) continue;
    log.add(kept.list());
    await recorder.complete();
    return reportOf(log, plan, {
      graph: { ...graph, leftOut: [...graph.leftOut, ...losses.list()] },
      batches,
      changes,
    });
  }
}

interface SendContext {
  readonly state: UpdateState;
  readonly send: (operations: readonly UpdateOperation[]) => Promise<void>;
  readonly log: UpdateLog;
  readonly recorder: RowRecorder;
}

/** Sends the operations of a plan in their order. Returns the plan after the new tasks are there. */
async function sendPlan(first: UpdatePlan, context: SendContext): Promise<UpdatePlan> {
  const { state, send, log, recorder } = context;
  await send(first.restores);
  if (first.restores.length > 0) await readAgain(state);
  await send(first.creates);
  const plan = first.creates.length + first.restores.length > 0 ? planUpdate(state) : first;
  await storeAdopted(plan, state.rows, recorder);
  await send(plan.removals);
  // A new link from an open task would reopen a completed one for good, so tasks are completed before.
  const blocked = await sendStatuses(plan.statuses, { ...context, isLater: false });
  await send(plan.links);
  await send(plan.updates);
  const last = [...blocked, ...plan.lateStatuses];
  for (const { place } of await sendStatuses(last, { ...context, isLater: true })) log.note('blocked', place);
  await send(plan.lateLinks);
  return plan;
}

/** Links come back with nodes, so all of it is read. */
async function readAgain({ caller, rows, view }: UpdateState): Promise<void> {
  const { nodes, links, outside, shared } = await readGraph(caller, rows);
  for (const [id, node] of nodes) view.nodes.set(id, node);
  for (const [pair, link] of links) view.links.set(pair, link);
  view.outside.push(...outside.filter(({ id }) => !view.outside.some((each) => each.id === id)));
  for (const id of shared) view.shared.add(id);
}

interface StatusContext extends SendContext {
  /** Whether the tasks were Blocked or became independent in this update. */
  readonly isLater: boolean;
}

/** Completing a task may unblock others, whose statuses can be set then. Returns those of blocked tasks. */
async function sendStatuses(
  operations: readonly FieldOperation[],
  context: StatusContext,
): Promise<readonly FieldOperation[]> {
  const { state, send, log, recorder, isLater } = context;
  const valuesOf = ({ node }: FieldOperation) => {
    const view = state.view.nodes.get(node);
    return view?.state === 'active' ? view.values : null;
  };
  let open = operations.filter((each) => valuesOf(each) !== null);
  const blocked = new Set(open.filter((each) => valuesOf(each)?.status === 2));
  const wasBlocked = (each: FieldOperation) => blocked.has(each) || isLater;
  while (open.length > 0) {
    const ready = open.filter((each) => valuesOf(each)?.status !== 2);
    if (ready.length === 0) break;
    open = open.filter((each) => valuesOf(each)?.status === 2);
    const toSend: FieldOperation[] = [];
    for (const operation of ready) {
      const { file, task, fields } = operation;
      const values = valuesOf(operation) ?? {};
      const base = state.rows.tasks.get(task)?.base ?? '';
      // A task that is Completed in the row comes back as InProgress when nothing blocks it any more (BLK3).
      const isRestored =
        values.status === 1 && !changedSince(base, { status: 3 }).includes('status') && wasBlocked(operation);
      if (isSameValue('status', file, values)) await recorder.store(rebaseRow(state.rows, task, fields, file));
      else if (isRestored) toSend.push({ ...operation, isRestored });
      else if (state.overwrite === true || !changedSince(base, values).includes('status')) toSend.push(operation);
      else log.note('conflict', operation.place);
    }
    await send(toSend);
  }
  return open;
}

async function storeAdopted(plan: UpdatePlan, rows: SourceRows, recorder: RowRecorder): Promise<void> {
  const tasks = plan.adopted.flatMap(({ task, fields, file }) => rebaseRow(rows, task, fields, file));
  const moved = [...plan.moved].flatMap(([id, path]): RowChange[] => {
    const before = rows.tasks.get(id);
    if (before === undefined) return [];
    const row = { ...before, path };
    rows.tasks.set(id, row);
    return [{ kind: 'task', row }];
  });
  await recorder.store([...tasks, ...moved, ...plan.adoptedLinks]);
}

function inputOf(graph: TransferGraph, { format, remove, overwrite }: UpdateOptions, rows: SourceRows) {
  return { graph, ids: sourceIdsOf(graph, format, rows.tasks), rows, remove, overwrite };
}

function operationsOf(plan: UpdatePlan): UpdateOperation[] {
  const { creates, restores, links, lateLinks, removals, updates, statuses, lateStatuses } = plan;
  return [...restores, ...creates, ...removals, ...statuses, ...links, ...updates, ...lateStatuses, ...lateLinks];
}

function overwrittenOf(operation: UpdateOperation, input: UpdateInput): readonly string[] {
  return operation.type === 'update' ? overwrittenFields(operation, input) : [];
}

function noteDone(
  log: UpdateLog,
  operation: UpdateOperation,
  input: UpdateInput,
  overwritten = overwrittenOf(operation, input),
): void {
  log.note(operation.kind, operation.place);
  if (operation.type !== 'update') return;
  const title = operation.place.slice(0, operation.place.length - operation.fields.join(', ').length);
  for (const name of overwritten) log.note('overwritten', `${title}${name}`);
}

/** The node if it is active and visible; null otherwise. */
async function activeNode(caller: Caller, id: string | null): Promise<string | null> {
  if (id === null) return null;
  const { nodes } = await caller.call('node:get', { ids: [id] });
  return nodes.some((node) => node.id === id && node.inTrash !== true) ? id : null;
}

/** The refusal of a file that may be another one; null if it has enough of the earlier tasks. */
function mismatchError(input: UpdateInput, { acceptMismatch, source }: UpdateOptions): ImportError | null {
  const mismatch = acceptMismatch === true ? null : mismatchOf(input);
  if (mismatch === null) return null;
  const { found, of } = mismatch;
  const message = `The file has ${found} of the ${of} tasks of ${JSON.stringify(source)}: it may be another file, or a part of it. Nothing was changed.`;
  return new ImportError('import.other_file', message, 0);
}

/** Throws an ImportError. */
function refuseManyRemovals(plan: UpdatePlan, input: UpdateInput, { acceptMismatch }: UpdateOptions): void {
  const many = acceptMismatch === true ? null : manyRemovals(plan, input);
  if (many === null) return;
  const message = `The update would move ${many.removed} of ${many.of} tasks to the trash: the file may be a part of it. Nothing was changed.`;
  throw new ImportError('import.many_removals', message, 0);
}

/** Rows of batches, which count too. */
const OPERATIONS_OF_BATCH = 100;

function refuseTooMany({ creates, links }: UpdatePlan, free: number): void {
  const rows = creates.length + links.length;
  if (rows === 0 || rows + Math.ceil(rows / OPERATIONS_OF_BATCH) <= free) return;
  const message = `Only ${free} more tasks and links of imports can be recorded for you. Delete sources that you no longer update.`;
  throw new ImportError('import.too_many_rows', message, 0);
}

function incompleteError(cause?: unknown): ImportError {
  const message = 'The import of this source was interrupted, so it has to be completed before an update.';
  return new ImportError('import.incomplete', message, 0, cause);
}

function undoingError(cause?: unknown): ImportError {
  const message = 'The undo of the last update was interrupted: run the undo again first.';
  return new ImportError('import.incomplete', message, 0, cause);
}

function noSourceError(name: string): ImportError {
  return new ImportError('import.no_source', `There is no earlier import of ${JSON.stringify(name)}.`, 0);
}

interface ReportParts {
  readonly graph: TransferGraph;
  readonly batches: readonly string[];
  readonly changes: number;
}

function reportOf(log: UpdateLog, { notes }: UpdatePlan, { graph, batches, changes }: ReportParts): UpdateReport {
  log.add(notes.list());
  return { entries: log.list(), changes, batches, leftOut: graph.leftOut };
}
