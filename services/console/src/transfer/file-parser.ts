// Parses a file to its tasks, and to the preview that the page shows. It creates no tasks.
import {
  BrokenFile,
  checkEncoding,
  type DecodedText,
  decodeText,
  describeUnknownFile,
  encodingLosses,
  formatOf,
  type ImportFormat,
  isTableFormat,
  type ReadOptions,
  readFile,
  type TableColumn,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLoss,
} from '@taskgraph/client/transfer';
import { errorText } from '../error-text.ts';
import { AVAILABLE, BLOCKED, COMPLETED } from '../graph/task.ts';
import type { FileFault, FilePreview, PreviewRow, ShownLoss } from './file-messages.ts';

/** A valid file, with everything that identifies its import. */
export interface ParsedFile {
  readonly bytes: Uint8Array;
  readonly format: ImportFormat;
  readonly reading: ReadOptions;
  readonly graph: TransferGraph;
}

/** Rows of a preview, and tasks and people that a row names. */
const MOST_ROWS = 10;
const MOST_NAMED = 3;
/** Places of a loss that travel to the page. A file can have a loss at each of its tasks. */
const MOST_PLACES = 5;

/** A fault instead of the tasks. It throws nothing else than bugs. */
export async function parseFile(
  file: File,
  chosen: ImportFormat | null,
  reading: ReadOptions,
): Promise<ParsedFile | FileFault> {
  if (file.size > TRANSFER_BOUNDS.bytes) return { kind: 'too-large' };
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    // The file was changed or removed after it was chosen.
    return { kind: 'unreadable', reason: errorText(error) };
  }
  if (isArchive(bytes)) return { kind: 'archive' };
  // As the command line decodes files, so that a file has the same import everywhere.
  const decoded = textOf(bytes);
  if (decoded === null) return { kind: 'not-text', reason: file.name };
  const { text } = decoded;
  if (text.trim() === '') return { kind: 'empty' };
  const format = chosen ?? formatOf(text, file.name);
  if (format === null) return { kind: 'unknown', seems: describeUnknownFile(text, file.name) };
  try {
    checkEncoding(bytes, decoded, isTableFormat(format));
    const graph = readFile(text, format, reading);
    return { bytes, format, reading, graph: { ...graph, leftOut: [...encodingLosses(decoded), ...graph.leftOut] } };
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    return { kind: 'broken', format, line: error.line, reason: error.reason };
  }
}

function textOf(bytes: Uint8Array): DecodedText | null {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (error instanceof BrokenFile) return null;
    throw error;
  }
}

/** Whether it is a zip archive, as Vikunja exports. */
function isArchive([first, second, third, fourth]: Uint8Array): boolean {
  return first === 0x50 && second === 0x4b && third === 3 && fourth === 4;
}

export function previewOf({ format, graph }: Pick<ParsedFile, 'format' | 'graph'>): FilePreview {
  const { nodes, links, leftOut, columns } = graph;
  return {
    format,
    tasks: nodes.length,
    links: links.length,
    columns: columns === undefined ? null : distinctColumns(columns),
    first: firstRows(graph),
    leftOut: shownLosses(leftOut),
  };
}

/** A choice of a field is by the name of the column, so columns of one name share it. */
function distinctColumns(columns: readonly TableColumn[]): TableColumn[] {
  const names = new Set<string>();
  return columns.filter(({ head }) => {
    const isNew = head === '' || !names.has(head);
    names.add(head);
    return isNew;
  });
}

export function shownLosses(losses: readonly TransferLoss[]): ShownLoss[] {
  return losses.map(({ what, count, places }) => ({ what, count, places: places.slice(0, MOST_PLACES) }));
}

/** The first tasks, as the service will show them. Blockers come before the tasks that they block. */
function firstRows({ nodes, links }: TransferGraph): PreviewRow[] {
  const first = nodes.slice(0, MOST_ROWS);
  const blockers = new Map(first.map(({ key }): [string, string[]] => [key, []]));
  for (const { source, target, type } of links) if (type === 0) blockers.get(target)?.push(source);
  const rows = new Map<string, PreviewRow>();
  for (const { key, title, status, independent, dueDate, priority, volume, assignee } of first) {
    const before = (blockers.get(key) ?? []).flatMap((each) => rows.get(each) ?? []);
    const isBlocked = !independent && before.some((each) => each.status !== COMPLETED);
    const waitsFor = before.slice(0, MOST_NAMED).map((each) => each.title);
    const own = status === BLOCKED ? AVAILABLE : status;
    rows.set(key, {
      title,
      status: isBlocked ? BLOCKED : own,
      dueDate,
      priority,
      volume,
      assignee: assignee.slice(0, MOST_NAMED),
      waitsFor,
      waits: before.length,
    });
  }
  return [...rows.values()];
}
