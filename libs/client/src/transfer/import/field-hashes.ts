// Short hashes of the values of a task. By them an update finds out whether the file or a person has
// changed a value since. Rule: IO12.
import { EMPTY_FIELDS, type TransferFields } from '../graph/transfer-graph.ts';
import { contentHash } from './content-hash.ts';

export type FieldName = keyof TransferFields;
/** The values of a task, in a file or in the graph. */
export type FieldValues = Readonly<Partial<Record<FieldName, unknown>>>;

const DIGITS = 10;
export const FIELD_NAMES = Object.keys(EMPTY_FIELDS) as FieldName[];

/** The value that counts: Blocked is no status of a file, because it follows from the links. */
function comparedValue(name: FieldName, values: FieldValues): unknown {
  const value = values[name] ?? EMPTY_FIELDS[name];
  return name === 'status' && value === 2 ? EMPTY_FIELDS.status : value;
}

function hashOf(name: FieldName, values: FieldValues): string {
  const text = JSON.stringify(comparedValue(name, values));
  return text === JSON.stringify(EMPTY_FIELDS[name]) ? '' : contentHash(text).slice(0, DIGITS);
}

/** The hashes of a task. Fields with the value of a new node are left out. */
export function baseOf(values: FieldValues): string {
  return textOf(new Map(FIELD_NAMES.map((name) => [name, hashOf(name, values)])));
}

/** The base with the hashes of some fields replaced by those of these values. */
export function rebased(base: string, names: Iterable<FieldName>, values: FieldValues): string {
  const hashes = parseBase(base);
  for (const name of names) hashes.set(name, hashOf(name, values));
  return textOf(hashes);
}

/** The fields whose values differ from those of the base. Hashes of unknown fields are ignored. */
export function changedSince(base: string, values: FieldValues): FieldName[] {
  const hashes = parseBase(base);
  return FIELD_NAMES.filter((name) => hashOf(name, values) !== (hashes.get(name) ?? ''));
}

export function isSameValue(name: FieldName, one: FieldValues, other: FieldValues): boolean {
  return JSON.stringify(comparedValue(name, one)) === JSON.stringify(comparedValue(name, other));
}

function parseBase(base: string): Map<FieldName, string> {
  return new Map(
    base.split(' ').flatMap((each): [FieldName, string][] => {
      const [name = '', hash = ''] = each.split(':');
      return Object.hasOwn(EMPTY_FIELDS, name) ? [[name as FieldName, hash]] : [];
    }),
  );
}

function textOf(hashes: ReadonlyMap<FieldName, string>): string {
  return FIELD_NAMES.flatMap((name) => {
    const hash = hashes.get(name) ?? '';
    return hash === '' ? [] : [`${name}:${hash}`];
  }).join(' ');
}
