// The nodes at some positions of due dates that are for a webhook, as its user sees them now. Rules: HOOK2, HOOK5.
import { createWhereTest } from '@taskgraph/domain/find/conditions';
import { foldTexts } from '@taskgraph/domain/find/text-match';
import { viewNode } from '@taskgraph/domain/views/view';
import { type DueEvent, dueEvent } from '@taskgraph/domain/webhooks/due-events';
import type { Branch } from '@taskgraph/domain/webhooks/event-filter';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { accessByShown } from '@taskgraph/graph-store/reads/reader';
import type { DuePosition } from '@taskgraph/wire/bus/gateway-reads';
import { Status } from '@taskgraph/wire/codes';
import type { WireNode } from '@taskgraph/wire/entities';
import { searchable } from '../find/node-index.ts';
import { levelOn, projectionOf } from '../reader-view.ts';
import { branchOf, contextOf, type FilterSource, whereOf } from './event-filter.ts';

/** The filter of a webhook for due nodes. */
export interface DueFilter {
  /** The conditions as JSON. */
  readonly where: string | null;
  readonly branch: Branch | null;
}

export async function dueFilterOf(
  source: FilterSource,
  { root, where }: { readonly root: string | null; readonly where: string | null },
): Promise<DueFilter> {
  return { where, branch: root === null ? null : await branchOf(source, root) };
}

/** The active and open nodes at these positions that the user sees and the filter selects, in order. */
export async function openNodesAt(
  source: FilterSource,
  { where, branch }: DueFilter,
  positions: readonly DuePosition[],
): Promise<WireNode[]> {
  const ids = positions.map(({ id }) => id).filter((id) => branch === null || branch.ids.has(id));
  if (ids.length === 0) return [];
  const nodes = await seenNodes(source, ids);
  const meets = where === null ? null : await testOf(source, where, ids);
  const times = new Map(positions.map(({ id, time }) => [id, time]));
  return ids.flatMap((id) => {
    const node = nodes.get(id);
    // It may have changed since the search.
    if (node === undefined || node.status === Status.COMPLETED || node.dueDate !== times.get(id)) return [];
    return meets === null || meets(node) ? [node] : [];
  });
}

/** The event of a node, with all fields but the description, which may be longer than a message. */
export function dueEventOf({ description: _, ...fields }: WireNode): DueEvent {
  return dueEvent(fields.id, fields);
}

async function testOf(
  source: FilterSource,
  json: string,
  ids: readonly string[],
): Promise<(node: WireNode) => boolean> {
  const where = whereOf(json);
  const meets = createWhereTest(where);
  const context = await contextOf(source, where, ids);
  return (node) => meets(searchable(node, foldTexts(node)), context);
}

/** The active nodes that the user sees, by id, with empty descriptions. */
async function seenNodes(source: FilterSource, ids: readonly string[]): Promise<Map<string, WireNode>> {
  const { database, actor, readerAccess, pageBytes } = source;
  // Hidden grants open no feed (ACL6).
  const access = accessByShown(readerAccess);
  const views: WireNode[] = [];
  for (let at = 0; at < ids.length; ) {
    const budget = createByteBudget(pageBytes);
    const page = await readNodesWithFeeds(database, ids.slice(at), budget, { hasDescriptions: false });
    const visible = page.nodes.filter((one) => !one.node.inTrash && levelOn(access, one) !== null);
    const projection = await projectionOf(database, actor, readerAccess, visible);
    views.push(...visible.map(({ node }) => viewNode(node, projection)));
    at += Math.max(1, page.consumed);
  }
  return new Map(views.map((node) => [node.id, node]));
}
