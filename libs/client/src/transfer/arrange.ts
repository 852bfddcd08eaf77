// Puts the nodes of a file into the order in which they are made, sources before what they block, and refuses what can't be made. Rules: IO1, IO2, LNK4, LNK5.
import {
  BrokenFile,
  createLedger,
  type LeftOut,
  placeOf,
  push,
  TRANSFER_BOUNDS,
  type TransferGraph,
  type TransferLink,
  type TransferNode,
} from './model.ts';

/** Nodes of a circle that a refusal names. */
const MOST_NAMED = 12;

/**
 * Gives the same graph in order: nodes as they stand in the file, but each after all that block it, and links by their ends. Throws a
 * BrokenFile where the nodes wait for each other in a circle, or are too many.
 */
export function arranged(graph: TransferGraph): TransferGraph {
  const { nodes } = graph;
  if (nodes.length > TRANSFER_BOUNDS.nodes)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.nodes} tasks`);
  if (graph.links.length > TRANSFER_BOUNDS.links)
    throw new BrokenFile(null, `it has more than ${TRANSFER_BOUNDS.links} links`);
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  if (byKey.size !== nodes.length) throw new Error('two nodes of a file have one key');
  const ledger = createLedger();
  const links = onceEach(graph.links, byKey, ledger.note);
  const ordered = inOrder(nodes, links, byKey);
  const place = new Map(ordered.map(({ key }, index) => [key, index]));
  const placed = (key: string) => place.get(key) ?? 0;
  const late = ({ source, target }: TransferLink) => Math.max(placed(source), placed(target));
  links.sort(
    (one, other) =>
      late(one) - late(other) || placed(one.target) - placed(other.target) || placed(one.source) - placed(other.source),
  );
  return { nodes: ordered, links, leftOut: [...graph.leftOut, ...ledger.list(), ...notKept(ordered, links, byKey)] };
}

/** Two nodes have one link at most. One that blocks comes before one that does not. */
function onceEach(
  links: readonly TransferLink[],
  byKey: ReadonlyMap<string, TransferNode>,
  note: (what: string, place: string) => void,
): TransferLink[] {
  const kept: TransferLink[] = [];
  const targets = new Map<string, Set<string>>();
  const isThere = (source: string, target: string) => targets.get(source)?.has(target) === true;
  const nameOf = (key: string) => placeOf(byKey.get(key) ?? { title: key, line: null });
  for (const link of links.toSorted((one, other) => one.type - other.type)) {
    const { source, target, type } = link;
    const place = `${nameOf(source)} → ${nameOf(target)}`;
    if (!byKey.has(source) || !byKey.has(target)) note('a link to or from what is not in the file', place);
    else if (source === target) note('a link of a task to itself', place);
    else if (isThere(source, target) || (type === 1 && isThere(target, source)))
      note('a second link between two tasks', place);
    else {
      targets.set(source, (targets.get(source) ?? new Set()).add(target));
      kept.push(link);
    }
  }
  return kept;
}

/** A walk in depth over what blocks, begun at each node in the order of the file: an order that is right already stays as it is. */
function inOrder(
  nodes: readonly TransferNode[],
  links: readonly TransferLink[],
  byKey: ReadonlyMap<string, TransferNode>,
): TransferNode[] {
  const at = new Map(nodes.map(({ key }, index) => [key, index]));
  const blockers = blockersIn(links);
  for (const all of blockers.values()) all.sort((one, other) => (at.get(one) ?? 0) - (at.get(other) ?? 0));
  const [done, under] = [new Set<string>(), new Set<string>()];
  const ordered: TransferNode[] = [];
  for (const start of nodes) {
    const open = [{ key: start.key, next: 0 }];
    while (open.length > 0) {
      const top = open.at(-1) as { key: string; next: number };
      const waitsFor = blockers.get(top.key) ?? [];
      under.add(top.key);
      const next = done.has(top.key) ? undefined : waitsFor[top.next];
      if (next === undefined) {
        if (!done.has(top.key)) ordered.push(byKey.get(top.key) as TransferNode);
        done.add(top.key);
        under.delete(top.key);
        open.pop();
      } else if (under.has(next))
        throw circle(
          open.map(({ key }) => key),
          next,
          byKey,
        );
      else {
        top.next++;
        if (!done.has(next)) open.push({ key: next, next: 0 });
      }
    }
  }
  return ordered;
}

function blockersIn(links: readonly TransferLink[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { source, target, type } of links) {
    if (type === 0) push(found, target, source);
  }
  return found;
}

function circle(open: readonly string[], closing: string, byKey: ReadonlyMap<string, TransferNode>): BrokenFile {
  const around = open.slice(open.indexOf(closing)).flatMap((key) => byKey.get(key) ?? []);
  const first = around[0];
  const named = around.slice(0, MOST_NAMED).map(placeOf);
  const more = around.length > MOST_NAMED ? [`${around.length - MOST_NAMED} more`] : [];
  const names = [...named, ...more, ...(first === undefined ? [] : [placeOf(first)])].join(' waits for ');
  return new BrokenFile(first?.line ?? null, `tasks wait for each other in a circle: ${names}`);
}

/** A status that the links of the file do not bear out does not stay as it is (BLK2, BLK3). */
function notKept(
  nodes: readonly TransferNode[],
  links: readonly TransferLink[],
  byKey: ReadonlyMap<string, TransferNode>,
): LeftOut[] {
  const ledger = createLedger();
  const blocked = new Set<string>();
  const blockers = blockersIn(links);
  // In this order whether a node will be Blocked is known before what waits for it is judged.
  for (const node of nodes) {
    const waits = (blockers.get(node.key) ?? []).some((key) => blocked.has(key) || byKey.get(key)?.status !== 3);
    if (waits && !node.independent) blocked.add(node.key);
    if (node.status === 2 && !blocked.has(node.key))
      ledger.note('being Blocked, by nothing that is in the file', placeOf(node));
    if (node.status === 3 && blocked.has(node.key))
      ledger.note('being completed, while it waits for what is not', placeOf(node));
  }
  return ledger.list();
}
