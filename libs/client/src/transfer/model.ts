// The tasks of a file on their way into or out of the graph: what all formats are read to and written from. Rules: IO2, IO3.
import { WRITABLE_FIELDS } from '../node-fields.ts';

/** The values of fields in files. `status` 2 says that a task was Blocked, which follows from the links again. */
interface Values {
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
  readonly [Name in keyof typeof WRITABLE_FIELDS]: Values[(typeof WRITABLE_FIELDS)[Name]['kind']];
};

export interface TransferNode extends TransferFields {
  /** Names it within its file. */
  readonly key: string;
  /** Where it stands in its file, from 1; null where it comes from no file. */
  readonly line: number | null;
}

/** The source blocks the target while `type` is 0. Both ends are keys. */
export interface TransferLink {
  readonly source: string;
  readonly target: string;
  readonly type: 0 | 1;
  readonly private: boolean;
}

/** Something that can't be carried over: a kind of thing, and every place where it stands. */
export interface LeftOut {
  readonly what: string;
  readonly count: number;
  readonly places: readonly string[];
}

export interface TransferGraph {
  readonly nodes: readonly TransferNode[];
  readonly links: readonly TransferLink[];
  readonly leftOut: readonly LeftOut[];
}

/** Some formats need more than the graph. */
export interface WriteOptions {
  /** The time of the export, ISO 8601 in UTC. */
  readonly now: string;
  /** The ids of the nodes by key, for formats that know tasks by such. */
  readonly ids: ReadonlyMap<string, string>;
}

/** A file as it is written, and what of the graph is not in it. */
export interface Written {
  readonly text: string;
  readonly leftOut: readonly LeftOut[];
}

/** Most of each that one file may hold. */
export const TRANSFER_BOUNDS = { bytes: 64 * 1024 * 1024, nodes: 50_000, links: 200_000, depth: 64 } as const;

/** The fields of a new node. */
export const EMPTY_FIELDS = Object.fromEntries(
  Object.entries(WRITABLE_FIELDS).map(([name, { initial }]) => [name, initial]),
) as unknown as TransferFields;

export const STATUS_NAMES = ['Available', 'InProgress', 'Blocked', 'Completed'] as const;

/** A file that can't be taken as it is. Nothing was made. */
export class BrokenFile extends Error {
  /** From 1; null where no one line is to blame. */
  readonly line: number | null;
  readonly reason: string;

  constructor(line: number | null, reason: string) {
    super(line === null ? reason : `line ${line}: ${reason}`);
    this.name = 'BrokenFile';
    this.line = line;
    this.reason = reason;
  }
}

/** Kinds of what is left out that are told apart: what a file names by itself, such as a column, is a kind of its own. */
const MOST_KINDS = 1_000;

/** Counts what is left out, by kind in the order in which kinds are first met. Past the bound the kind stands with the place. */
export function createLedger(): {
  note(what: string, place: string): void;
  /** Notes a loss that the file repeats, such as the colour of a label at each task, for its first time alone. */
  noteOnce(what: string, place: string): void;
  list(): LeftOut[];
} {
  const places = new Map<string, string[]>();
  const noted = new Set<string>();
  const note = (what: string, place: string) => {
    if (places.has(what) || places.size < MOST_KINDS) push(places, what, place);
    else push(places, 'of further kinds', `${what}: ${place}`);
  };
  return {
    note,
    noteOnce(what, place) {
      const entry = `${what}\n${place}`;
      if (noted.has(entry)) return;
      noted.add(entry);
      note(what, place);
    },
    list: () => [...places].map(([what, all]) => ({ what, count: all.length, places: all })),
  };
}

export type Ledger = ReturnType<typeof createLedger>;

/** Adds to one of the lists of a map. */
export function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const there = lists.get(key);
  if (there === undefined) lists.set(key, [value]);
  else there.push(value);
}

/** Adds to the links of a file, which is refused while they are still few enough for memory. */
export function addLink(links: TransferLink[], link: TransferLink): void {
  if (links.length === TRANSFER_BOUNDS.links)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.links} links`);
  links.push(link);
}

/** A node as people find it again. */
export function placeOf({ title, line }: Pick<TransferNode, 'title' | 'line'>): string {
  const name = title.length > 60 ? `${title.slice(0, 59)}…` : title;
  const words = name === '' ? 'a task without a title' : `"${name}"`;
  return line === null ? words : `${words} (line ${line})`;
}
