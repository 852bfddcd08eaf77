// Sends the operations of an update in parts, and stores the rows of each part after it. An operation
// that the service refuses is left out, and the others of its part are sent again. Rules: IO12, GEN8, BAT3.
import { TaskgraphError } from '../../error.ts';
import type { Caller } from '../caller.ts';
import { contentHash } from '../import/content-hash.ts';
import { FIELD_NAMES } from '../import/field-hashes.ts';
import { type Operation, PART_BYTES, PART_OPERATIONS } from '../import/import-parts.ts';
import { ImportError, isCode, PART_TIMEOUT_MS, type PartAnswer } from '../import/part-sender.ts';
import type { RowChange, RowRecorder } from '../import/row-recorder.ts';
import { pairOf } from './stored-state.ts';
import {
  callsOf,
  type LinkOperation,
  type OperationContext,
  rowChangesOf,
  type UpdateOperation,
} from './update-operations.ts';

interface SenderOptions extends OperationContext {
  readonly caller: Caller;
  readonly recorder: RowRecorder;
  /** The same for all runs of an interrupted update, and of no other one. */
  readonly keyPrefix: string;
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

export function createOperationSender(options: SenderOptions): OperationSender {
  return {
    async send(operations) {
      let part: UpdateOperation[] = [];
      let [count, bytes] = [0, 0];
      for (const operation of operations) {
        const calls = callsOf(operation, part.length, options);
        if (calls === null) continue;
        const size = sizeOf(calls);
        if (part.length > 0 && (count + calls.length > PART_OPERATIONS || bytes + size > PART_BYTES)) {
          await sendPart(part, options);
          [part, count, bytes] = [[], 0, 0];
        }
        part.push(operation);
        count += calls.length;
        bytes += size;
      }
      if (part.length > 0) await sendPart(part, options);
    },
  };
}

function sizeOf(calls: readonly Operation[]): number {
  return new TextEncoder().encode(JSON.stringify(calls)).length;
}

/** Each attempt leaves out one call more than the one before, so this ends. */
async function sendPart(part: readonly UpdateOperation[], options: SenderOptions): Promise<void> {
  let entries: Entry[] = part.flatMap((operation, index) => {
    const calls = callsOf(operation, index, options);
    return calls === null ? [] : [{ operation, calls }];
  });
  while (entries.length > 0) {
    const answer = await attempt(entries, options);
    if (!(answer instanceof TaskgraphError)) return store(entries, answer, options);
    entries = withoutRefused(entries, answer, options);
  }
}

/** The answer, or the refusal of one of the operations. */
async function attempt(
  entries: readonly Entry[],
  { caller, keyPrefix }: SenderOptions,
): Promise<PartAnswer | TaskgraphError> {
  const operations = entries.flatMap(({ calls }) => calls);
  // Operations of other tasks are another part, even if their calls are alike.
  const content = contentHash(JSON.stringify([operations, entries.map(({ operation }) => operation.name)]));
  const callOptions = { idempotencyKey: `${keyPrefix}:${content}`, timeoutMs: PART_TIMEOUT_MS };
  try {
    return await caller.call('batch:run', { operations }, callOptions);
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

function withoutRefused(entries: readonly Entry[], error: TaskgraphError, { onRefused }: SenderOptions): Entry[] {
  let index = Number(error.details.index);
  return entries.flatMap((entry) => {
    const position = index;
    index -= entry.calls.length;
    if (position < 0 || position >= entry.calls.length) return [entry];
    onRefused(entry.operation, error);
    // Without its link a new task stays; without the task there is no link.
    return position === 0 ? [] : [{ ...entry, calls: entry.calls.slice(0, position) }];
  });
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
    changes.push(...rowChangesOf(operation, rows, created));
    if (operation.type === 'create' && created !== undefined)
      view.nodes.set(created, { state: 'active', version: 1, values: operation.values });
    if (operation.type === 'unlink')
      for (const [pair, { id }] of view.links) if (id === operation.id) view.links.delete(pair);
    if (operation.type === 'link') reportCorrection(operation, answer, created, onLoss);
    onDone(operation);
  }
  applyDiff(answer, view);
  try {
    await recorder.store(changes, diff.batchId);
  } catch (error) {
    if (!isCode(error, 'conflict.import_replaced')) throw error;
    // The other run does not know of this part, and would create its tasks again.
    if (diff.batchId !== null) await caller.call('batch:undo', { batchId: diff.batchId }).catch(() => undefined);
    const message = 'Another import or update of the same source began meanwhile, so this one stopped.';
    throw new ImportError('import.replaced', message, 0, error);
  }
  if (diff.batchId !== null) onBatch(diff.batchId);
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
