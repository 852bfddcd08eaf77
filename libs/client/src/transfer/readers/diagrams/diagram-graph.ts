// Collects the nodes, groups and arrows of a drawing. Rule: IO2.
import { addLink, blockingLink, groupStatus, relatedLink } from '../../graph/links.ts';
import { createLossReport, type LossReport } from '../../graph/loss-report.ts';
import { fitNode, type NodeDraft } from '../../graph/node-draft.ts';
import {
  BrokenFile,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from '../../graph/transfer-graph.ts';

interface DiagramNode {
  readonly id: string;
  readonly line: number;
  title: string | null;
  status: TransferNode['status'];
  /** The innermost group around its first occurrence. */
  group: string | null;
  isGroup: boolean;
}

export interface DiagramGraph {
  readonly losses: LossReport;
  /** Adds the node unless it exists. A node without a title has its id as title. */
  node(id: string, line: number, group: string | null): DiagramNode;
  /** Without a direction, it relates both ends. */
  arrow(source: string, target: string, kind: 'blocks' | 'related'): void;
  result(): TransferGraph;
}

export function createDiagramGraph(): DiagramGraph {
  const losses = createLossReport();
  const nodes = new Map<string, DiagramNode>();
  const links: TransferLink[] = [];
  return {
    losses,
    node(id, line, group) {
      const known = nodes.get(id);
      if (known !== undefined) {
        // Programs put a node into the group of its first occurrence within one.
        if (group !== null && known.group === null && group !== id && !isWithin(nodes, group, id)) known.group = group;
        return known;
      }
      if (nodes.size >= TRANSFER_BOUNDS.nodes)
        throw new BrokenFile(line, `it has more than ${TRANSFER_BOUNDS.nodes} nodes`);
      const node: DiagramNode = { id, line, title: null, status: 0, group, isGroup: false };
      nodes.set(id, node);
      return node;
    },
    arrow: (source, target, kind) =>
      addLink(links, kind === 'blocks' ? blockingLink(source, target) : relatedLink(source, target)),
    result() {
      const members = new Map<string, DiagramNode[]>();
      for (const node of nodes.values()) {
        if (node.group === null) continue;
        const own = members.get(node.group);
        if (own === undefined) members.set(node.group, [node]);
        else own.push(node);
        addLink(links, blockingLink(node.id, node.group));
      }
      if (nodes.size === 0) throw new BrokenFile(null, 'it has no nodes');
      const drafts = [...nodes.values()].map((node): NodeDraft => {
        const { id, line, title } = node;
        return { key: id, line, title: title ?? id, status: statusOf(node, members) };
      });
      return { nodes: drafts.map((draft) => fitNode(draft, losses)), links, leftOut: losses.list() };
    },
  };
}

/** Groups have a bounded depth. */
function statusOf(node: DiagramNode, members: ReadonlyMap<string, readonly DiagramNode[]>): TransferNode['status'] {
  if (!node.isGroup) return node.status;
  return groupStatus((members.get(node.id) ?? []).map((member) => ({ status: statusOf(member, members) })));
}

/** Whether a group is the node or within it. Groups have a bounded depth. */
function isWithin(nodes: ReadonlyMap<string, DiagramNode>, group: string, id: string): boolean {
  let depth = 0;
  for (let at: string | null = group; at !== null && depth <= TRANSFER_BOUNDS.depth; depth++) {
    if (at === id) return true;
    at = nodes.get(at)?.group ?? null;
  }
  return depth > TRANSFER_BOUNDS.depth;
}
