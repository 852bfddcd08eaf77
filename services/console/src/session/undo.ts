// Undo and redo of batches, and the messages about changes that can be undone. Rule: CON10.
import { type Replica, TaskgraphError } from '@taskgraph/client';
import { taskOf } from '../graph/task.ts';
import { messages, refusalText, titleOf } from '../messages/messages.ts';
import { undo as undoTexts } from '../messages/texts/undo.ts';
import { note } from './notices.ts';
import { ownChangesOf } from './own-changes.ts';

/** Reports that a change is done, and offers to undo it. `batch` is null if nothing changed. */
export function noteChange(replica: Replica, text: string, batch: string | null): void {
  if (batch === null) {
    note('done', text);
    return;
  }
  ownChangesOf(replica).describe(batch, text);
  note('done', text, { label: messages.undo.undo, run: () => void undoBatch(replica, batch) });
}

/** Undoes the last change of this window. */
export async function undoLast(replica: Replica): Promise<void> {
  if (!(await areAnswered(replica))) return note('done', undoTexts.waiting);
  const own = ownChangesOf(replica);
  const change = own.takeLast();
  if (change === undefined) return note('done', messages.undo.nothing);
  if ((await undoBatch(replica, change.batch)) === 'later') own.putBack(change, 'done');
}

/** Redoes the change that was undone last in this window. */
export async function redoLast(replica: Replica): Promise<void> {
  if (!(await areAnswered(replica))) return note('done', undoTexts.waiting);
  const own = ownChangesOf(replica);
  const change = own.takeUndone();
  if (change === undefined) return note('done', messages.undo.nothingUndone);
  if ((await redoBatch(replica, change.batch)) === 'later') own.putBack(change, 'undone');
}

/**
 * Waits until the service has answered all commands: before that, the last change is not known.
 * Returns false if it cannot be reached.
 */
function areAnswered(replica: Replica): Promise<boolean> {
  return new Promise((resolve) => {
    let ends: (() => void)[] = [];
    const check = () => {
      const isAnswered = replica.waiting === 0;
      if (!isAnswered && replica.state !== 'offline' && replica.state !== 'signed-out') return;
      for (const end of ends) end();
      ends = [];
      resolve(isAnswered);
    };
    // The replica counts an answer after it has reported it.
    const later = () => queueMicrotask(check);
    ends = (['command:done', 'command:refused', 'state'] as const).map((kind) => replica.on(kind, later));
    check();
  });
}

/** `later`: the service could not be reached, or was too busy, so the same may work again. */
type RevertOutcome = 'done' | 'refused' | 'later';

const TEMPORARY = ['rate_limited', 'unavailable', 'client.timeout', 'client.disconnected', 'client.queue_full'];

function outcomeOf(error: unknown): RevertOutcome {
  return error instanceof TaskgraphError && TEMPORARY.includes(error.code) ? 'later' : 'refused';
}

/** A message reports a refusal. */
export async function undoBatch(replica: Replica, batch: string): Promise<RevertOutcome> {
  const { undo: texts } = messages;
  const text = ownChangesOf(replica).textOf(batch);
  try {
    await replica.send('batch:undo', { batchId: batch });
    note('done', texts.undone(text), { label: texts.redo, run: () => void redoBatch(replica, batch) });
    return 'done';
  } catch (error) {
    note('refused', texts.notUndone(text, revertRefusal(replica, error)));
    return outcomeOf(error);
  }
}

/** A message reports a refusal. */
export async function redoBatch(replica: Replica, batch: string): Promise<RevertOutcome> {
  const { undo: texts } = messages;
  const text = ownChangesOf(replica).textOf(batch);
  try {
    await replica.send('batch:redo', { batchId: batch });
    note('done', texts.redone(text), { label: texts.undo, run: () => void undoBatch(replica, batch) });
    return 'done';
  } catch (error) {
    note('refused', texts.notRedone(text, revertRefusal(replica, error)));
    return outcomeOf(error);
  }
}

/** A later change that prevents an undo (HIS2). `hidden` stands for those that the reader cannot see. */
interface Conflict {
  readonly hidden?: true;
  readonly entity?: string;
  readonly field?: string;
  readonly actor?: { readonly username: string };
}

/** Conflicts that a message names. */
const MOST_NAMED = 3;

function revertRefusal(replica: Replica, error: unknown): string {
  if (!(error instanceof TaskgraphError)) return refusalText(error);
  const { undo: texts } = messages;
  const { conflicts } = error.details as { readonly conflicts?: readonly Conflict[] };
  if (error.code === 'version_conflict' && conflicts !== undefined && conflicts.length > 0) {
    const named = conflicts.slice(0, MOST_NAMED).map((conflict) => conflictText(replica, conflict));
    const more = conflicts.length - named.length;
    return texts.changedSince(more > 0 ? [...named, messages.panel.more(more)] : named);
  }
  return texts.refusals[error.code] ?? refusalText(error);
}

function conflictText(replica: Replica, { hidden, entity = '', field = '', actor }: Conflict): string {
  const { undo: texts } = messages;
  if (hidden) return texts.hiddenConflict;
  const node = replica.snapshot().nodes.get(entity);
  const title = node === undefined ? undefined : titleOf(taskOf(node));
  return texts.conflict(texts.fields[field] ?? texts.otherField, title, actor?.username);
}
