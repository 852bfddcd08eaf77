// Stores the rows of an import after each of its parts, in calls of bounded size. Rule: IO12.
import type { ImportLink, ImportTask } from '@taskgraph/wire/public-types';
import type { ImportRowChanges, ImportSourceCalls } from '../../account/imports.ts';

/** The rows of one call, and their bytes: a body may have 256 KiB. */
const MOST_ROWS = 500;
const MOST_BYTES = 200 * 1024;

/** The calls that imports make, and their undo. */
export type SourceCalls = Pick<ImportSourceCalls, 'begin' | 'store' | 'rows' | 'delete'>;
/** The calls that updates make, and their undo. */
export type UpdateCalls = Pick<ImportSourceCalls, 'list' | 'begin' | 'store' | 'rows' | 'revert'>;

/** The source of an import. */
export interface ImportSourceChoice {
  readonly calls: SourceCalls;
  /** The name of the source. */
  readonly name: string;
  /** A hash of the path of the file, if its name alone makes the name of the source. */
  readonly origin?: string | undefined;
}

/** Rows to store, in the order in which they change. */
export type RowChange =
  | { readonly kind: 'task'; readonly row: ImportTask }
  | { readonly kind: 'link'; readonly row: ImportLink }
  | { readonly kind: 'droppedTask'; readonly id: string }
  | { readonly kind: 'droppedLink'; readonly row: Pick<ImportLink, 'source' | 'target'> };

/** The type of a link of a file, and whether it is private, as one number. */
export function linkBase({ type, private: isPrivate }: { readonly type: number; readonly private?: boolean }): number {
  return (type === 0 ? 0 : 1) + (isPrivate === true ? 2 : 0);
}

export interface RowRecorder {
  /** Throws a TaskgraphError. */
  store(changes: readonly RowChange[], batch?: string | null): Promise<void>;
  /** Ends the run. */
  complete(): Promise<void>;
}

export function createRowRecorder(calls: Pick<SourceCalls, 'store'>, source: string, run: string): RowRecorder {
  return {
    async store(changes, batch) {
      const calledWith = callsOf(changes);
      if (calledWith.length === 0 && batch) calledWith.push({});
      for (const rows of calledWith) await calls.store(source, run, { ...rows, ...(batch ? { batch } : {}) });
    },
    complete: () => calls.store(source, run, { complete: true }),
  };
}

function callsOf(changes: readonly RowChange[]): ImportRowChanges[] {
  const encoder = new TextEncoder();
  const result: ImportRowChanges[] = [];
  let [current, bytes]: [RowChange[], number] = [[], 0];
  for (const change of changes) {
    const size = encoder.encode(JSON.stringify(change)).length;
    if (current.length === MOST_ROWS || bytes + size > MOST_BYTES) {
      result.push(callOf(current));
      [current, bytes] = [[], 0];
    }
    current.push(change);
    bytes += size;
  }
  return current.length === 0 ? result : [...result, callOf(current)];
}

function callOf(changes: readonly RowChange[]): ImportRowChanges {
  const tasks = changes.flatMap((each) => (each.kind === 'task' ? [each.row] : []));
  const links = changes.flatMap((each) => (each.kind === 'link' ? [each.row] : []));
  const droppedTasks = changes.flatMap((each) => (each.kind === 'droppedTask' ? [each.id] : []));
  const droppedLinks = changes.flatMap((each) => (each.kind === 'droppedLink' ? [each.row] : []));
  return {
    ...(tasks.length > 0 ? { tasks } : {}),
    ...(links.length > 0 ? { links } : {}),
    ...(droppedTasks.length > 0 ? { droppedTasks } : {}),
    ...(droppedLinks.length > 0 ? { droppedLinks } : {}),
  };
}
