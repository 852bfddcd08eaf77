// The formats of import and export: a reader or writer for each name.
import { definedFields } from '@taskgraph/wire/defined-fields';
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

// The unions are written out, so that the declarations of the package have names instead of all readers.
export type ImportFormat =
  | 'taskgraph'
  | 'psplib'
  | 'csv'
  | 'todoist'
  | 'vikunja'
  | 'taskwarrior'
  | 'github'
  | 'icalendar'
  | 'trello'
  | 'msproject'
  | 'ganttproject'
  | 'github-actions'
  | 'turbo'
  | 'patterson'
  | 'mermaid'
  | 'dot'
  | 'task-master'
  | 'beads'
  | 'markdown'
  | 'todo.txt'
  | 'org';
export type ExportFormat =
  | 'taskgraph'
  | 'psplib'
  | 'csv'
  | 'todoist'
  | 'vikunja'
  | 'taskwarrior'
  | 'github'
  | 'icalendar'
  | 'msproject'
  | 'mermaid'
  | 'dot'
  | 'task-master'
  | 'beads'
  | 'markdown';

const READERS: Readonly<Record<ImportFormat, Reader>> = {
  taskgraph: readTaskgraph,
  psplib: readPsplib,
  csv: readCsv,
  todoist: readTodoist,
  vikunja: readVikunja,
  taskwarrior: readTaskwarrior,
  github: readGithub,
  icalendar: readIcalendar,
  trello: readTrello,
  msproject: readMsproject,
  ganttproject: readGanttproject,
  'github-actions': readGithubActions,
  turbo: readTurbo,
  patterson: readPatterson,
  mermaid: readMermaid,
  dot: readDot,
  'task-master': readTaskMaster,
  beads: readBeads,
  markdown: readMarkdown,
  'todo.txt': readTodoTxt,
  org: readOrg,
};

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
  taskgraph: writeTaskgraph,
  psplib: writePsplib,
  csv: writeCsv,
  todoist: writeTodoist,
  vikunja: writeVikunja,
  taskwarrior: writeTaskwarrior,
  github: writeGithub,
  icalendar: writeIcalendar,
  msproject: writeMsproject,
  mermaid: writeMermaid,
  dot: writeDot,
  'task-master': writeTaskMaster,
  beads: writeBeads,
  markdown: writeMarkdown,
};

export const IMPORT_FORMATS = Object.keys(READERS) as readonly ImportFormat[];
export const EXPORT_FORMATS = Object.keys(WRITERS) as readonly ExportFormat[];

/** Whether the format is a table, which may have any encoding of spreadsheets. */
export function isTableFormat(format: ImportFormat): boolean {
  return format === 'csv' || format === 'todoist';
}

/** Reads a file and orders its graph for creation. Throws a BrokenFile. */
export function readFile(text: string, format: ImportFormat, options: ReadOptions = {}): TransferGraph {
  // A character has at least one byte.
  if (text.length > TRANSFER_BOUNDS.bytes)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.bytes} bytes`);
  return importableGraph(READERS[format](text, options));
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
  return { ...graph, ...definedFields({ columns: read.columns, hints: read.hints }) };
}

export function writeFile(graph: TransferGraph, format: ExportFormat, options: WriteOptions): ExportFile {
  const losses = createLossReport();
  const text = WRITERS[format](graph, options, losses);
  const unsupported = unsupportedIn(graph, UNSUPPORTED_FIELDS[format]);
  return { text, leftOut: [...graph.leftOut, ...unsupported, ...losses.list()] };
}
