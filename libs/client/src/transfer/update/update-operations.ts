// The operations of an update: their calls, the rows that they change, and their lines in the report.
// Rule: IO12.
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { ImportLink, ImportTask } from '@taskgraph/wire/public-types';
import type { TransferNode } from '../graph/transfer-graph.ts';
import type { FieldName, FieldValues } from '../import/field-hashes.ts';
import { rebased } from '../import/field-hashes.ts';
import type { Operation } from '../import/import-parts.ts';
import type { RowChange } from '../import/row-recorder.ts';
import { type GraphView, pairOf, type SourceRows } from './source-state.ts';
import type { UpdateKind } from './update-report.ts';

interface Described {
  /** Identifies the operation among all of an update. */
  readonly name: string;
  readonly kind: UpdateKind;
  readonly place: string;
}

export interface CreateOperation extends Described {
  readonly type: 'create';
  /** The id of the task in its source. */
  readonly task: string;
  readonly values: FieldValues;
  readonly base: string;
  /** A hash of the titles above it, if its title is its id. */
  readonly path: string | undefined;
  /** Whether it is linked to the node below which the file is imported. */
  readonly isTop: boolean;
  /** Tasks with one number are created by one call. */
  readonly bucket: number;
}

export interface LinkOperation extends Described {
  readonly type: 'link';
  readonly row: ImportLink;
}

export interface RelinkOperation extends Described {
  readonly type: 'relink';
  readonly id: string;
  readonly row: ImportLink;
}

export interface FieldOperation extends Described {
  readonly type: 'update';
  readonly task: string;
  readonly node: string;
  readonly fields: readonly FieldName[];
  readonly file: TransferNode;
  /** Whether the service, not a person, has set the present status: that of a task after it was Blocked. */
  readonly isRestored?: boolean;
}

export interface TrashOperation extends Described {
  readonly type: 'trash';
  readonly task: string;
  readonly node: string;
}

export interface RestoreOperation extends Described {
  readonly type: 'restore';
  readonly task: string;
  readonly node: string;
}

export interface UnlinkOperation extends Described {
  readonly type: 'unlink';
  readonly id: string;
  readonly row: ImportLink;
}

export type UpdateOperation =
  | CreateOperation
  | LinkOperation
  | RelinkOperation
  | FieldOperation
  | TrashOperation
  | RestoreOperation
  | UnlinkOperation;

export interface OperationContext {
  readonly rows: SourceRows;
  readonly view: GraphView;
  /** The node below which new tasks are added; null for none. */
  under: string | null;
}

const NAME = 'new';

/**
 * The calls of an operation, the first one of which decides. A change of a node has the version that
 * was read, so that it never overwrites a later one. Null if a node is not there.
 */
export function operationCalls(
  operation: UpdateOperation,
  index: number,
  context: OperationContext,
): Operation[] | null {
  const { rows, view, under } = context;
  const nodeOf = (task: string) => rows.tasks.get(task)?.node;
  const versionOf = (id: string) => {
    const node = view.nodes.get(id);
    return node?.state === 'active' ? { version: node.version } : {};
  };
  switch (operation.type) {
    case 'create': {
      const as = `${NAME}${index}`;
      const add = { event: 'node:add', payload: operation.values, as } as Operation;
      if (!operation.isTop || under === null) return [add];
      return [add, { event: 'link:add', payload: { source: `$${as}`, target: under, type: 0 } } as Operation];
    }
    case 'link': {
      const [source, target] = [nodeOf(operation.row.source), nodeOf(operation.row.target)];
      if (source === undefined || target === undefined) return null;
      return [{ event: 'link:add', payload: { source, target, ...linkFields(operation.row) } } as Operation];
    }
    case 'relink':
      return [{ event: 'link:update', payload: { id: operation.id, ...linkFields(operation.row) } } as Operation];
    case 'update': {
      const { node: id, file, fields } = operation;
      const values = Object.fromEntries(fields.map((name) => [name, file[name]]));
      return [{ event: 'node:update', payload: { id, ...versionOf(id), ...values } } as Operation];
    }
    case 'trash':
      return [{ event: 'node:trash', payload: { id: operation.node, ...versionOf(operation.node) } } as Operation];
    case 'restore':
      return [{ event: 'node:restore', payload: { id: operation.node } } as Operation];
    case 'unlink':
      return [{ event: 'link:trash', payload: { id: operation.id } } as Operation];
  }
}

function linkFields({ base }: ImportLink): object {
  return { type: base % 2, private: base >= 2 };
}

/** The rows that a completed operation changes. `created` is the id of its node. Also changes `rows`. */
export function completedRows(operation: UpdateOperation, rows: SourceRows, created?: string): RowChange[] {
  switch (operation.type) {
    case 'create': {
      if (created === undefined) return [];
      const { task: id, base, path } = operation;
      const row: ImportTask = { id, node: created, base, ...definedFields({ path }) };
      rows.tasks.set(row.id, row);
      return [{ kind: 'task', row }];
    }
    case 'link':
    case 'relink':
      rows.links.set(pairOf(operation.row.source, operation.row.target), operation.row);
      return [{ kind: 'link', row: operation.row }];
    case 'update':
      return rebaseRow(rows, operation.task, operation.fields, operation.file);
    // Its rows stay, so that the node is restored if a later file has the task again.
    case 'trash':
      return markRemoved(rows, operation.task, true);
    case 'restore':
      return markRemoved(rows, operation.task, false);
    case 'unlink': {
      const { source, target } = operation.row;
      rows.links.delete(pairOf(source, target));
      return [{ kind: 'droppedLink', row: { source, target } }];
    }
  }
}

/** The row of a task whose node an update begins to move to the trash, or does not move after all. */
export function markRemoved(rows: SourceRows, task: string, isRemoved: boolean): RowChange[] {
  const before = rows.tasks.get(task);
  if (before === undefined || (before.removed === true) === isRemoved) return [];
  const { removed: _, ...rest } = before;
  const row: ImportTask = isRemoved ? { ...rest, removed: true } : rest;
  rows.tasks.set(task, row);
  return [{ kind: 'task', row }];
}

/**
 * The rows of tasks that no longer count as removed: an interrupted update did not move their nodes to the trash,
 * or a person restored them. Also changes `rows`.
 */
export function activeAgain(rows: SourceRows, view: Pick<GraphView, 'nodes'>): RowChange[] {
  return [...rows.tasks.values()].flatMap(({ id, node, removed }) =>
    removed === true && view.nodes.get(node)?.state === 'active' ? markRemoved(rows, id, false) : [],
  );
}

/** The row of a task whose fields now have the values of the file. */
export function rebaseRow(
  rows: SourceRows,
  task: string,
  fields: readonly FieldName[],
  file: FieldValues,
): RowChange[] {
  const before = rows.tasks.get(task);
  if (before === undefined || fields.length === 0) return [];
  const row = { ...before, base: rebased(before.base, fields, file) };
  rows.tasks.set(task, row);
  return [{ kind: 'task', row }];
}
