// `@taskgraph/client/transfer`: imports and exports files of tasks. It is an entry point of its
// own, because other users of the package do not need its parsers. Rules: IO1 to IO4.
import { type ExportGraph, exportGraph, type GraphContent } from './graph/graph-content.ts';
import { orderGraph } from './graph/graph-order.ts';
import type { TransferLoss } from './graph/loss-report.ts';
import type { ExportFile } from './graph/transfer-graph.ts';
import { type ImportUndo, undoImport } from './import/import-undo.ts';

export { jsonText, onOneLine } from '@taskgraph/wire/control-characters';
export type { Caller } from './caller.ts';
export { describeUnknownFile, formatOf } from './format-detection.ts';
export {
  EXPORT_FORMATS,
  type ExportFormat,
  IMPORT_FORMATS,
  type ImportFormat,
  isTableFormat,
  readBackup,
  readFile,
  writeFile,
} from './formats.ts';
export { branchOf, type ExportGraph, exportGraph, type GraphContent, readContent } from './graph/graph-content.ts';
export { orderGraph } from './graph/graph-order.ts';
export type { TransferLoss } from './graph/loss-report.ts';
export {
  BrokenFile,
  EMPTY_FIELDS,
  type ExportFile,
  type ReadOptions,
  STATUS_NAMES,
  type TableColumn,
  TRANSFER_BOUNDS,
  type TransferFields,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
  type WriteOptions,
} from './graph/transfer-graph.ts';
export { type ImportReport, runImport } from './import/import-run.ts';
export { type ImportUndo, undoImport } from './import/import-undo.ts';
export { ImportError, type ImportIdentity, type ImportOptions, importName } from './import/part-sender.ts';
export { LONGEST_SOURCE_NAME, sourceNameOf } from './import/source-name.ts';
export { TABLE_FIELDS } from './readers/tables/columns.ts';
export type { BackupFile } from './readers/trackers/todoist-backup.ts';
export { checkEncoding, type DecodedText, decodeText, encodingLosses } from './text/decode-text.ts';
export { CHANGE_KINDS, type UpdateEntry, type UpdateKind } from './update/update-report.ts';
export { runUpdate, type UpdateOptions, type UpdateReport } from './update/update-run.ts';
export { undoUpdate } from './update/update-undo.ts';

/** @deprecated Use `orderGraph`. */
export const arranged = orderGraph;
/** @deprecated Use `exportGraph`. */
export const exported = exportGraph;
/** @deprecated Use `undoImport`. */
export const takeBack = undoImport;
/** @deprecated Use `GraphContent`. */
export type Content = GraphContent;
/** @deprecated Use `ExportGraph`. */
export type Exported = ExportGraph;
/** @deprecated Use `TransferLoss`. */
export type LeftOut = TransferLoss;
/** @deprecated Use `ExportFile`. */
export type Written = ExportFile;
/** @deprecated Use `ImportUndo`. */
export type TakenBack = ImportUndo;
