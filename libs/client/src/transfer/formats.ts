// The formats by their names.
import { arranged } from './arrange.ts';
import {
  BrokenFile,
  createLedger,
  placeOf,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type WriteOptions,
  type Written,
} from './model.ts';
import { partsOf } from './parts.ts';
import { readCsv } from './readers/csv.ts';
import { readGithub } from './readers/github.ts';
import { readPsplib } from './readers/psplib.ts';
import { readTaskgraph } from './readers/taskgraph.ts';
import { readTaskwarrior } from './readers/taskwarrior.ts';
import { readTodoist } from './readers/todoist.ts';
import { readVikunja } from './readers/vikunja.ts';
import { writeCsv } from './writers/csv.ts';
import { writeDot, writeMermaid } from './writers/drawings.ts';
import { writeGithub } from './writers/github.ts';
import { writeIcalendar } from './writers/icalendar.ts';
import { writePsplib } from './writers/psplib.ts';
import { writeTaskgraph } from './writers/taskgraph.ts';
import { writeTaskwarrior } from './writers/taskwarrior.ts';
import { writeTodoist } from './writers/todoist.ts';
import { writeVikunja } from './writers/vikunja.ts';

const READERS = {
  taskgraph: readTaskgraph,
  psplib: readPsplib,
  csv: readCsv,
  todoist: readTodoist,
  vikunja: readVikunja,
  taskwarrior: readTaskwarrior,
  github: readGithub,
} as const satisfies Record<string, (text: string) => TransferGraph>;

const WRITERS = {
  taskgraph: writeTaskgraph,
  psplib: writePsplib,
  csv: writeCsv,
  todoist: writeTodoist,
  vikunja: writeVikunja,
  taskwarrior: writeTaskwarrior,
  github: writeGithub,
  mermaid: writeMermaid,
  dot: writeDot,
  icalendar: writeIcalendar,
} as const satisfies Record<string, (graph: TransferGraph, options: WriteOptions) => Written>;

export type ImportFormat = keyof typeof READERS;
export type ExportFormat = keyof typeof WRITERS;
export const IMPORT_FORMATS = Object.keys(READERS) as readonly ImportFormat[];
export const EXPORT_FORMATS = Object.keys(WRITERS) as readonly ExportFormat[];

/** Reads a file, and puts it in the order in which it is made. Throws a BrokenFile; nothing was made then. */
export function readFile(text: string, format: ImportFormat): TransferGraph {
  // A character is a byte at least.
  if (text.length > TRANSFER_BOUNDS.bytes)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.bytes} bytes`);
  const graph = arranged(READERS[format](text));
  // A task that no call can hold is refused here, while nothing is made of this file or of others beside it.
  partsOf(graph, { under: false });
  return graph;
}

export function writeFile(graph: TransferGraph, format: ExportFormat, options: WriteOptions): Written {
  const { text, leftOut } = WRITERS[format](graph, options);
  return { text, leftOut: [...graph.leftOut, ...(format === 'taskgraph' ? [] : privateLinksOf(graph)), ...leftOut] };
}

/** Our own form alone has a place for that. */
function privateLinksOf({ nodes, links }: TransferGraph): Written['leftOut'] {
  const ledger = createLedger();
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  for (const { target, private: hidden } of links) {
    const node = byKey.get(target);
    if (hidden && node !== undefined) ledger.note('that a link is private', placeOf(node));
  }
  return ledger.list();
}
