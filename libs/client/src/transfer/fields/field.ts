// The fields that a format may have. Each reader declares the fields it knows; a field that holds something and is not read is told,
// and so is a field that no reader knows, so that nothing vanishes when a program adds fields. Rule: IO9.
import type { Ledger } from '../model.ts';

export interface Field {
  /** Whether the reader takes its value. */
  readonly isRead: boolean;
  /** The loss where the field holds something; '' where there is none. */
  readonly told: string;
  /** Whether the value tells of something; else it does unless it is empty. */
  readonly holds?: (value: unknown) => boolean;
  /** The fields of the objects in it. */
  readonly within?: Fields;
  /** The field of those objects by which a place is named. */
  readonly name?: string;
}

export type Fields = Readonly<Record<string, Field>>;

export const READ: Field = { isRead: true, told: '' };
/** Follows from other fields, such as an id in the program's database, or an address made of ids. */
export const IMPLIED: Field = { isRead: false, told: '' };

/** A field that is not read. */
export function lost(told: string, holds?: Field['holds']): Field {
  return holds === undefined ? { isRead: false, told } : { isRead: false, told, holds };
}

/** A field that is read in part. */
export function partly(told: string): Field {
  return { isRead: true, told };
}

/** A field that is read, and whose objects have fields of their own. The losses in an object are told once for each of its names. */
export function nested(within: Fields, name: string): Field {
  return { isRead: true, told: '', within, name };
}

/** The same declaration for several fields. */
export function all(names: readonly string[], field: Field): Fields {
  return Object.fromEntries(names.map((name) => [name, field]));
}

/**
 * Tells of all fields of an object that hold something and are not read, each kind of loss once. A field that is not declared is told by its
 * name, after the word that the format has for fields.
 */
export function tellFields(object: unknown, fields: Fields, place: string, ledger: Ledger, word = 'the field'): void {
  const kinds = new Set<string>();
  for (const [name, value] of Object.entries(object as object)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.within !== undefined) tellWithin(value, field, ledger);
    const told = field?.told ?? `${word} ${JSON.stringify(name.slice(0, 60))}`;
    if (told === '' || kinds.has(told) || !(field?.holds ?? holdsSomething)(value)) continue;
    kinds.add(told);
    ledger.note(told, place);
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

/** Programs written in Go have this time for none. */
export const NO_TIME = '0001-01-01T00:00:00Z';

/** Whether the value, or a value in it, is more than empty, zero or false. */
export function holdsSomething(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value !== NO_TIME;
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsSomething);
  return value !== undefined && value !== null && value !== 0 && value !== false;
}
