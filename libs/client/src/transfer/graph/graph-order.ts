// Orders the nodes of a file for creation: blockers come before the nodes that they block. Rejects
// a graph that the service cannot hold. Rules: IO1, IO2, LNK4, LNK5.
import { createLossReport, type TransferLoss } from './loss-report.ts';
import {
  BrokenFile,
  placeOf,
  push,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from './transfer-graph.ts';

/** Nodes of a cycle that a message names. */
const MAXIMUM_NAMED = 12;

type NodesByKey = ReadonlyMap<string, TransferNode>;

/**
 * Orders a graph. Nodes have the order of the file, except that each follows its blockers. Links
 * have the order of their ends. Throws a BrokenFile if nodes block each other in a cycle, or if the
 * graph is too large.
 */
export function orderGraph(graph: TransferGraph): TransferGraph {
  const { nodes } = graph;
  if (nodes.length > TRANSFER_BOUNDS.nodes)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.nodes} tasks`);
  if (graph.links.length > TRANSFER_BOUNDS.links)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.links} links`);
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  if (byKey.size !== nodes.length) throw new Error('two nodes of a file have the same key');
  const losses = createLossReport();
  const links = uniqueLinks(graph.links, byKey, losses.note);
  const ordered = blockersFirst(nodes, links, byKey);
  const indexes = new Map(ordered.map(({ key }, index) => [key, index]));
  const indexOf = (key: string) => indexes.get(key) ?? 0;
  const laterEnd = ({ source, target }: TransferLink) => Math.max(indexOf(source), indexOf(target));
  links.sort(
    (one, other) =>
      laterEnd(one) - laterEnd(other) ||
      indexOf(one.target) - indexOf(other.target) ||
      indexOf(one.source) - indexOf(other.source),
  );
  return {
    nodes: ordered,
    links,
    leftOut: [...graph.leftOut, ...losses.list(), ...statusLosses(ordered, links, byKey)],
  };
}

/** Two nodes can have one link. A primary link wins over a secondary one. */
function uniqueLinks(
  links: readonly TransferLink[],
  byKey: NodesByKey,
  note: (what: string, place: string) => void,
): TransferLink[] {
  const unique: TransferLink[] = [];
  const targets = new Map<string, Set<string>>();
  const exists = (source: string, target: string) => targets.get(source)?.has(target) === true;
  const nameOf = (key: string) => placeOf(byKey.get(key) ?? { title: key, line: null });
  for (const link of links.toSorted((one, other) => one.type - other.type)) {
    const { source, target, type } = link;
    const place = `${nameOf(source)} → ${nameOf(target)}`;
    if (!byKey.has(source) || !byKey.has(target)) note('a link to or from a task that is not in the file', place);
    else if (source === target) note('a link of a task to itself', place);
    else if (exists(source, target) || (type === 1 && exists(target, source)))
      note('a second link between two tasks', place);
    else {
      targets.set(source, (targets.get(source) ?? new Set()).add(target));
      unique.push(link);
    }
  }
  return unique;
}

/**
 * A depth-first walk over the blockers, from each node in the order of the file. A valid order does
 * not change.
 */
function blockersFirst(
  nodes: readonly TransferNode[],
  links: readonly TransferLink[],
  byKey: NodesByKey,
): TransferNode[] {
  const indexes = new Map(nodes.map(({ key }, index) => [key, index]));
  const blockers = blockersByTarget(links);
  for (const keys of blockers.values()) {
    keys.sort((one, other) => (indexes.get(one) ?? 0) - (indexes.get(other) ?? 0));
  }
  const [done, onPath] = [new Set<string>(), new Set<string>()];
  const ordered: TransferNode[] = [];
  for (const start of nodes) {
    const path = [{ key: start.key, next: 0 }];
    while (path.length > 0) {
      const top = path.at(-1) as { key: string; next: number };
      const next = done.has(top.key) ? undefined : blockers.get(top.key)?.[top.next];
      onPath.add(top.key);
      if (next === undefined) {
        if (!done.has(top.key)) ordered.push(byKey.get(top.key) as TransferNode);
        done.add(top.key);
        onPath.delete(top.key);
        path.pop();
      } else if (onPath.has(next)) {
        const keys = path.map(({ key }) => key);
        throw cycleError(keys.slice(keys.indexOf(next)), byKey);
      } else {
        top.next++;
        if (!done.has(next)) path.push({ key: next, next: 0 });
      }
    }
  }
  return ordered;
}

function blockersByTarget(links: readonly TransferLink[]): Map<string, string[]> {
  const blockers = new Map<string, string[]>();
  for (const { source, target, type } of links) {
    if (type === 0) push(blockers, target, source);
  }
  return blockers;
}

function cycleError(cycle: readonly string[], byKey: NodesByKey): BrokenFile {
  const nodes = cycle.flatMap((key) => byKey.get(key) ?? []);
  const first = nodes[0];
  const named = nodes.slice(0, MAXIMUM_NAMED).map(placeOf);
  const more = nodes.length > MAXIMUM_NAMED ? [`${nodes.length - MAXIMUM_NAMED} more`] : [];
  const names = [...named, ...more, ...(first === undefined ? [] : [placeOf(first)])].join(' waits for ');
  return new BrokenFile(first?.line ?? null, `tasks wait for each other in a cycle: ${names}`);
}

/**
 * Statuses that contradict the links of the file, and that the service therefore changes (BLK2,
 * BLK3).
 */
function statusLosses(
  nodes: readonly TransferNode[],
  links: readonly TransferLink[],
  byKey: NodesByKey,
): TransferLoss[] {
  const losses = createLossReport();
  const blocked = new Set<string>();
  const blockers = blockersByTarget(links);
  // Each node follows its blockers, so their statuses are final.
  for (const node of nodes) {
    const isOpen = (key: string) => blocked.has(key) || byKey.get(key)?.status !== 3;
    if (!node.independent && (blockers.get(node.key) ?? []).some(isOpen)) blocked.add(node.key);
    if (node.status === 2 && !blocked.has(node.key))
      losses.note('the status Blocked of a task without an open blocker in the file', placeOf(node));
    if (node.status === 3 && blocked.has(node.key))
      losses.note('the status Completed of a task with an open blocker', placeOf(node));
  }
  return losses.list();
}
