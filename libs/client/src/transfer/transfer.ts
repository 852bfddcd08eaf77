// `@taskgraph/client/transfer`: files of tasks, into the graph and out of it. It stands apart from the root, which does not need its parsers. Rules: IO1 to IO4.
export { arranged } from './arrange.ts';
export { branchOf, type Content, type Exported, exported, readContent } from './content.ts';
export { jsonText, onOneLine } from './control-characters.ts';
export { describeUnknownFile, formatOf } from './format-detection.ts';
export {
  EXPORT_FORMATS,
  type ExportFormat,
  IMPORT_FORMATS,
  type ImportFormat,
  readFile,
  writeFile,
} from './formats.ts';
export {
  type Caller,
  ImportError,
  type ImportIdentity,
  type ImportOptions,
  importName,
} from './import-sender.ts';
export {
  BrokenFile,
  EMPTY_FIELDS,
  type LeftOut,
  TRANSFER_BOUNDS,
  type TransferFields,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
  type WriteOptions,
  type Written,
} from './model.ts';
export { type ImportReport, runImport } from './run-import.ts';
export { type TakenBack, takeBack } from './take-back.ts';
