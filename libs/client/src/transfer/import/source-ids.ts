// The ids by which the tasks of a file are found in a later file of the same source: the ids of the
// program, or titles where it has none. Rule: IO12.
import type { TransferGraph, TransferNode } from '../graph/transfer-graph.ts';
import { contentHash } from './content-hash.ts';

/** Keys that readers derive from the position of a task in its file. */
const POSITION = /^(line| row|section) \d+$/;
/** Keys in our own files, which exports number. */
const NUMBER = /^\d+$/;
/** UTF-16 units of an id (wire's IMPORT_TASK_LENGTH). */
const MAXIMUM_LENGTH = 200;
const HASH_DIGITS = 32;

export interface SourceIds {
  /** The id of each task by its key. A task without an id of its own is absent. */
  readonly byKey: ReadonlyMap<string, string>;
  /** The ids that several tasks of the file have, with all other ids of such tasks. */
  readonly ambiguous: ReadonlySet<string>;
  /** The tasks that have no id of their own. */
  readonly unmatched: readonly TransferNode[];
}

/**
 * The source ids of the tasks of a file. Where the format has no ids, a title identifies a task; among
 * several tasks with one title, the titles above it do. `known` are the ids of earlier files.
 */
export function sourceIdsOf(
  graph: TransferGraph,
  format: string,
  known: { has(id: string): boolean } = new Set<string>(),
): SourceIds {
  const hasNumbers = format === 'taskgraph' && graph.nodes.every(({ key }) => NUMBER.test(key));
  // A second task with the same id has a line break and a number in its key.
  const isPosition = (key: string) => hasNumbers || POSITION.test(key) || key.includes('\n');
  const byKey = new Map<string, string>();
  const ambiguous = new Set<string>();
  const unmatched: TransferNode[] = [];
  const byTitle = new Map<string, TransferNode[]>();
  for (const node of graph.nodes) {
    if (!isPosition(node.key)) byKey.set(node.key, ownId(node.key));
    else byTitle.set(node.title, [...(byTitle.get(node.title) ?? []), node]);
  }
  const pathOf = titlePaths(graph);
  for (const [title, nodes] of byTitle) {
    const titleId = hashedId('title', title);
    const [only, ...others] = nodes;
    if (only !== undefined && others.length === 0) {
      const pathId = hashedId('path', pathOf(only));
      byKey.set(only.key, !known.has(titleId) && known.has(pathId) ? pathId : titleId);
      continue;
    }
    const paths = new Map<string, TransferNode[]>();
    for (const node of nodes) paths.set(pathOf(node), [...(paths.get(pathOf(node)) ?? []), node]);
    // An earlier file had one task of this title. It is not known which one of these it is.
    const isUnclear = known.has(titleId);
    if (isUnclear) ambiguous.add(titleId);
    for (const [path, same] of paths) {
      const [node, another] = same;
      const id = hashedId('path', path);
      if (!isUnclear && node !== undefined && another === undefined) byKey.set(node.key, id);
      else {
        ambiguous.add(id);
        unmatched.push(...same);
      }
    }
  }
  return { byKey, ambiguous, unmatched };
}

/** No id of another kind begins with these words and a hash. */
function hashedId(kind: 'title' | 'path' | 'id', text: string): string {
  return `${kind}#${contentHash(text).slice(0, HASH_DIGITS)}`;
}

function ownId(key: string): string {
  return key.length <= MAXIMUM_LENGTH && key.isWellFormed() && !key.includes('\0') ? key : hashedId('id', key);
}

/** Hashes of the titles from the top of the file down to a task. The task above one is the last one before it that it blocks. */
function titlePaths({ nodes, links }: TransferGraph): (node: TransferNode) => string {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const parents = new Map<string, TransferNode>();
  for (const { source, target, type } of links) {
    const [child, parent] = [byKey.get(source), byKey.get(target)];
    if (type !== 0 || child === undefined || parent === undefined || !isAbove(parent, child)) continue;
    const other = parents.get(source);
    if (other === undefined || isAbove(other, parent)) parents.set(source, parent);
  }
  const paths = new Map<string, string>();
  return (node) => {
    // A path is a hash of the path above it, so that long chains cost no more than their length.
    const open = [node];
    for (let above = parents.get(node.key); above !== undefined; above = parents.get(above.key)) {
      if (paths.has(above.key)) break;
      open.push(above);
    }
    for (const each of open.toReversed()) {
      const above = parents.get(each.key);
      const path = above === undefined ? '' : (paths.get(above.key) ?? '');
      paths.set(each.key, contentHash(JSON.stringify([path, each.title])));
    }
    return paths.get(node.key) ?? '';
  };
}

/** A group without a line, such as a project of todo.txt, is above all tasks. */
function isAbove(one: TransferNode, other: TransferNode): boolean {
  return (one.line ?? 0) < (other.line ?? 0);
}
