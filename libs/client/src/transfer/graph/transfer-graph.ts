// The tasks and links of a file: the form that all readers produce and all writers take. Rules:
// IO2, IO3.
import { WRITABLE_FIELDS } from '../../node-fields.ts';
import type { TransferLoss } from './loss-report.ts';

/**
 * The types of field values. `status` 2 is Blocked, which on import follows from the links again.
 */
interface FieldValues {
  text: string;
  texts: readonly string[];
  status: 0 | 1 | 2 | 3;
  /** ISO 8601 in UTC with milliseconds; null for no time. */
  time: string | null;
  integer: number;
  number: number;
  flag: boolean;
}

/** The fields of a node that its editors may write. */
export type TransferFields = {
  readonly [Name in keyof typeof WRITABLE_FIELDS]: FieldValues[(typeof WRITABLE_FIELDS)[Name]['kind']];
};

export interface TransferNode extends TransferFields {
  /** Identifies the node within its file. */
  readonly key: string;
  /** The node's line in its file, from 1; null if there is no file. */
  readonly line: number | null;
  /**
   * When the node was completed, ISO 8601 in UTC, for formats that have such a time. Imports do not
   * set it, because the service does.
   */
  readonly completedTime?: string | null;
}

/** The source blocks the target if `type` is 0. Both ends are keys. */
export interface TransferLink {
  readonly source: string;
  readonly target: string;
  readonly type: 0 | 1;
  readonly private: boolean;
}

export interface TransferGraph {
  readonly nodes: readonly TransferNode[];
  readonly links: readonly TransferLink[];
  readonly leftOut: readonly TransferLoss[];
  /** The columns of a table, in their order. */
  readonly columns?: readonly TableColumn[];
  /** What updates need to know about nodes, by key (IO12). */
  readonly hints?: ReadonlyMap<string, NodeHints>;
}

/** How a later file finds a node, and which of its values the file states. */
export interface NodeHints {
  /** The id by which a later file finds the node; null if the key is its position; by default the key. */
  readonly sourceId?: string | null;
  /** Fields that the file does not state: it has no such column, or the cell cannot be read. */
  readonly unstated?: readonly (keyof TransferFields)[];
}

/** A column of a table, and the field that it becomes. */
export interface TableColumn {
  /** '' if the column has no name. */
  readonly head: string;
  /** The name of the field in `ReadOptions.columns`; null if the column is not read. */
  readonly field: string | null;
}

/** How to read tables. Other formats take no options. */
export interface ReadOptions {
  /** The field of a column by its head; `none` for a column that is not read. */
  readonly columns?: Readonly<Record<string, string>>;
  /** The order of day and month in dates such as 1/2/2026. By default the dates of the table decide. */
  readonly dates?: 'day-first' | 'month-first';
  /** Refuses a table with a cell that cannot be read, instead of reporting the cell. */
  readonly strict?: boolean;
}

/** Values that some formats need besides the graph. */
export interface WriteOptions {
  /** The time of the export, ISO 8601 in UTC. */
  readonly now: string;
  /** The ids of the nodes by key, for formats that identify tasks by UUIDs. */
  readonly ids: ReadonlyMap<string, string>;
}

/** The text of an export, and the parts of the graph that it lacks. */
export interface ExportFile {
  readonly text: string;
  readonly leftOut: readonly TransferLoss[];
}

/** The maxima of one file. */
export const TRANSFER_BOUNDS = { bytes: 64 * 1024 * 1024, nodes: 50_000, links: 200_000, depth: 64 } as const;

/** The fields of a new node. */
export const EMPTY_FIELDS = Object.fromEntries(
  Object.entries(WRITABLE_FIELDS).map(([name, { initial }]) => [name, initial]),
) as unknown as TransferFields;

export const STATUS_NAMES = ['Available', 'InProgress', 'Blocked', 'Completed'] as const;

/** A file that is rejected as a whole. Nothing was created. */
export class BrokenFile extends Error {
  /** From 1; null if the fault has no single line. */
  readonly line: number | null;
  readonly reason: string;

  constructor(line: number | null, reason: string) {
    super(line === null ? reason : `line ${line}: ${reason}`);
    this.name = 'BrokenFile';
    this.line = line;
    this.reason = reason;
  }
}

/** Adds a value to one of the lists of a map. */
export function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Characters of a text of a file in a report or message. */
const EXCERPT = 60;

/** A text of a file in quotes, for a report or message. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length > EXCERPT ? `${text.slice(0, EXCERPT - 1)}…` : text);
}

/** Names a node in a report or message. */
export function placeOf({ title, line }: Pick<TransferNode, 'title' | 'line'>): string {
  const name = title.length > EXCERPT ? `${title.slice(0, EXCERPT - 1)}…` : title;
  const words = name === '' ? 'a task without a title' : `"${name}"`;
  return line === null ? words : `${words} (line ${line})`;
}
