// Saves fields of tasks. A save never replaces a value that the reader has not seen: the service
// compares the version of the task, and this module the field. Rule: CON9.
import { type Calls, isProvisional, type Replica, TaskgraphError } from '@taskgraph/client';
import { type Task, taskOf } from '../graph/task.ts';
import { messages, refusalText, titleOf } from '../messages/messages.ts';
import { edit } from '../messages/texts/edit.ts';
import { note } from './notices.ts';
import { noteChange } from './undo.ts';

/** The fields that have one value. */
export type ValueField = 'title' | 'description' | 'volume' | 'dueDate' | 'priority';
/** The fields that are lists of texts. */
export type ListField = 'assignee' | 'tags';

/** `conflict`: the field has a value now that the reader has not seen. */
export type SaveOutcome = 'saved' | 'refused' | 'conflict';

type Fields = Omit<Calls['node:update']['payload'], 'id' | 'version'>;

/** Other fields may change while a save is on its way. More often than that, it is refused. */
const MOST_ATTEMPTS = 5;

interface ValueEdit<F extends ValueField> {
  readonly id: string;
  readonly field: F;
  /** The value that the reader saw when they began. */
  readonly seen: Task[F];
  readonly value: Task[F];
}

export async function saveValue<F extends ValueField>(replica: Replica, change: ValueEdit<F>): Promise<SaveOutcome> {
  const { id, field, seen, value } = change;
  const before = taskIn(replica, id);
  if (before === undefined) return refuseMissing();
  try {
    const diff = await update(replica, id, (task) => (task[field] === seen ? { [field]: value } : null));
    if (diff === null) return 'conflict';
    const title = field === 'title' ? String(seen) : titleOf(before);
    noteChange(
      replica,
      field === 'title' ? edit.renamed(title, String(value)) : edit.saved(edit.fields[field], title),
      diff.batchId,
    );
    return 'saved';
  } catch (error) {
    note('refused', edit.notSaved(edit.fields[field], titleOf(before), refusalText(error)));
    return 'refused';
  }
}

/** Like `saveValue`, for a value that is not on the screen any more: a message reports a conflict. */
export async function replaceValue<F extends ValueField>(replica: Replica, change: ValueEdit<F>): Promise<void> {
  if ((await saveValue(replica, change)) !== 'conflict') return;
  const task = taskIn(replica, change.id);
  const title = task === undefined ? String(change.seen) : titleOf(task);
  note('refused', edit.unsaved(edit.fields[change.field], title, String(change.value)));
}

/**
 * Adds an item to a list, or removes it. Items that others add or remove meanwhile stay so. Returns
 * whether it is saved; a message reports a refusal.
 */
export async function changeList(
  replica: Replica,
  id: string,
  field: ListField,
  { add, remove }: { readonly add?: string; readonly remove?: string },
): Promise<boolean> {
  const before = taskIn(replica, id);
  if (before === undefined) {
    refuseMissing();
    return false;
  }
  const title = titleOf(before);
  const item = add ?? remove ?? '';
  try {
    const diff = await update(replica, id, (task) => {
      const others = (task[field] ?? []).filter((each) => each !== item);
      return { [field]: add === undefined ? others : [...others, item] };
    });
    if (diff === null) {
      refuseMissing();
      return false;
    }
    const text = add === undefined ? edit.itemRemoved[field](item, title) : edit.itemAdded[field](item, title);
    noteChange(replica, text, diff.batchId);
    return true;
  } catch (error) {
    note('refused', edit.notSaved(edit.fields[field], title, refusalText(error)));
    return false;
  }
}

/**
 * Sends the fields that `change` makes of the present task. Returns null if it makes none, or if the
 * task is gone.
 */
async function update(replica: Replica, id: string, change: (task: Task) => Fields | null) {
  let task = taskIn(replica, id);
  for (let attempt = 1; ; attempt++) {
    const fields = task === undefined ? null : change(task);
    if (task === undefined || fields === null) return null;
    const guard = isProvisional(id) || task.version === undefined ? {} : { version: task.version };
    try {
      return (await replica.send('node:update', Object.assign({ id }, guard, fields))).diff;
    } catch (error) {
      const isStale = error instanceof TaskgraphError && error.code === 'version_conflict';
      if (!isStale || attempt === MOST_ATTEMPTS) throw error;
    }
    const [stored] = (await replica.call('node:get', { ids: [id] })).nodes;
    if (stored === undefined || !('description' in stored)) return null;
    task = stored;
  }
}

function taskIn(replica: Replica, id: string): (Task & { readonly version?: number }) | undefined {
  const node = replica.snapshot().nodes.get(id);
  return node === undefined ? undefined : taskOf(node);
}

function refuseMissing(): 'refused' {
  note('refused', messages.panel.missing);
  return 'refused';
}
