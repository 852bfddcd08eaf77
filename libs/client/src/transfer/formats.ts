// The formats of import and export: a reader or writer for each name.
import { orderGraph } from './graph/graph-order.ts';
import { createLossReport, type LossReport } from './graph/loss-report.ts';
import {
  BrokenFile,
  type ExportFile,
  type ReadOptions,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type WriteOptions,
} from './graph/transfer-graph.ts';
import { partsOf } from './import/import-parts.ts';
import { readDot } from './readers/diagrams/dot.ts';
import { readMermaid } from './readers/diagrams/mermaid.ts';
import { readMarkdown } from './readers/notes/markdown.ts';
import { readOrg } from './readers/notes/org.ts';
import { readTodoTxt } from './readers/notes/todo-txt.ts';
import { readGanttproject } from './readers/plans/ganttproject.ts';
import { readGithubActions } from './readers/plans/github-actions.ts';
import { readIcalendar } from './readers/plans/icalendar.ts';
import { readMsproject } from './readers/plans/msproject.ts';
import { readPatterson } from './readers/plans/patterson.ts';
import { readPsplib } from './readers/plans/psplib.ts';
import { readTurbo } from './readers/plans/turbo.ts';
import { readCsv } from './readers/tables/csv.ts';
import { readTaskgraph } from './readers/taskgraph.ts';
import { readBeads } from './readers/trackers/beads.ts';
import { readGithub } from './readers/trackers/github.ts';
import { readTaskMaster } from './readers/trackers/task-master.ts';
import { readTaskwarrior } from './readers/trackers/taskwarrior.ts';
import { readTodoist } from './readers/trackers/todoist.ts';
import { type BackupFile, readTodoistBackup } from './readers/trackers/todoist-backup.ts';
import { readTrello } from './readers/trackers/trello.ts';
import { readVikunja } from './readers/trackers/vikunja.ts';
import { writeBeads } from './writers/beads.ts';
import { writeCsv } from './writers/csv.ts';
import { writeDot, writeMermaid } from './writers/drawings.ts';
import { writeGithub } from './writers/github.ts';
import { writeIcalendar } from './writers/icalendar.ts';
import { writeMarkdown } from './writers/markdown.ts';
import { writeMsproject } from './writers/msproject.ts';
import { writePsplib } from './writers/psplib.ts';
import { writeTaskMaster } from './writers/task-master.ts';
import { writeTaskgraph } from './writers/taskgraph.ts';
import { writeTaskwarrior } from './writers/taskwarrior.ts';
import { writeTodoist } from './writers/todoist.ts';
import { UNSUPPORTED_FIELDS, unsupportedIn } from './writers/unsupported-fields.ts';
import { writeVikunja } from './writers/vikunja.ts';

/** Throws a BrokenFile. */
type Reader = (text: string, options: ReadOptions) => TransferGraph;
/** Returns the text. Reports only the losses that UNSUPPORTED_FIELDS cannot declare. */
type Writer = (graph: TransferGraph, options: WriteOptions, losses: LossReport) => string;

const FORMATS = {
  taskgraph: { read: readTaskgraph, write: writeTaskgraph },
  psplib: { read: readPsplib, write: writePsplib },
  csv: { read: readCsv, write: writeCsv },
  todoist: { read: readTodoist, write: writeTodoist },
  vikunja: { read: readVikunja, write: writeVikunja },
  taskwarrior: { read: readTaskwarrior, write: writeTaskwarrior },
  github: { read: readGithub, write: writeGithub },
  icalendar: { read: readIcalendar, write: writeIcalendar },
  trello: { read: readTrello },
  msproject: { read: readMsproject, write: writeMsproject },
  ganttproject: { read: readGanttproject },
  'github-actions': { read: readGithubActions },
  turbo: { read: readTurbo },
  patterson: { read: readPatterson },
  mermaid: { read: readMermaid, write: writeMermaid },
  dot: { read: readDot, write: writeDot },
  'task-master': { read: readTaskMaster, write: writeTaskMaster },
  beads: { read: readBeads, write: writeBeads },
  markdown: { read: readMarkdown, write: writeMarkdown },
  'todo.txt': { read: readTodoTxt },
  org: { read: readOrg },
} as const satisfies Record<string, { readonly read?: Reader; readonly write?: Writer }>;

type FormatWith<Direction extends 'read' | 'write'> = {
  [Name in keyof typeof FORMATS]: (typeof FORMATS)[Name] extends Record<Direction, unknown> ? Name : never;
}[keyof typeof FORMATS];

export type ImportFormat = FormatWith<'read'>;
export type ExportFormat = FormatWith<'write'>;
export const IMPORT_FORMATS = formatsWith('read') as readonly ImportFormat[];
export const EXPORT_FORMATS = formatsWith('write') as readonly ExportFormat[];

function formatsWith(direction: 'read' | 'write'): string[] {
  return Object.entries(FORMATS).flatMap(([name, format]) => (direction in format ? [name] : []));
}

/** Whether the format is a table, which may have any encoding of spreadsheets. */
export function isTableFormat(format: ImportFormat): boolean {
  return format === 'csv' || format === 'todoist';
}

/** Reads a file and orders its graph for creation. Throws a BrokenFile. */
export function readFile(text: string, format: ImportFormat, options: ReadOptions = {}): TransferGraph {
  // A character has at least one byte.
  if (text.length > TRANSFER_BOUNDS.bytes)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.bytes} bytes`);
  return importableGraph((FORMATS[format].read as Reader)(text, options));
}

/** Reads the files of a backup of Todoist. They have the format `todoist`. Throws a BrokenFile. */
export function readBackup(files: readonly BackupFile[]): TransferGraph {
  return importableGraph(readTodoistBackup(files));
}

/** Throws a BrokenFile. */
function importableGraph(read: TransferGraph): TransferGraph {
  const graph = orderGraph(read);
  // Rejects a task that is too large for one call, before anything is created from this file or
  // others.
  partsOf(graph, { under: false });
  return read.columns === undefined ? graph : { ...graph, columns: read.columns };
}

export function writeFile(graph: TransferGraph, format: ExportFormat, options: WriteOptions): ExportFile {
  const losses = createLossReport();
  const text = FORMATS[format].write(graph, options, losses);
  const unsupported = unsupportedIn(graph, UNSUPPORTED_FIELDS[format]);
  return { text, leftOut: [...graph.leftOut, ...unsupported, ...losses.list()] };
}
