// Declares the fields of a foreign format. The import report names each field that has a value and

// is not read, declared or not, so that a program's new fields are never lost in silence. Rule:
// IO9.
import type { LossReport } from '../graph/loss-report.ts';
import { excerpt } from '../graph/transfer-graph.ts';

export interface SourceField {
  /** Whether the reader uses its value. */
  readonly isRead: boolean;
  /** The text of the import report if the field has a value; '' if nothing is lost. */
  readonly loss: string;
  /** Whether a value counts as content. By default all values do that are not empty. */
  readonly holds?: (value: unknown) => boolean;
  /** The fields of the objects in it. */
  readonly within?: SourceFields;
  /** The field of these objects whose value names them in the report. */
  readonly name?: string;
}

export type SourceFields = Readonly<Record<string, SourceField>>;

export const READ: SourceField = { isRead: true, loss: '' };
/**
 * Follows from other fields, such as an id in the program's database, or an address made of ids.
 */
export const IMPLIED: SourceField = { isRead: false, loss: '' };

/** Losses that several formats have. */
export const CREATION_TIME = 'the creation time of a task';
export const START = 'the start of a task';
export const COMPLETION_TIME = 'the completion time of a task';
export const CHANGE_TIME = 'the change time of a task';
export const SCHEDULED_DATE = 'the scheduled date of a task';
export const RECURRENCE = 'the recurrence of a task';

/** A field that is not read. */
export function unread(loss: string, holds?: SourceField['holds']): SourceField {
  return holds === undefined ? { isRead: false, loss } : { isRead: false, loss, holds };
}

/** A field whose value is read only in part. */
export function readInPart(loss: string): SourceField {
  return { isRead: true, loss };
}

/**
 * A field of objects with fields of their own. The report lists each of their losses once for each
 * object name.
 */
export function nested(within: SourceFields, name: string): SourceField {
  return { isRead: true, loss: '', within, name };
}

/** The same declaration for several fields. */
export function all(names: readonly string[], field: SourceField): SourceFields {
  return Object.fromEntries(names.map((name) => [name, field]));
}

/**
 * Reports the fields of an object that have a value and are not read, each kind of loss once. An
 * undeclared field is reported by its name, after `word`, which is the format's term for a field.
 */
export function reportFields(
  object: unknown,
  fields: SourceFields,
  place: string,
  losses: LossReport,
  word = 'the field',
): void {
  const kinds = new Set<string>();
  for (const [name, value] of Object.entries(object as object)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.within !== undefined) reportNested(value, field, losses);
    const loss = field?.loss ?? `${word} ${excerpt(name)}`;
    if (loss === '' || kinds.has(loss) || !(field?.holds ?? hasContent)(value)) continue;
    kinds.add(loss);
    losses.note(loss, place);
  }
}

/**
 * Reports the fields of the objects in a field: the value itself, the items of a list, or GitHub's
 * `{nodes: [...]}`.
 */
function reportNested(value: unknown, { within = {}, name = '' }: SourceField, losses: LossReport): void {
  const once: LossReport = { ...losses, note: losses.noteOnce };
  for (const object of objectsIn(value)) {
    const { [name]: title } = object as Record<string, unknown>;
    reportFields(object, within, excerpt(String(title ?? '')), once);
  }
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === 'object' && entry !== null);
  const { nodes } = value as { nodes?: unknown };
  return Array.isArray(nodes) ? objectsIn(nodes) : [value];
}

/** The zero time of Go, which programs in Go write for no time. */
export const NO_TIME = '0001-01-01T00:00:00Z';

/** Whether the value, or any value inside it, is not empty, null, zero or false. */
export function hasContent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value !== NO_TIME;
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasContent);
  return value !== undefined && value !== null && value !== 0 && value !== false;
}
