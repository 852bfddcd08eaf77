// The ids by which the tasks of a file are found in a later file of the same source: the ids of the
// program, or titles where it has none. Rule: IO12.
import type { ImportTask } from '@taskgraph/wire/public-types';
import { push, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';
import { contentHash } from './content-hash.ts';
import { baseOf } from './field-hashes.ts';

/** Keys that readers derive from the position of a task in its file, and numbers in our own exports. */
const POSITIONS: Readonly<Record<string, RegExp>> = {
  icalendar: /^line \d+$/,
  markdown: /^line \d+$/,
  mermaid: /^(?:line|section) \d+$/,
  org: /^line \d+$/,
  taskgraph: /^\d+$/,
  'todo.txt': /^line \d+$/,
  todoist: /^/,
};
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
  /**
   * An id for each task that has none of its own, by its key. An import records them, so that a later file
   * that has only one of these tasks does not create it again.
   */
  readonly duplicates: ReadonlyMap<string, string>;
  /** Hashes of the titles above each task that its title identifies, by its key. */
  readonly paths: ReadonlyMap<string, string>;
}

interface EarlierIds {
  has(id: string): boolean;
  get?(id: string): Pick<ImportTask, 'base' | 'path'> | undefined;
}

interface IdBuilder {
  readonly graph: TransferGraph;
  readonly known: EarlierIds;
  readonly byKey: Map<string, string>;
  readonly ambiguous: Set<string>;
  readonly unmatched: TransferNode[];
  readonly duplicates: Map<string, string>;
  readonly paths: Map<string, string>;
}

/**
 * The source ids of the tasks of a file. Where the format has no ids, a title identifies a task; among
 * several tasks with one title, the titles above it do. `known` are the ids of earlier files: tasks whose
 * ids are positions in one file and not in the other are found as the earlier file names them.
 */
export function sourceIdsOf(graph: TransferGraph, format: string, known: EarlierIds = new Set<string>()): SourceIds {
  const ids: IdBuilder = {
    graph,
    known,
    byKey: new Map(),
    ambiguous: new Set(),
    unmatched: [],
    duplicates: new Map(),
    paths: new Map(),
  };
  const [own, positions]: [TransferNode[], TransferNode[]] = [[], []];
  for (const node of graph.nodes) (isPosition(node, graph, format) ? positions : own).push(node);
  const hasTitles = (nodes: readonly TransferNode[]) =>
    !nodes.some((node) => known.has(idOf(node, graph))) &&
    nodes.some(({ title }) => known.has(hashedId('title', title)));
  // Ids may have looked like positions before, and positions like ids.
  const numbered = knownNumbers(positions, graph, known);
  const isTitled = (node: TransferNode) => !numbered.has(node) && !isKnownByKey(node, graph, known);
  const byTitle = [...(hasTitles(own) ? own : []), ...positions.filter(isTitled)];
  const titled = new Set(byTitle);
  addKeyIds(
    ids,
    graph.nodes.filter((node) => !titled.has(node)),
  );
  addTitleIds(ids, byTitle);
  return ids;
}

function isPosition({ key }: TransferNode, { hints }: TransferGraph, format: string): boolean {
  const sourceId = hints?.get(key)?.sourceId;
  if (sourceId !== undefined) return sourceId === null;
  // A second task with the same id has a line break and a number in its key.
  return POSITIONS[format]?.test(key) === true || key.includes('\n');
}

/**
 * The rows whose ids number a table: all of them, if the earlier file had one of these numbers as an id, because
 * then its other rows had ids too. Rows that share an id are not among them.
 */
function knownNumbers(
  positions: readonly TransferNode[],
  { hints }: TransferGraph,
  known: EarlierIds,
): ReadonlySet<TransferNode> {
  const repeated = new Set(positions.flatMap(({ key }) => (key.includes('\n') ? [key.split('\n')[0]] : [])));
  const numbered = positions.filter(
    ({ key }) => hints?.get(key)?.sourceId === null && !key.includes('\n') && !repeated.has(key),
  );
  return new Set(numbered.some(({ key }) => known.has(ownId(key))) ? numbered : []);
}

/** A task whose id is new takes the row that an earlier file had under its title, if no other task may have it. */
function addKeyIds({ graph, known, byKey }: IdBuilder, nodes: readonly TransferNode[]): void {
  const counts = new Map<string, number>();
  for (const { title } of graph.nodes) counts.set(title, (counts.get(title) ?? 0) + 1);
  for (const node of nodes) {
    const [id, titleId] = [idOf(node, graph), hashedId('title', node.title)];
    const isAdopted = !known.has(id) && known.has(titleId) && counts.get(node.title) === 1;
    byKey.set(node.key, isAdopted ? titleId : id);
  }
}

/** Numbers in the order of the file are positions, unless the earlier file had them as ids. */
function isKnownByKey(node: TransferNode, { hints }: TransferGraph, known: EarlierIds): boolean {
  return (
    hints?.get(node.key)?.sourceId === null && known.has(ownId(node.key)) && !known.has(hashedId('title', node.title))
  );
}

function idOf({ key }: TransferNode, { hints }: TransferGraph): string {
  return ownId(hints?.get(key)?.sourceId ?? key);
}

function addTitleIds(ids: IdBuilder, open: readonly TransferNode[]): void {
  const { known, byKey, ambiguous } = ids;
  const byTitle = new Map<string, TransferNode[]>();
  for (const node of open) push(byTitle, node.title, node);
  const pathOf = titlePaths(ids.graph);
  for (const [title, nodes] of byTitle) {
    const titleId = hashedId('title', title);
    const duplicateId = (index: number) => `${hashedId('duplicate', title)} ${index}`;
    // Earlier files had tasks of this title that nothing distinguishes.
    for (let index = 1; known.has(duplicateId(index)); index++) ambiguous.add(duplicateId(index));
    const hasDuplicates = known.has(duplicateId(1));
    if (hasDuplicates && known.has(titleId)) ambiguous.add(titleId);
    const [only, ...others] = nodes;
    if (only !== undefined && others.length === 0) {
      const pathId = hashedId('path', pathOf(only));
      if (known.has(pathId)) byKey.set(only.key, pathId);
      else if (!hasDuplicates) setTitleId(ids, only, pathOf(only));
      else ids.unmatched.push(only);
      continue;
    }
    const paths = new Map<string, TransferNode[]>();
    for (const node of nodes) push(paths, pathOf(node), node);
    const earlier = hasDuplicates ? undefined : earlierOf(known.get?.(titleId), paths);
    if (earlier !== undefined) setTitleId(ids, earlier, pathOf(earlier));
    // An earlier file had one task of this title. It is not known which one of these it is.
    const isUnclear = (known.has(titleId) && earlier === undefined) || hasDuplicates;
    let duplicates = 0;
    if (known.has(titleId) && earlier === undefined) ambiguous.add(titleId);
    for (const [path, all] of paths) {
      const same = all.filter((node) => node !== earlier);
      const id = hashedId('path', path);
      const [node] = same;
      if (node !== undefined && all.length === 1 && (!isUnclear || known.has(id))) byKey.set(node.key, id);
      else if (earlier !== undefined) for (const each of same) byKey.set(each.key, duplicateId(++duplicates));
      else {
        ambiguous.add(id);
        ids.unmatched.push(...same);
        for (const each of same) ids.duplicates.set(each.key, duplicateId(++duplicates));
      }
    }
  }
}

function setTitleId({ byKey, paths }: IdBuilder, { key, title }: TransferNode, path: string): void {
  byKey.set(key, hashedId('title', title));
  paths.set(key, path.slice(0, HASH_DIGITS));
}

/**
 * The task that the earlier file had too, by the titles above it and, of several there, by its values.
 * Undefined if several could be it, or none.
 */
function earlierOf(
  row: Pick<ImportTask, 'base' | 'path'> | undefined,
  paths: ReadonlyMap<string, readonly TransferNode[]>,
): TransferNode | undefined {
  const [, there = []] = [...paths].find(([path]) => path.slice(0, HASH_DIGITS) === row?.path) ?? [];
  return there.length === 1 ? there[0] : there.find((node) => baseOf(node) === row?.base);
}

/** No id of another kind begins with these words and a hash. */
function hashedId(kind: 'title' | 'path' | 'duplicate' | 'id', text: string): string {
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
