// Traversals of branches, in which a node may have several parents. Each traversal expands a node
// once, so its work is linear in the number of nodes and links.
import type { Graph, Task } from './graph.ts';
import { childrenOf } from './queries.ts';

/** One line of a tree. */
export interface TreeLine {
  readonly node: Task;
  /** The line of the parent; null at the top. */
  readonly parent: TreeLine | null;
  /** Levels below the top. */
  readonly depth: number;
  /** Whether another child of the same parent follows. */
  readonly hasNext: boolean;
  /** `all`: the children follow. `repeated`: an earlier line has them. `cut`: they are too deep. */
  readonly children: 'all' | 'repeated' | 'cut';
}

/**
 * The lines of the trees below these nodes, top down, one at a time. Children below level
 * `maximumDepth` are omitted.
 */
export function* treeOf(graph: Graph, tops: readonly Task[], maximumDepth: number): Generator<TreeLine> {
  const expanded = new Set<string>();
  type PendingLine = Omit<TreeLine, 'children'>;
  // An explicit stack: a chain of links may be longer than the call stack allows.
  const open: PendingLine[] = tops.map((node) => ({ node, parent: null, depth: 0, hasNext: false })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    if (expanded.has(node.id)) {
      yield { ...next, children: 'repeated' };
      continue;
    }
    const children = childrenOf(graph, node.id);
    const truncated = depth >= maximumDepth && children.length > 0;
    const line: TreeLine = { ...next, children: truncated ? 'cut' : 'all' };
    yield line;
    if (truncated || children.length === 0) continue;
    expanded.add(node.id);
    for (const [index, child] of [...children.entries()].reverse())
      open.push({ node: child, parent: line, depth: depth + 1, hasNext: index < children.length - 1 });
  }
}

/** A node in JSON, with its children. */
export interface TreeNode extends Task {
  /** Empty if they are listed at an earlier place, or too deep. */
  readonly children: TreeNode[];
  readonly repeated?: true;
  readonly cut?: true;
}

/**
 * The same trees as nested objects. The caller bounds the levels, since JSON.stringify recurses
 * once per level.
 */
export function nestedTree(graph: Graph, tops: readonly Task[], maximumDepth: number): TreeNode[] {
  const roots: TreeNode[] = [];
  const nodes = new Map<TreeLine, TreeNode>();
  for (const line of treeOf(graph, tops, maximumDepth)) {
    const mark = line.children === 'all' ? {} : { [line.children]: true as const };
    const node: TreeNode = { ...line.node, children: [], ...mark };
    (line.parent === null ? roots : (nodes.get(line.parent)?.children ?? [])).push(node);
    nodes.set(line, node);
  }
  return roots;
}

/** Whether a node is the root or below it. */
export function isBelow(graph: Graph, id: string, root: string): boolean {
  const above = new Set([id]);
  for (const each of above) {
    if (each === root) return graph.nodes.has(root) && graph.nodes.has(id);
    for (const { target } of graph.linksFrom(each)) if (graph.nodes.has(target)) above.add(target);
  }
  return false;
}
