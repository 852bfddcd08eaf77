// tree: an outline of a branch, or of the whole graph from its tops. It reads level by level, and
// at most MOST_NODES nodes, so that a wide level never costs more than a few calls.
import { LinkType } from '@taskgraph/wire/codes';
import type { PageLink } from '@taskgraph/wire/entities';
import { integer, object } from '../input-schema.ts';
import { ANSWER_BYTES, fitting, moreLine, nodeLine, type ShownNode, shortId } from '../lines.ts';
import { findPage } from '../node-list.ts';
import { MOST_IDS, readNodes } from '../nodes.ts';
import { resolveNode } from '../references.ts';
import { type ToolContext, ToolFailure } from '../service.ts';
import { MORE, NODE } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

/** Nodes of an outline, children of its first level on a page, and of each deeper node. */
const MOST_NODES = 150;
const FIRST_LEVEL = 30;
const MOST_CHILDREN = 10;
/** Calls that read links; past them, the outline says where more may be below. */
const MOST_CALLS = 12;
const DEFAULT_DEPTH = 2;
const MOST_DEPTH = 6;

interface TreeRequest {
  readonly node?: string;
  readonly depth?: number;
  readonly more?: string;
}

export const tree = defineTool<TreeRequest>({
  name: 'tree',
  description: 'Shows an outline of the nodes below one. Without node: of the whole graph, for an overview.',
  effect: 'reads',
  input: object({
    node: NODE,
    depth: integer(1, MOST_DEPTH, 'Default 2.'),
    more: MORE,
  }),
  async run({ node, depth = DEFAULT_DEPTH, more }, context) {
    return node === undefined ? graphOutline(context, depth, more) : branchOutline(context, node, depth, more);
  },
});

/** The tops are a search, which has cursors of its own. */
async function graphOutline(context: ToolContext, depth: number, more: string | undefined): Promise<string> {
  const search = { where: { top: true }, sort: 'created' };
  const page = await findPage(context, search, { limit: FIRST_LEVEL, more, fit: (nodes) => nodes.length });
  const ids = page.nodes.map(({ id }) => id);
  if (ids.length === 0) return 'There are no nodes.';
  const outline = await readOutline(context, ids, depth);
  const groups = ids.map((id) => linesOf(outline, id, 0, context.nowMs()));
  const count = countFitting(groups);
  const whole = count === ids.length;
  // The service alone makes cursors, so it is asked for as many tops as fit.
  const shown = whole ? page : await findPage(context, search, { limit: count, more, fit: (nodes) => nodes.length });
  return [...cutLines(groups.slice(0, count).flat()), ...moreLine(shown.next)].join('\n');
}

/** `more` is the id of the last child shown. */
async function branchOutline(
  context: ToolContext,
  node: string,
  depth: number,
  more: string | undefined,
): Promise<string> {
  const root = await resolveNode(context, node);
  const outline = await readOutline(context, [root], depth, more);
  const read = outline.nodes.get(root);
  if (read === undefined) throw new ToolFailure('not_found', `There is no node ${root}, or you may not see it.`);
  const { shown, hidden } = outline.children.get(root) ?? NO_CHILDREN;
  const groups = shown.map((id) => linesOf(outline, id, 1, context.nowMs()));
  const count = countFitting(groups);
  const isMore = count < shown.length || hidden > 0;
  const last = shown[count - 1];
  const cut = outline.partial.has(root)
    ? ['It has more links than an outline reads: find_nodes with blocks has all.']
    : [];
  return [
    nodeLine(read, context.nowMs()),
    ...cutLines(groups.slice(0, count).flat()),
    ...cut,
    ...moreLine(isMore && last !== undefined ? last : null),
  ].join('\n');
}

interface Children {
  readonly shown: readonly string[];
  /** The number of others. */
  readonly hidden: number;
}

const NO_CHILDREN: Children = { shown: [], hidden: 0 };

interface Outline {
  readonly nodes: Map<string, ShownNode>;
  /** By the id of the parent. */
  readonly children: Map<string, Children>;
  /** Nodes of which not all links were read. */
  readonly partial: Set<string>;
  /** Calls that may still be made. */
  calls: number;
}

async function readOutline(
  context: ToolContext,
  tops: readonly string[],
  depth: number,
  after?: string,
): Promise<Outline> {
  const outline: Outline = { nodes: new Map(), children: new Map(), partial: new Set(), calls: MOST_CALLS };
  let level = tops;
  for (let down = 0; level.length > 0; down++) {
    const below = await readLevel(context, level, outline);
    const most = down === 0 && tops.length === 1 ? FIRST_LEVEL : MOST_CHILDREN;
    const next = new Set<string>();
    for (const parent of level) {
      const all = below.get(parent) ?? [];
      const rest = down === 0 && after !== undefined ? afterChild(all, after) : all;
      const room = down < depth ? MOST_NODES - outline.nodes.size - next.size : 0;
      const shown = rest.slice(0, Math.max(0, Math.min(most, room)));
      outline.children.set(parent, { shown, hidden: rest.length - shown.length });
      for (const id of shown) if (!outline.nodes.has(id)) next.add(id);
    }
    level = [...next];
  }
  return outline;
}

/**
 * Reads the nodes of a level. Returns their children in order of the links, which is that of time.
 * A call reads a bounded number of links: if it is too small for several nodes, their halves are
 * read again.
 */
async function readLevel(
  { service }: ToolContext,
  level: readonly string[],
  outline: Outline,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const below = new Map<string, readonly string[]>();
  const groups = [level.slice(0, MOST_IDS), level.slice(MOST_IDS)].filter(({ length }) => length > 0);
  for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
    const isNew = group.some((id) => !outline.nodes.has(id));
    if (outline.calls <= 0 && !isNew) continue;
    outline.calls--;
    const { nodes, links, truncated } = await readNodes(service, group, { links: true });
    for (const [id, node] of nodes) outline.nodes.set(id, node);
    for (const [id, children] of childrenIn(links, group)) below.set(id, children);
    for (const id of group)
      if (truncated) outline.partial.add(id);
      else outline.partial.delete(id);
    const half = Math.ceil(group.length / 2);
    if (truncated && group.length > 1) groups.push(group.slice(0, half), group.slice(half));
  }
  return below;
}

function childrenIn(links: readonly PageLink[], parents: readonly string[]): Map<string, string[]> {
  const children = new Map<string, string[]>(parents.map((id) => [id, []]));
  for (const { source, target, type } of [...links].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    if (type === LinkType.PRIMARY) children.get(target)?.push(source);
  }
  return children;
}

function afterChild(all: readonly string[], after: string): readonly string[] {
  const at = all.indexOf(after);
  if (at >= 0) return all.slice(at + 1);
  throw new ToolFailure('bad_request.invalid_more', 'The outline has changed: ask for it again from the start.');
}

/** A node and its children, each once: a node with several parents is shown whole at the first. */
function linesOf(outline: Outline, top: string, level: number, nowMs: number): string[] {
  const lines: string[] = [];
  const expanded = new Set<string>();
  const add = (id: string, depth: number) => {
    const node = outline.nodes.get(id);
    if (node === undefined) return;
    const { shown, hidden } = outline.children.get(id) ?? NO_CHILDREN;
    const isRepeated = expanded.has(id);
    expanded.add(id);
    const isPartial = outline.partial.has(id);
    const more = `${hidden}${isPartial ? ' or more' : ' more'} below ${shortId(id)}`;
    const repeated = shown.length + hidden > 0 ? ' (shown above with the nodes below it)' : '';
    const note = isRepeated ? repeated : hidden > 0 || isPartial ? ` (${more})` : '';
    lines.push(`${'  '.repeat(depth)}- ${nodeLine(node, nowMs)}${note}`);
    if (!isRepeated) for (const child of shown) add(child, depth + 1);
  };
  add(top, level);
  return lines;
}

/** The number of groups that fit into an answer; at least one. */
function countFitting(groups: readonly (readonly string[])[]): number {
  let lines = 0;
  const fit = fitting(groups.flat());
  for (const [index, group] of groups.entries()) {
    lines += group.length;
    if (lines > fit) return Math.max(1, index);
  }
  return groups.length;
}

function cutLines(lines: readonly string[]): string[] {
  const count = fitting(lines, ANSWER_BYTES);
  return [
    ...lines.slice(0, count),
    ...(count < lines.length ? ['The outline is cut here: ask for a smaller depth.'] : []),
  ];
}
