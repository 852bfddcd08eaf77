// The columns of the field tables of nodes and links, and the types and lists that follow from them.
import type { LinkType, Status } from './codes.ts';

/** The type of a field's value in a stored entity, by kind. */
interface StoredValues {
  id: string;
  text: string;
  texts: readonly string[];
  time: string;
  integer: number;
  /** A number with a fraction. */
  number: number;
  flag: boolean;
  version: number;
  status: Status;
  linkType: LinkType;
  /** Of computed fields alone. */
  ids: readonly string[];
  level: number;
}
/** The same in an answer. */
type ShownValues = Omit<StoredValues, 'texts' | 'ids' | 'status' | 'linkType'> & {
  texts: string[];
  ids: string[];
  status: number;
  linkType: number;
};

/** The bounds of what clients may write. A text or list without them can't be written. */
export interface WriteBounds {
  /** UTF-16 units of a text, items of a list, or the highest integer. */
  readonly most?: number;
  /** UTF-16 units of an item. */
  readonly longest?: number;
  /** The description for payloads, if it differs from that for answers. */
  readonly about?: string;
}

export interface Field {
  /** It decides the schema and the stored type: `integer`, `version`, `status` and `linkType` are stored as integers. */
  readonly kind: keyof StoredValues;
  /** The database stores no null: the property is absent there. */
  readonly orNull?: true;
  /** Absent in a stored entity until something sets it. */
  readonly optional?: true;
  /** Made for each reader instead of stored. */
  readonly computed?: true;
  /** The value in a new entity. Without one its maker gives it. */
  readonly initial?: unknown;
  /**
   * The readers who are shown it. `everyone` includes anonymous readers; `publication` includes them for the published
   * node alone; `service` is bookkeeping that never leaves the service.
   */
  readonly readers: 'everyone' | 'users' | 'publication' | 'service';
  /** The description in answers and documents. */
  readonly about?: string;
  /** Clients may write it, and files of tasks hold it (IO2). */
  readonly write?: WriteBounds;
  /** An undo compares it and gives it back (HIS2). */
  readonly undo?: true;
  /** Loaded with a whole node alone, since it may be large (LNK2). */
  readonly content?: true;
  /** Pages of the graph show it (EVT3). They show nodes in full, so that it is for links alone. */
  readonly pages?: true;
}

export type FieldTable = Readonly<Record<string, Field>>;

type OrNull<F extends Field, Value> = F extends { orNull: true } ? Value | null : Value;
type StoredValue<F extends Field> = OrNull<F, StoredValues[F['kind']]>;
export type ShownValue<F extends Field> = OrNull<F, ShownValues[F['kind']]>;

/** The names of the fields that have some columns. */
export type NamesWith<T extends FieldTable, Columns> = {
  [Name in keyof T & string]: T[Name] extends Columns ? Name : never;
}[keyof T & string];

type Computed = { computed: true };
type Optional = { optional: true };

/** An entity as it is stored and as decisions have it. */
export type StoredEntity<T extends FieldTable> = {
  readonly [Name in keyof T as T[Name] extends Computed | Optional ? never : Name]: StoredValue<T[Name]>;
} & { readonly [Name in keyof T as T[Name] extends Optional ? Name : never]?: StoredValue<T[Name]> };

/** The names of the fields for which something holds, in the order of the table. */
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
