// The messages between the page and the worker that reads and writes files of tasks. The worker has no
// network: the page makes its calls.
import type { CallOptions, Calls, Entity, EventName, ImportSourceCalls } from '@taskgraph/client';
import type {
  ExportFormat,
  ImportFormat,
  ImportReport,
  ReadOptions,
  TableColumn,
  TransferLoss,
  UpdateEntry,
} from '@taskgraph/client/transfer';

export type FileRequest =
  /** Reads a file. Without a format, its name and beginning decide. The options are for tables. */
  | {
      readonly kind: 'read';
      readonly file: File;
      readonly format: ImportFormat | null;
      readonly reading: ReadOptions;
    }
  /** Imports the file that was read, or undoes that. `known` parts of it are stored. */
  | {
      readonly kind: 'import' | 'undo';
      readonly under: string | null;
      readonly again: string | null;
      readonly known: number;
    }
  /** Updates what an earlier import of the file created; a dry run only compares. */
  | { readonly kind: 'update'; readonly choices: UpdateChoices; readonly dryRun: boolean }
  | { readonly kind: 'undo-update' }
  | { readonly kind: 'write'; readonly content: ExportContent; readonly format: ExportFormat; readonly now: string }
  | { readonly kind: 'answer'; readonly call: number; readonly answer: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly failure: CallFailure };

/**
 * Whether the file wins over a person, what happens to tasks that are gone from it, and whether it may have hardly
 * any of the earlier tasks.
 */
export interface UpdateChoices {
  readonly overwrite: boolean;
  readonly remove: boolean;
  readonly acceptMismatch?: boolean;
}

export interface ExportContent {
  readonly nodes: readonly Entity[];
  readonly links: readonly Entity[];
}

export type FileAnswer =
  | { readonly kind: 'preview'; readonly preview: FilePreview }
  | { readonly kind: 'broken'; readonly fault: FileFault }
  | FileCall
  | SourceCall
  | { readonly kind: 'progress'; readonly done: number; readonly parts: number }
  | { readonly kind: 'imported'; readonly report: ImportResult }
  | { readonly kind: 'updated'; readonly report: UpdateResult }
  | { readonly kind: 'undone' }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }
  | { readonly kind: 'written'; readonly file: WrittenFile };

/** A call that the page makes for the worker. */
export interface FileCall {
  readonly kind: 'call';
  readonly call: number;
  readonly event: EventName;
  readonly payload: Calls[EventName]['payload'];
  readonly options: CallOptions;
}

export type SourceMethod = keyof ImportSourceCalls;

/** A call on sources of imports that the page makes for the worker, over REST. */
export interface SourceCall {
  readonly kind: 'source-call';
  readonly call: number;
  readonly method: SourceMethod;
  readonly args: readonly unknown[];
}

/** A failure of a call. Errors lose their class and fields on their way between threads. */
export interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a file would make, before anything is made. */
export interface FilePreview {
  readonly format: ImportFormat;
  readonly tasks: number;
  readonly links: number;
  /** The columns of a table, each name once; null for other formats. */
  readonly columns: readonly TableColumn[] | null;
  readonly first: readonly PreviewRow[];
  readonly leftOut: readonly ShownLoss[];
}

export interface PreviewRow {
  readonly title: string;
  readonly status: number;
  readonly dueDate: string | null;
  readonly priority: number;
  readonly volume: number;
  readonly assignee: readonly string[];
  /** Titles of the first tasks that it waits for, and their number. */
  readonly waitsFor: readonly string[];
  readonly waits: number;
}

/** A loss with its first places. */
export type ShownLoss = TransferLoss;

/** Why a file cannot be imported. */
export type FileFault =
  | { readonly kind: 'too-large' | 'archive' | 'empty' }
  | { readonly kind: 'not-text' | 'unreadable'; readonly reason: string }
  /** No format is known; `seems` describes the file. */
  | { readonly kind: 'unknown'; readonly seems: string }
  /** The line is null if the fault has no single one. */
  | { readonly kind: 'broken'; readonly format: ImportFormat; readonly line: number | null; readonly reason: string };

export interface ImportResult extends Pick<ImportReport, 'nodes' | 'links' | 'parts' | 'there'> {
  readonly leftOut: readonly ShownLoss[];
}

/** The changes of an update, and everything that stays, with the first places of each kind. */
export interface UpdateResult {
  readonly entries: readonly UpdateEntry[];
  readonly changes: number;
  readonly isDry: boolean;
  readonly choices: UpdateChoices;
}

/** An import, or its undo, that ended early. The parts before it are stored. */
export interface TransferFailure extends CallFailure {
  /** The titles of the tasks of the operation that the service refused. */
  readonly place: readonly string[];
}

export interface WrittenFile {
  readonly text: string;
  readonly tasks: number;
  readonly links: number;
  readonly leftOut: readonly ShownLoss[];
}
