// Walks over branches of the graph, in which a node may have several parents. Each walk expands a node once, so that its work is
// linear in the number of nodes and links.
import type { Graph, Task } from './graph.ts';
import { childrenOf } from './questions.ts';

/** One line of a tree. */
export interface TreeLine {
  readonly node: Task;
  /** The line of the node that it hangs below; null at the top. */
  readonly parent: TreeLine | null;
  /** Levels below the top. */
  readonly depth: number;
  /** Whether another child of the same parent follows. */
  readonly hasNext: boolean;
  /** Whether its children follow: `all`; `repeated`, if they are shown at an earlier line; `cut`, if they are too deep. */
  readonly children: 'all' | 'repeated' | 'cut';
}

/** The lines of the trees below these nodes, top down, one at a time. `deepest`: the level whose children are not shown. */
export function* treeOf(graph: Graph, tops: readonly Task[], deepest: number): Generator<TreeLine> {
  const expanded = new Set<string>();
  type Open = Omit<TreeLine, 'children'>;
  // An explicit stack: a chain of links may be longer than the call stack allows.
  const open: Open[] = tops.map((node) => ({ node, parent: null, depth: 0, hasNext: false })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next;
    if (expanded.has(node.id)) {
      yield { ...next, children: 'repeated' };
      continue;
    }
    const children = childrenOf(graph, node.id);
    const isCut = depth >= deepest && children.length > 0;
    const line: TreeLine = { ...next, children: isCut ? 'cut' : 'all' };
    yield line;
    if (isCut || children.length === 0) continue;
    expanded.add(node.id);
    for (const [index, child] of [...children.entries()].reverse())
      open.push({ node: child, parent: line, depth: depth + 1, hasNext: index < children.length - 1 });
  }
}

/** A node as JSON has it, with those that hang below it. */
export interface TreeNode extends Task {
  /** Empty where they stand at an earlier place, or are too deep. */
  readonly children: TreeNode[];
  readonly repeated?: true;
  readonly cut?: true;
}

/** The same trees as nested objects. The caller bounds the levels, since JSON.stringify recurses once per level. */
export function nestedTree(graph: Graph, tops: readonly Task[], deepest: number): TreeNode[] {
  const roots: TreeNode[] = [];
  const made = new Map<TreeLine, TreeNode>();
  for (const line of treeOf(graph, tops, deepest)) {
    const mark = line.children === 'all' ? {} : { [line.children]: true as const };
    const node: TreeNode = { ...line.node, children: [], ...mark };
    (line.parent === null ? roots : (made.get(line.parent)?.children ?? [])).push(node);
    made.set(line, node);
  }
  return roots;
}

/** Whether a node is this one, or hangs below it. */
export function isBelow(graph: Graph, id: string, root: string): boolean {
  const above = new Set([id]);
  for (const each of above) {
    if (each === root) return graph.nodes.has(root) && graph.nodes.has(id);
    for (const { target } of graph.linksFrom(each)) if (graph.nodes.has(target)) above.add(target);
  }
  return false;
}
