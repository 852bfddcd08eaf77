// Updates what earlier imports of a source created, from a later file. Rules: IO12, IO1.

import type { ImportSourceCalls } from '../../account/imports.ts';
import type { Caller } from '../caller.ts';
import { createLossReport, type TransferLoss } from '../graph/loss-report.ts';
import type { TransferGraph } from '../graph/transfer-graph.ts';
import { changedSince, isSameValue } from '../import/field-hashes.ts';
import { ImportError, isCode } from '../import/part-sender.ts';
import { createRowRecorder, type RowRecorder } from '../import/row-recorder.ts';
import { newRunId } from '../import/run-id.ts';
import { sourceIdsOf } from '../import/source-ids.ts';
import { createOperationSender } from './operation-sender.ts';
import { type GraphView, readGraph, readRows, type StoredRows } from './stored-state.ts';
import { type FieldOperation, rebaseRow, type UpdateOperation } from './update-operations.ts';
import { overwrittenFields, planUpdate, type UpdateChoices, type UpdateInput, type UpdatePlan } from './update-plan.ts';
import { createUpdateLog, type UpdateEntry, type UpdateLog } from './update-report.ts';

export interface UpdateOptions extends UpdateChoices {
  /** The name of the source. */
  readonly source: string;
  /** The format that the file was read as. */
  readonly format: string;
  /** The node below which new tasks are added; by default that of the earlier import. */
  readonly under?: string | undefined;
  /** Only reports. */
  readonly dryRun?: boolean | undefined;
  readonly calls: ImportSourceCalls;
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
 * - `import.too_many_rows` if the user cannot store the new tasks and links.
 * - `import.replaced` if another run of the same source began.
 */
export async function runUpdate(caller: Caller, graph: TransferGraph, options: UpdateOptions): Promise<UpdateReport> {
  return options.dryRun ? previewUpdate(caller, graph, options) : applyUpdate(caller, graph, options);
}

async function previewUpdate(caller: Caller, graph: TransferGraph, options: UpdateOptions): Promise<UpdateReport> {
  const source = (await options.calls.list()).find(({ name }) => name === options.source);
  if (source === undefined) throw noSourceError(options.source);
  const rows = await readRows(options.calls, source.id);
  const view = await readGraph(caller, rows);
  const input = { ...inputOf(graph, options, rows), view };
  const plan = planUpdate(input);
  const log = createUpdateLog();
  for (const operation of operationsOf(plan)) noteDone(log, operation, input);
  return reportOf(log, plan, { graph, batches: [], changes: operationsOf(plan).length });
}

interface UpdateState extends UpdateInput {
  readonly caller: Caller;
  readonly view: GraphView;
  readonly rows: StoredRows;
}

async function applyUpdate(caller: Caller, graph: TransferGraph, options: UpdateOptions): Promise<UpdateReport> {
  const { calls, under } = options;
  const run = newRunId();
  const start = { name: options.source, run, mode: 'update' as const, ...(under === undefined ? {} : { under }) };
  const { source, free } = await calls.begin(start).catch((error: unknown) => {
    throw isCode(error, 'not_found') ? noSourceError(options.source) : error;
  });
  const rows = await readRows(calls, source.id);
  const recorder = createRowRecorder(calls, source.id, run);
  const log = createUpdateLog();
  const losses = createLossReport();
  const batches: string[] = [];
  const refused = new Set<string>();
  let changes = 0;
  for (let pass = 1; ; pass++) {
    const view = await readGraph(caller, rows);
    const state: UpdateState = { ...inputOf(graph, options, rows), caller, view };
    const stale = new Set<UpdateOperation>();
    const done = new Set<UpdateOperation>();
    let total = 0;
    const sender = createOperationSender({
      caller,
      recorder,
      rows,
      view,
      under: source.under,
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
    let plan = planUpdate(state);
    if (pass === 1) refuseTooMany(plan, free);
    total = changes + operationsOf(plan).length;
    if (plan.creates.length > 0) {
      await send(plan.creates);
      plan = planUpdate(state);
    }
    await storeAdopted(plan, rows, recorder);
    await send(plan.removals);
    // A new link from an open task would reopen a completed one for good, so tasks are completed before.
    const blocked = await sendStatuses(plan.statuses, { state, send, log, recorder });
    await send(plan.links);
    await send(plan.updates);
    for (const { place } of await sendStatuses(blocked, { state, send, log, recorder })) log.note('blocked', place);
    if (stale.size > 0) continue;
    await recorder.complete();
    return reportOf(log, plan, {
      graph: { ...graph, leftOut: [...graph.leftOut, ...losses.list()] },
      batches,
      changes,
    });
  }
}

interface StatusContext {
  readonly state: UpdateState;
  readonly send: (operations: readonly UpdateOperation[]) => Promise<void>;
  readonly log: UpdateLog;
  readonly recorder: RowRecorder;
}

/** Completing a task may unblock others, whose statuses can be set then. Returns those of blocked tasks. */
async function sendStatuses(
  operations: readonly FieldOperation[],
  context: StatusContext,
): Promise<readonly FieldOperation[]> {
  const { state, send, log, recorder } = context;
  const valuesOf = ({ node }: FieldOperation) => {
    const view = state.view.nodes.get(node);
    return view?.state === 'active' ? view.values : null;
  };
  let open = operations.filter((each) => valuesOf(each) !== null);
  while (open.length > 0) {
    const ready = open.filter((each) => valuesOf(each)?.status !== 2);
    if (ready.length === 0) break;
    open = open.filter((each) => valuesOf(each)?.status === 2);
    const toSend: FieldOperation[] = [];
    for (const operation of ready) {
      const { file, task, fields } = operation;
      const values = valuesOf(operation) ?? {};
      const base = state.rows.tasks.get(task)?.base ?? '';
      if (isSameValue('status', file, values)) await recorder.store(rebaseRow(state.rows, task, fields, file));
      else if (state.overwrite === true || !changedSince(base, values).includes('status')) toSend.push(operation);
      else log.note('conflict', operation.place);
    }
    await send(toSend);
  }
  return open;
}

async function storeAdopted(plan: UpdatePlan, rows: StoredRows, recorder: RowRecorder): Promise<void> {
  const tasks = plan.adopted.flatMap(({ task, fields, file }) => rebaseRow(rows, task, fields, file));
  await recorder.store([...tasks, ...plan.adoptedLinks]);
}

function inputOf(graph: TransferGraph, { format, remove, overwrite }: UpdateOptions, rows: StoredRows) {
  return { graph, ids: sourceIdsOf(graph, format, rows.tasks), rows, remove, overwrite };
}

function operationsOf({ creates, links, removals, updates, statuses }: UpdatePlan): UpdateOperation[] {
  return [...creates, ...removals, ...statuses, ...links, ...updates];
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

function refuseTooMany({ creates, links }: UpdatePlan, free: number): void {
  if (creates.length + links.length <= free) return;
  const message = `Only ${free} more tasks and links of imports can be recorded for you. Delete sources that you no longer update.`;
  throw new ImportError('import.too_many_rows', message, 0);
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
  for (const { kind, places } of notes.list()) for (const place of places) log.note(kind, place);
  return { entries: log.list(), changes, batches, leftOut: graph.leftOut };
}
