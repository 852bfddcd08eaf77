// Splits an ordered graph into parts: the operations that create it, each part small enough for one
// batch:run. Rules: IO1, IO3, BAT1, BAT2, NODE2.
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Calls } from '../../calls.ts';
import {
  BrokenFile,
  EMPTY_FIELDS,
  placeOf,
  push,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../graph/transfer-graph.ts';

/** Most operations of a part (BAT1). */
export const PART_OPERATIONS = 500;
/** Most bytes of a part. The rest of the body's maximum is for the fields around the operations. */
export const PART_BYTES = 240 * 1024;
/** Measures an operation: every id has this length, and names within a part are shorter. */
const ANY_ID = '01985f0e-0000-7000-8000-000000000000';

export type Operation = Calls['batch:run']['payload']['operations'][number];

/**
 * An operation with keys in place of ids. The target `null` is the node below which the file is
 * imported.
 */
type KeyedOperation =
  | { readonly event: 'node:add'; readonly key: string; readonly fields: object }
  | { readonly event: 'node:update'; readonly key: string; readonly fields: object }
  | { readonly event: 'link:add'; readonly source: string; readonly target: string | null; readonly fields: object };

/** The operations of one batch:run. */
export type ImportPart = readonly KeyedOperation[];

/**
 * The parts that create the graph. With `under`, nodes without outgoing links are linked to the
 * node that the import names. Throws a BrokenFile if one node is too large for any part.
 */
export function partsOf(graph: TransferGraph, { under }: { readonly under: boolean }): ImportPart[] {
  const parts: KeyedOperation[][] = [];
  let [current, bytes]: [KeyedOperation[], number] = [[], 0];
  const encoder = new TextEncoder();
  for (const { operation, node } of operationsOf(graph, under)) {
    const size = encoder.encode(JSON.stringify(toOperation(operation, () => ANY_ID))).length + 1;
    if (size > PART_BYTES) throw new BrokenFile(node.line, `${placeOf(node)} is too large for one call`);
    if (current.length === PART_OPERATIONS || bytes + size > PART_BYTES) {
      parts.push(current);
      [current, bytes] = [[], 0];
    }
    current.push(operation);
    bytes += size;
  }
  return current.length === 0 ? parts : [...parts, current];
}

interface NodeOperation {
  readonly operation: KeyedOperation;
  /** The node that a message about the operation names. */
  readonly node: TransferNode;
}

/** The operations in order. Each node is followed by the links to nodes before it. */
function* operationsOf({ nodes, links }: TransferGraph, under: boolean): Generator<NodeOperation> {
  const indexes = new Map(nodes.map(({ key }, index) => [key, index]));
  const linksByLaterEnd = new Map<string, TransferLink[]>();
  const [sources, blocked] = [new Set<string>(), new Set<string>()];
  for (const link of links) {
    const { source, target, type } = link;
    const later = (indexes.get(source) ?? 0) > (indexes.get(target) ?? 0) ? source : target;
    push(linksByLaterEnd, later, link);
    sources.add(source);
    if (type === 0) blocked.add(target);
  }
  for (const node of nodes) {
    const { key, independent, status } = node;
    // Nothing can be made to block an independent node, but a node keeps its blockers when it
    // becomes independent (LNK3, BLK7).
    const isIndependentLater = independent && blocked.has(key);
    const fields = fieldsOf(isIndependentLater ? { ...node, independent: false } : node);
    yield { node, operation: { event: 'node:add', key, fields } };
    for (const { source, target, type, private: isPrivate } of linksByLaterEnd.get(key) ?? []) {
      const linkFields = { type, ...(isPrivate ? { private: true } : {}) };
      yield { node, operation: { event: 'link:add', source, target, fields: linkFields } };
    }
    if (isIndependentLater) {
      yield { node, operation: { event: 'node:update', key, fields: { independent: true } } };
      // Its blockers had made it Blocked, and only a client completes a node (BLK3).
      if (status === 3) yield { node, operation: { event: 'node:update', key, fields: { status } } };
    }
    if (under && !sources.has(key)) {
      yield { node, operation: { event: 'link:add', source: key, target: null, fields: { type: 0 } } };
    }
  }
}

/** The fields that differ from those of a new node. Blocked follows from the links. */
function fieldsOf(node: TransferNode): object {
  const fields = Object.entries(EMPTY_FIELDS).flatMap(([name, empty]) => {
    const value = node[name as keyof TransferNode];
    if (value === empty || (Array.isArray(value) && value.length === 0)) return [];
    return name === 'status' && value === 2 ? [] : [[name, value] as const];
  });
  return Object.fromEntries(fields);
}

/** The operation with ids, as the service receives it. */
function toOperation(operation: KeyedOperation, idOf: (key: string | null) => string, as?: string): Operation {
  const { event, fields } = operation;
  const payload =
    event === 'link:add'
      ? { source: idOf(operation.source), target: idOf(operation.target), ...fields }
      : event === 'node:update'
        ? { id: idOf(operation.key), ...fields }
        : fields;
  return { event, payload, ...definedFields({ as }) };
}

interface ImportIds {
  /** The ids of the nodes of earlier parts, by key. */
  readonly ids: ReadonlyMap<string, string>;
  /** The id of the node below which the file is imported. */
  readonly under: string | undefined;
}

/** The operations of a part. Null if it needs an id that is unknown. */
export function operationsOfPart(part: ImportPart, { ids, under }: ImportIds): Operation[] | null {
  const names = new Map<string, string>();
  let isComplete = true;
  const idOf = (key: string | null) => {
    const id = key === null ? under : (names.get(key) ?? ids.get(key));
    isComplete &&= id !== undefined;
    return id ?? '';
  };
  const operations = part.map((operation, index) => {
    const as = operation.event === 'node:add' ? `n${index}` : undefined;
    const complete = toOperation(operation, idOf, as);
    if (operation.event === 'node:add') names.set(operation.key, `$${as}`);
    return complete;
  });
  return isComplete ? operations : null;
}

/** Records the ids of the nodes that a part created. */
export function recordIds(
  part: ImportPart,
  results: readonly { readonly id?: string | undefined }[],
  ids: Map<string, string>,
): void {
  for (const [index, operation] of part.entries()) {
    const id = results[index]?.id;
    if (operation.event === 'node:add' && id !== undefined) ids.set(operation.key, id);
  }
}
