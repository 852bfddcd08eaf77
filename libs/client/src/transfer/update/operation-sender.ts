// Sends the operations of an update in parts, and stores the rows of each part after it. An operation
// that the service refuses is left out, and the others of its part are sent again. Rules: IO12, GEN8, BAT3.
import { TaskgraphError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import { push } from '../graph/transfer-graph.ts';
import { contentHash } from '../import/content-hash.ts';
import { FIELD_NAMES } from '../import/field-hashes.ts';
import { type Operation, PART_BYTES, PART_OPERATIONS } from '../import/import-parts.ts';
import { ImportError, isCode, PART_TIMEOUT_MS, type PartAnswer, redoIfUndone } from '../import/part-sender.ts';
import type { RowChange, RowRecorder } from '../import/row-recorder.ts';
import { pairOf } from './source-state.ts';
import {
  completedRows,
  type LinkOperation,
  markRemoved,
  type OperationContext,
  operationCalls,
  type UpdateOperation,
} from './update-operations.ts';

interface SenderOptions extends OperationContext {
  readonly caller: Caller;
  readonly recorder: RowRecorder;
  /** The same for all runs of an interrupted update, and of no other one. */
  readonly keyPrefix: string;
  /** When this run began, by the clock of the service. Earlier answers are repeated ones. */
  readonly begunAt: string;
  /** Called for each operation that took effect. */
  readonly onDone: (operation: UpdateOperation) => void;
  /** Called for each operation that the service refused. */
  readonly onRefused: (operation: UpdateOperation, error: TaskgraphError) => void;
  /** Called for each link that the service changed (LNK3). */
  readonly onLoss: (what: string, place: string) => void;
  /** Called after each part. */
  readonly onBatch: (batchId: string) => void;
}

/** The calls of one operation. */
interface Entry {
  readonly operation: UpdateOperation;
  readonly calls: readonly Operation[];
}

export interface OperationSender {
  /** Throws a TaskgraphError if a part as a whole is refused, and an ImportError. */
  send(operations: readonly UpdateOperation[]): Promise<void>;
}

/**
 * Creates tasks in parts that an interrupted run forms again, and everything else in parts of any size,
 * because the graph shows what such a part has done.
 */
export function createOperationSender(options: SenderOptions): OperationSender {
  return {
    async send(operations) {
      const buckets = new Map<number, UpdateOperation[]>();
      for (const operation of operations) if (operation.type === 'create') push(buckets, operation.bucket, operation);
      for (const bucket of buckets.values()) await sendBucket(bucket, options);
      await sendParts(
        operations.filter(({ type }) => type !== 'create'),
        options,
      );
    },
  };
}

function entriesOf(operations: readonly UpdateOperation[], options: SenderOptions): Entry[] {
  return operations.flatMap((operation, index) => {
    const calls = operationCalls(operation, index, options);
    return calls === null ? [] : [{ operation, calls }];
  });
}

/** Refusals of one type with one code, without a success between them, after which all others of it are left out. */
const MOST_ALIKE = 20;
/** Refusals of tasks of a bucket after which all others are left out, with the last code. */
const MOST_REFUSALS = 3;

async function sendBucket(bucket: readonly UpdateOperation[], options: SenderOptions): Promise<void> {
  let open = bucket;
  for (let refusals = 0; open.length > 0; ) {
    const entries = entriesOf(open, options);
    const answer = await attempt(entries, options);
    if (!(answer instanceof TaskgraphError)) return store(entries, answer, options);
    const { entry, position } = refusedEntry(entries, answer);
    if (position > 0) {
      // The link to the parent: no other task gets one either, and all stay.
      options.onLoss(`that new tasks are below the node of the import (${answer.code})`, entry.operation.place);
      options.under = null;
    } else {
      refusals++;
      const refused = refusals > MOST_REFUSALS ? open : [entry.operation];
      for (const operation of refused) options.onRefused(operation, answer);
      open = open.filter((operation) => !refused.includes(operation));
    }
  }
}

/**
 * Sends operations in parts. The operations before a refused one follow alone, because the service accepts
 * them, and parts are smaller after a refusal: so each operation is sent a few times at most, however many
 * are refused.
 */
async function sendParts(operations: readonly UpdateOperation[], options: SenderOptions): Promise<void> {
  let [open, size] = [operations, PART_OPERATIONS];
  let alike: { readonly kind: string; count: number } = { kind: '', count: 0 };
  while (open.length > 0) {
    const part = open.slice(0, partLength(open.slice(0, size), options));
    const entries = entriesOf(part, options);
    const rest = open.slice(part.length);
    const { recorder, rows } = options;
    // After an interruption nothing else tells such a node from one that a person moved to the trash.
    await recorder.store(part.flatMap((each) => (each.type === 'trash' ? markRemoved(rows, each.task, true) : [])));
    const answer = entries.length === 0 ? null : await attempt(entries, options);
    if (!(answer instanceof TaskgraphError)) {
      if (answer !== null) await store(entries, answer, options);
      [open, size] = [rest, Math.min(PART_OPERATIONS, size * 2)];
      alike = { kind: '', count: 0 };
      continue;
    }
    const { entry } = refusedEntry(entries, answer);
    options.onRefused(entry.operation, answer);
    if (entry.operation.type === 'trash') await recorder.store(markRemoved(rows, entry.operation.task, false));
    const index = part.indexOf(entry.operation);
    open = [...part.slice(0, index), ...part.slice(index + 1), ...rest];
    size = index > 0 ? index : Math.max(1, Math.floor(size / 2));
    const kind = `${entry.operation.type} ${answer.code}`;
    alike = { kind, count: (alike.kind === kind ? alike.count : 0) + 1 };
    if (alike.count < MOST_ALIKE) continue;
    const left = open.filter(({ type }) => type === entry.operation.type);
    for (const operation of left) options.onRefused(operation, answer);
    await recorder.store(left.flatMap((each) => (each.type === 'trash' ? markRemoved(rows, each.task, false) : [])));
    open = open.filter((operation) => !left.includes(operation));
  }
}

/** How many of the operations fit into one call; at least one. */
function partLength(operations: readonly UpdateOperation[], options: SenderOptions): number {
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const [index, operation] of operations.entries()) {
    bytes += encoder.encode(JSON.stringify(operationCalls(operation, index, options) ?? [])).length;
    if (index > 0 && bytes > PART_BYTES) return index;
  }
  return operations.length;
}

/** The answer, or the refusal of one of the operations. */
async function attempt(
  entries: readonly Entry[],
  { caller, keyPrefix, begunAt }: SenderOptions,
): Promise<PartAnswer | TaskgraphError> {
  const operations = entries.flatMap(({ calls }) => calls);
  // Operations of other tasks are another part, even if their calls are alike.
  const content = contentHash(JSON.stringify([operations, entries.map(({ operation }) => operation.name)]));
  const callOptions = { idempotencyKey: `${keyPrefix}:${content}`, timeoutMs: PART_TIMEOUT_MS };
  try {
    const answer = await caller.call('batch:run', { operations }, callOptions);
    const { batchId, ts } = answer.diff;
    // An earlier run made it, and a person may have undone it since. Nodes that are deleted stay so.
    if (batchId !== null && ts < begunAt)
      await redoIfUndone(caller, batchId, 0).catch((error: unknown) => {
        if (!(error instanceof ImportError)) throw error;
      });
    return answer;
  } catch (error) {
    if (error instanceof TaskgraphError && typeof error.details.index === 'number' && !isAboutToken(error))
      return error;
    throw error;
  }
}

/** A token without a scope may make none of these calls. */
function isAboutToken({ code }: TaskgraphError): boolean {
  return code === 'forbidden.scope' || code === 'forbidden.read_only';
}

/** The entry that a refusal names, and the position of the refused call in it. */
function refusedEntry(entries: readonly Entry[], error: TaskgraphError): { entry: Entry; position: number } {
  let position = Number(error.details.index);
  for (const entry of entries) {
    if (position < entry.calls.length) return { entry, position };
    position -= entry.calls.length;
  }
  throw error;
}

async function store(
  entries: readonly Entry[],
  answer: PartAnswer,
  { caller, rows, view, recorder, onDone, onLoss, onRefused, onBatch }: SenderOptions,
): Promise<void> {
  const { diff, results } = answer;
  const changes: RowChange[] = [];
  let index = 0;
  for (const { operation, calls } of entries) {
    const created = results[index]?.id;
    index += calls.length;
    if (operation.type === 'create' && created === undefined) {
      onRefused(operation, missingError());
      continue;
    }
    changes.push(...completedRows(operation, rows, created));
    if (operation.type === 'create' && created !== undefined)
      view.nodes.set(created, { state: 'active', version: 1, values: operation.values });
    if (operation.type === 'unlink')
      for (const [pair, { id }] of view.links) if (id === operation.id) view.links.delete(pair);
    if (operation.type === 'link') reportCorrection(operation, answer, created, onLoss);
    onDone(operation);
  }
  applyDiff(answer, view);
  await recorder.store(changes, diff.batchId).catch((error: unknown) => endRun(error, diff.batchId, caller));
  if (diff.batchId !== null) onBatch(diff.batchId);
}

/** Ends a run that could not record a part. */
async function endRun(error: unknown, batchId: string | null, caller: Caller): Promise<never> {
  if (isCode(error, 'conflict.too_many_import_rows')) {
    if (batchId !== null) await caller.call('batch:undo', { batchId }, { timeoutMs: PART_TIMEOUT_MS });
    throw new ImportError(
      'import.too_many_rows',
      'No more tasks and links of imports can be recorded for you.',
      0,
      error,
    );
  }
  // The part of a run that another one replaced stays: the other one makes the same part, gets the same
  // batch, and records it.
  throw error;
}

/** A repeated answer does not name a node that its caller no longer sees (BAT6). */
function missingError(): TaskgraphError {
  return new TaskgraphError({ code: 'not_found', message: 'The new task is no longer visible to you.', traceId: null });
}

/** Reports a link that the service changed: its creator is not an editor of the target, or it is independent (LNK3). */
function reportCorrection(
  { row, place }: LinkOperation,
  { diff }: PartAnswer,
  id: string | undefined,
  onLoss: SenderOptions['onLoss'],
): void {
  const link = diff.links.find(({ after }) => after.id === id)?.after;
  if (link?.type !== undefined && link.type !== row.base % 2)
    onLoss('that a link blocks, where you may not add such links', place);
  if (link?.private === true && row.base < 2) onLoss('that others see a link, where you may not add such links', place);
}

/** The versions and values after a part, with all its consequences. */
function applyDiff({ diff }: PartAnswer, view: SenderOptions['view']): void {
  for (const { after } of diff.nodes) {
    const known = after.id === undefined ? undefined : view.nodes.get(after.id);
    if (after.id === undefined || known?.state !== 'active') continue;
    if ('inTrash' in after && after.inTrash === true) {
      view.nodes.set(after.id, { state: 'trash', title: String(known.values.title) });
      continue;
    }
    known.version = after.version ?? known.version;
    const changed = FIELD_NAMES.flatMap((name) => (name in after ? [[name, after[name as keyof typeof after]]] : []));
    known.values = { ...known.values, ...Object.fromEntries(changed) };
  }
  for (const { after } of diff.links) {
    const { id, source, target, type } = after;
    if (id === undefined || source === undefined || target === undefined || type === undefined) continue;
    if ('inTrash' in after && after.inTrash === true) view.links.delete(pairOf(source, target));
    else view.links.set(pairOf(source, target), { id, source, target, type, private: after.private === true });
  }
}
