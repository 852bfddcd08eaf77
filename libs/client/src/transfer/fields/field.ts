// Declarations of a format's fields. The import report names each field that holds a value and is not read,
// and each field that its reader does not declare, so that nothing vanishes when a program adds fields. Rule: IO9.
import type { Ledger } from '../model.ts';

export interface Field {
  /** Whether the reader takes its value. */
  readonly isRead: boolean;
  /** The text of the import report where the field holds something; '' where nothing is lost. */
  readonly loss: string;
  /** Whether a value counts as content. By default every value does that is not empty. */
  readonly holds?: (value: unknown) => boolean;
  /** The fields of the objects in it. */
  readonly within?: Fields;
  /** The field whose value names such an object in the report. */
  readonly name?: string;
}

export type Fields = Readonly<Record<string, Field>>;

export const READ: Field = { isRead: true, loss: '' };
/** Follows from other fields, such as an id in the program's database, or an address made of ids. */
export const IMPLIED: Field = { isRead: false, loss: '' };

/** A field that is not read. */
export function lost(loss: string, holds?: Field['holds']): Field {
  return holds === undefined ? { isRead: false, loss } : { isRead: false, loss, holds };
}

/** A field that is read in part. */
export function partly(loss: string): Field {
  return { isRead: true, loss };
}

/** A field that is read and holds objects with fields of their own. Each loss in them is reported once per object name. */
export function nested(within: Fields, name: string): Field {
  return { isRead: true, loss: '', within, name };
}

/** The same declaration for several fields. */
export function all(names: readonly string[], field: Field): Fields {
  return Object.fromEntries(names.map((name) => [name, field]));
}

/**
 * Reports the fields of an object that hold something and are not read, each kind of loss once. An undeclared field is reported by its
 * name, after `word`: the format's own term for a field.
 */
export function tellFields(object: unknown, fields: Fields, place: string, ledger: Ledger, word = 'the field'): void {
  const kinds = new Set<string>();
  for (const [name, value] of Object.entries(object as object)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.within !== undefined) tellWithin(value, field, ledger);
    const loss = field?.loss ?? `${word} ${JSON.stringify(name.slice(0, 60))}`;
    if (loss === '' || kinds.has(loss) || !(field?.holds ?? holdsSomething)(value)) continue;
    kinds.add(loss);
    ledger.note(loss, place);
  }
}

/** The objects in a field: itself, those of its list, or those of GitHub's `{nodes: [...]}`. */
function tellWithin(value: unknown, { within = {}, name = '' }: Field, ledger: Ledger): void {
  const once: Ledger = { ...ledger, note: ledger.noteOnce };
  for (const object of objectsIn(value)) {
    const { [name]: named } = object as Record<string, unknown>;
    tellFields(object, within, JSON.stringify(String(named ?? '').slice(0, 60)), once);
  }
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.filter((entry) => typeof entry === 'object' && entry !== null);
  const { nodes } = value as { nodes?: unknown };
  return Array.isArray(nodes) ? objectsIn(nodes) : [value];
}

/** Programs written in Go write this time where they have none. */
export const NO_TIME = '0001-01-01T00:00:00Z';

/** Whether the value, or any value inside it, is not empty, null, zero or false. */
export function holdsSomething(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value !== NO_TIME;
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsSomething);
  return value !== undefined && value !== null && value !== 0 && value !== false;
}
