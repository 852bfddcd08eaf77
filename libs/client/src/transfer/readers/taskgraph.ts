// Reads our own JSON: the writable fields of nodes and links. Unknown fields are refused, because
// only our own exports have this format. Rules: IO2, IO3.
import { WRITABLE_FIELDS } from '../../node-fields.ts';
import { dueDateInFile } from '../../values/days.ts';
import {
  EMPTY_FIELDS,
  excerpt,
  STATUS_NAMES,
  TRANSFER_BOUNDS,
  type TransferFields,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../graph/transfer-graph.ts';
import { type JsonCursor, readJson } from '../text/json-cursor.ts';

/** The version of the form. The first field of a file has it, and identifies the format. */
export const FORM = 1;
const MAXIMUM_KEY_LENGTH = 200;
const NODE_NAMES: ReadonlySet<string> = new Set(['key', ...Object.keys(EMPTY_FIELDS)]);
const LINK_NAMES: ReadonlySet<string> = new Set(['source', 'target', 'type', 'private']);

/** Reads a file of ours. Throws a BrokenFile. */
export function readTaskgraph(text: string): TransferGraph {
  const file = readJson(text).object('the file');
  if (file.at('taskgraph').value !== FORM) file.refuse(`"taskgraph" must be ${FORM}`);
  refuseUnknownNames(file, new Set(['taskgraph', 'nodes', 'links']));
  const keys = new Set<string>();
  const nodes = file
    .at('nodes')
    .list('"nodes"', TRANSFER_BOUNDS.nodes)
    .map((cursor) => nodeAt(cursor, keys));
  const links = file
    .at('links')
    .list('"links"', TRANSFER_BOUNDS.links)
    .map((cursor) => linkAt(cursor, keys));
  return { nodes, links, leftOut: [] };
}

function refuseUnknownNames(cursor: JsonCursor, known: ReadonlySet<string>): void {
  const other = cursor.names().find((name) => !known.has(name));
  if (other !== undefined) cursor.refuse(`there is no field ${excerpt(other)}`);
}

function nodeAt(item: JsonCursor, keys: Set<string>): TransferNode {
  const cursor = item.object('a node');
  refuseUnknownNames(cursor, NODE_NAMES);
  const key = cursor.at('key').value;
  if (typeof key !== 'string' || key === '' || key.length > MAXIMUM_KEY_LENGTH) {
    return cursor.refuse(`"key" must be a text of 1 to ${MAXIMUM_KEY_LENGTH} characters`);
  }
  if (keys.has(key)) cursor.refuse(`two nodes have the key ${excerpt(key)}`);
  keys.add(key);
  const fields = Object.fromEntries(
    Object.entries(EMPTY_FIELDS).map(([name, empty]) => [name, fieldAt(cursor, name as keyof TransferFields, empty)]),
  ) as unknown as TransferFields;
  return { ...fields, key, line: cursor.line };
}

function fieldAt(cursor: JsonCursor, name: keyof TransferFields, empty: unknown): unknown {
  const { value } = cursor.at(name);
  if (value === undefined) return empty;
  const fault = FIELD_CHECKS[name](value);
  if (fault !== null) return cursor.refuse(`"${name}" ${fault}`);
  return WRITABLE_FIELDS[name].kind === 'time' && value !== null ? dueDateInFile(value as string) : value;
}

/** Returns what is wrong with a value, as the end of a sentence; null if it is valid. */
type FieldCheck = (value: unknown) => string | null;

function checkText(maximum: number): FieldCheck {
  return (value) => {
    if (typeof value !== 'string') return 'must be a text';
    if (value.length > maximum) return `has more than ${maximum} characters`;
    return value.isWellFormed() && !value.includes('\0') ? null : 'has characters that cannot be stored';
  };
}

function checkList(most: number, longest: number): FieldCheck {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length > most) return `has more than ${most} entries`;
    return value.map(checkText(longest)).find((fault) => fault !== null) ?? null;
  };
}

function checkInteger(most: number): FieldCheck {
  return (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most
      ? null
      : `must be a whole number from 0 to ${most}`;
}

function checkOf(field: (typeof WRITABLE_FIELDS)[keyof TransferFields]): FieldCheck {
  switch (field.kind) {
    case 'text':
      return checkText(field.most);
    case 'texts':
      return checkList(field.most, field.longest);
    case 'integer':
      return checkInteger(field.most);
    case 'status':
      return (value) => (Number.isInteger(value) && Number(value) in STATUS_NAMES ? null : 'must be 0, 1, 2 or 3');
    case 'time':
      return (value) =>
        value === null || (typeof value === 'string' && dueDateInFile(value) !== null)
          ? null
          : 'must be a time or null';
    case 'flag':
      return (value) => (typeof value === 'boolean' ? null : 'must be true or false');
    case 'number':
      return (value) => (typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number');
  }
}

const FIELD_CHECKS = Object.fromEntries(
  Object.entries(WRITABLE_FIELDS).map(([name, field]) => [name, checkOf(field)]),
) as unknown as Readonly<Record<keyof TransferFields, FieldCheck>>;

function linkAt(item: JsonCursor, keys: ReadonlySet<string>): TransferLink {
  const cursor = item.object('a link');
  refuseUnknownNames(cursor, LINK_NAMES);
  const end = (name: 'source' | 'target') => {
    const key = cursor.at(name).value;
    return typeof key === 'string' && keys.has(key)
      ? key
      : cursor.refuse(`"${name}" must be the key of a node of the file`);
  };
  const type = cursor.at('type').value ?? 0;
  if (type !== 0 && type !== 1) return cursor.refuse('"type" must be 0 or 1');
  const isPrivate = cursor.at('private').value ?? false;
  if (typeof isPrivate !== 'boolean') return cursor.refuse('"private" must be true or false');
  return { source: end('source'), target: end('target'), type, private: isPrivate };
}
