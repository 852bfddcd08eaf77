// The columns of the field tables of nodes and links, and the types and lists that follow from them.
import type { LinkType, Status } from './codes.ts';

/** The type of a field's value in a stored entity, by kind. */
interface StoredValues {
  id: string;
  text: string;
  texts: readonly string[];
  time: string;
  integer: number;
  /** May have a fraction. */
  number: number;
  flag: boolean;
  version: number;
  status: Status;
  linkType: LinkType;
  /** Only in computed fields. */
  ids: readonly string[];
  level: number;
}
/** The type of a field's value in an answer, by kind. */
type ShownValues = Omit<StoredValues, 'texts' | 'ids' | 'status' | 'linkType'> & {
  texts: string[];
  ids: string[];
  status: number;
  linkType: number;
};

/** The bounds of a writable field. A text or list without bounds cannot be written. */
export interface WriteBounds {
  /** UTF-16 units of a text, items of a list, or the highest integer. */
  readonly most?: number;
  /** UTF-16 units of an item. */
  readonly longest?: number;
  /** The description for payloads, if it differs from that for answers. */
  readonly about?: string;
}

export interface Field {
  /**
   * The kind decides the schema and the stored type: `integer`, `version`, `status` and `linkType`
   * are stored as integers.
   */
  readonly kind: keyof StoredValues;
  /** Whether the value may be null. The database then stores no property. */
  readonly orNull?: true;
  /** Whether a stored entity may lack the field. */
  readonly optional?: true;
  /** Whether the service computes it for each reader instead of storing it. */
  readonly computed?: true;
  /** The value in a new entity. Without it, the code that creates the entity gives the value. */
  readonly initial?: unknown;
  /**
   * The readers who see it. `everyone` includes anonymous readers. `publication` includes them only
   * for the published node. `service` fields never leave the service.
   */
  readonly readers: 'everyone' | 'users' | 'publication' | 'service';
  /** The description in answers and documents. */
  readonly about?: string;
  /** Set if clients may write it. Files of tasks contain these fields (IO2). */
  readonly write?: WriteBounds;
  /** Whether an undo compares and restores it (HIS2). */
  readonly undo?: true;
  /** Whether it is loaded only with a whole node, because it may be large (LNK2). */
  readonly content?: true;
  /** Whether pages of the graph show it (EVT3). Only for links: pages show all fields of nodes. */
  readonly pages?: true;
}

export type FieldTable = Readonly<Record<string, Field>>;

type OrNull<F extends Field, Value> = F extends { orNull: true } ? Value | null : Value;
type StoredValue<F extends Field> = OrNull<F, StoredValues[F['kind']]>;
export type ShownValue<F extends Field> = OrNull<F, ShownValues[F['kind']]>;

/** The names of the fields that have these columns. */
export type NamesWith<T extends FieldTable, Columns> = {
  [Name in keyof T & string]: T[Name] extends Columns ? Name : never;
}[keyof T & string];

type Computed = { computed: true };
type Optional = { optional: true };

/** An entity in its stored form, as decisions use it. */
export type StoredEntity<T extends FieldTable> = {
  readonly [Name in keyof T as T[Name] extends Computed | Optional ? never : Name]: StoredValue<T[Name]>;
} & { readonly [Name in keyof T as T[Name] extends Optional ? Name : never]?: StoredValue<T[Name]> };

/** The names of the fields that satisfy a condition, in the order of the table. */
export function namesWhere<T extends FieldTable>(
  table: T,
  holds: (field: Field, name: string) => boolean,
): (keyof T & string)[] {
  return Object.keys(table).filter((name) => holds(table[name] as Field, name));
}

export const isStored = ({ computed }: Field) => computed !== true;
export const isPublic = ({ readers }: Field) => readers !== 'service';

const INTEGER_KINDS: ReadonlySet<Field['kind']> = new Set(['integer', 'version', 'status', 'linkType']);
export const isStoredInteger = (field: Field) => isStored(field) && INTEGER_KINDS.has(field.kind);

/** The values of a new entity, in the order of the table. */
export function initialValues(table: FieldTable): Record<string, unknown> {
  const given = Object.entries(table).filter(([, field]) => isStored(field) && field.initial !== undefined);
  return Object.fromEntries(given.map(([name, { initial }]) => [name, initial]));
}
