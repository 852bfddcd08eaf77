// Turns an arranged file into the operations that make it, in parts that one batch:run can hold. Rules: IO1, IO3, BAT1, BAT2, NODE2.
import { definedFields } from '@taskgraph/wire/defined-fields';
import type { Calls } from '../calls.ts';
import {
  BrokenFile,
  EMPTY_FIELDS,
  placeOf,
  push,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from './model.ts';

/** Most operations of a part (BAT1). */
export const PART_OPERATIONS = 500;
/** Most bytes of a part: what a body may have, less what stands around the operations. */
const PART_BYTES = 240 * 1024;
/** As long as any id: names within a part are shorter. */
const ANY_ID = '01985f0e-0000-7000-8000-000000000000';

export type Operation = Calls['batch:run']['payload']['operations'][number];

/** An operation whose nodes are named by their keys. A link to `null` leads out of the file, to the node that all of it hangs below. */
type Planned =
  | { readonly event: 'node:add'; readonly key: string; readonly fields: object }
  | { readonly event: 'node:update'; readonly key: string; readonly fields: object }
  | { readonly event: 'link:add'; readonly source: string; readonly target: string | null; readonly fields: object };

/** The operations of one batch:run. */
export type Part = readonly Planned[];

/** Splits what makes the graph into parts. With `under`, all that leads to nothing else leads there. Throws a BrokenFile where one node is too large for any part. */
export function partsOf(graph: TransferGraph, { under }: { readonly under: boolean }): Part[] {
  const parts: Planned[][] = [];
  let [current, bytes]: [Planned[], number] = [[], 0];
  const encoder = new TextEncoder();
  for (const { operation, node } of operationsOf(graph, under)) {
    const size = encoder.encode(JSON.stringify(written(operation, () => ANY_ID))).length + 1;
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

interface Made {
  readonly operation: Planned;
  /** To name it where it is too large. */
  readonly node: TransferNode;
}

/** Each node, then the links whose other end is there. A link comes with the later one of its ends. */
function* operationsOf({ nodes, links }: TransferGraph, under: boolean): Generator<Made> {
  const place = new Map(nodes.map(({ key }, index) => [key, index]));
  const ending = new Map<string, TransferLink[]>();
  const [leading, blocked] = [new Set<string>(), new Set<string>()];
  for (const link of links) {
    const { source, target, type } = link;
    const later = (place.get(source) ?? 0) > (place.get(target) ?? 0) ? source : target;
    push(ending, later, link);
    leading.add(source);
    if (type === 0) blocked.add(target);
  }
  for (const node of nodes) {
    const { key, independent, status } = node;
    // A link to what is independent can't be made to block; one that is there stays as it is when its target becomes so (LNK3, BLK7).
    const isLate = independent && blocked.has(key);
    yield {
      node,
      operation: { event: 'node:add', key, fields: fieldsOf(isLate ? { ...node, independent: false } : node) },
    };
    for (const { source, target, type, private: hidden } of ending.get(key) ?? []) {
      const fields = { type, ...(hidden ? { private: true } : {}) };
      yield { node, operation: { event: 'link:add', source, target, fields } };
    }
    if (isLate) yield { node, operation: { event: 'node:update', key, fields: { independent: true } } };
    // It was Blocked meanwhile, and completing is never a side effect (BLK3).
    if (isLate && status === 3) yield { node, operation: { event: 'node:update', key, fields: { status } } };
    if (under && !leading.has(key)) {
      yield { node, operation: { event: 'link:add', source: key, target: null, fields: { type: 0 } } };
    }
  }
}

/** The fields that differ from those of a new node. Blocked follows from the links. */
function fieldsOf(node: TransferNode): object {
  const given = Object.entries(EMPTY_FIELDS).flatMap(([name, empty]) => {
    const value = node[name as keyof TransferNode];
    if (value === empty || (Array.isArray(value) && value.length === 0)) return [];
    return name === 'status' && value === 2 ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** The operation as it is sent; `idOf` says how a key is written there. */
function written(operation: Planned, idOf: (key: string | null) => string, as?: string): Operation {
  const { event, fields } = operation;
  const payload =
    event === 'link:add'
      ? { source: idOf(operation.source), target: idOf(operation.target), ...fields }
      : event === 'node:update'
        ? { id: idOf(operation.key), ...fields }
        : fields;
  return { event, payload, ...definedFields({ as }) };
}

interface Known {
  /** Those of the nodes of the parts before. */
  readonly ids: ReadonlyMap<string, string>;
  /** The id of the node that all of it hangs below. */
  readonly under: string | undefined;
}

/** The operations of a part. Null where an id that it needs is not known. */
export function operationsIn(part: Part, { ids, under }: Known): Operation[] | null {
  const names = new Map<string, string>();
  let isWhole = true;
  const idOf = (key: string | null) => {
    const id = key === null ? under : (names.get(key) ?? ids.get(key));
    isWhole &&= id !== undefined;
    return id ?? '';
  };
  const operations = part.map((operation, index) => {
    const as = operation.event === 'node:add' ? `n${index}` : undefined;
    const sent = written(operation, idOf, as);
    if (operation.event === 'node:add') names.set(operation.key, `$${as}`);
    return sent;
  });
  return isWhole ? operations : null;
}

/** Notes the ids of the nodes that a part has made. */
export function noteIds(
  part: Part,
  results: readonly { readonly id?: string | undefined }[],
  ids: Map<string, string>,
): void {
  for (const [index, operation] of part.entries()) {
    const id = results[index]?.id;
    if (operation.event === 'node:add' && id !== undefined) ids.set(operation.key, id);
  }
}
