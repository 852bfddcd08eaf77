// What a waiting or refused command would do, in words. Pure: titles come from the graph and from the
// commands themselves.

import { messages } from '../messages/messages.ts';
import { tray as texts } from '../messages/texts/tray.ts';

export interface CommandLike {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The title of a task; undefined if the graph has none. */
export type TitleOf = (id: string) => string | undefined;

/** Operations of a batch that are named. */
const MOST_NAMED = 5;

export function commandText({ event, payload }: CommandLike, titleOf: TitleOf): string {
  const title = (id: unknown) => texts.task(titleOf(String(id)));
  switch (event) {
    case 'node:add':
      return texts.added(String(payload.title ?? ''));
    case 'node:update':
      return updateText(payload, title(payload.id));
    case 'node:trash':
      return texts.trashed(title(payload.id));
    case 'link:add':
      return texts.linked(title(payload.source), title(payload.target));
    case 'link:update':
    case 'link:swap':
      return texts.linkChanged;
    case 'link:trash':
      return texts.linkTrashed;
    case 'batch:undo':
      return texts.undone;
    case 'batch:redo':
      return texts.redone;
    case 'batch:run':
      return batchText(payload.operations, titleOf);
    case 'node:access':
    case 'node:publish':
    case 'node:unpublish':
      return texts.shared(title(payload.id));
    default:
      return texts.other;
  }
}

function batchText(operations: unknown, titleOf: TitleOf): string {
  const list = Array.isArray(operations) ? (operations as CommandLike[]) : [];
  const named = list.slice(0, MOST_NAMED).map((operation) => commandText(operation, titleOf));
  const more = list.length - named.length;
  return texts.several(more > 0 ? [...named, messages.panel.more(more)] : named);
}

function updateText(payload: CommandLike['payload'], title: string): string {
  const fields = fieldsOf(payload);
  const [first] = fields;
  if (first === undefined) return texts.other;
  const status = fields.length === 1 && first === 'status' ? messages.status[Number(payload.status)] : undefined;
  return status === undefined ? texts.changed(title, fields.map(fieldWord)) : texts.status(title, status);
}

function fieldsOf({ id: _id, version: _version, ...fields }: CommandLike['payload']): string[] {
  return Object.keys(fields);
}

function fieldWord(field: string): string {
  return messages.undo.fields[field] ?? messages.undo.otherField;
}

/** A field of an update: the reader's value, and the present one. */
export interface FieldText {
  readonly field: string;
  readonly mine: string;
  readonly present: string;
}

/** The fields that a command changes in a task that there is. */
export function changedFields(
  { event, payload }: CommandLike,
  task: Readonly<Record<string, unknown>> | undefined,
): FieldText[] {
  if (event !== 'node:update' || task === undefined) return [];
  return fieldsOf(payload).map((field) => ({
    field: fieldWord(field),
    mine: valueText(field, payload[field]),
    present: valueText(field, task[field]),
  }));
}

function valueText(field: string, value: unknown): string {
  if (field === 'status') return messages.status[Number(value)] ?? String(value);
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? texts.nothing : text;
}

/** The text that a reader gets who copies a change: their own words, if it has some. */
export function copyText(command: CommandLike, titleOf: TitleOf): string {
  const text = commandText(command, titleOf);
  const { event, payload } = command;
  const fields = event === 'node:update' || event === 'node:add' ? fieldsOf(payload) : [];
  const texts = fields
    .filter((field) => field === 'title' || field === 'description' || fields.length === 1)
    .map((field) => valueText(field, payload[field]));
  return texts.length === 0 ? text : texts.join('\n\n');
}
