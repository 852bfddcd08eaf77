// The tests of a webhook's events, as its user sees the graph now. Rules: FIND2, HOOK2, HOOK5.
import { levelIfActive } from '@taskgraph/domain/access/trash-visibility';
import {
  createWhereTest,
  type FindableNode,
  type FindContext,
  neighborsIn,
  readsLinks,
  type Where,
} from '@taskgraph/domain/find/conditions';
import { foldTexts } from '@taskgraph/domain/find/text-match';
import { viewNode } from '@taskgraph/domain/views/view';
import { type Branch, type EventTests, eventsFor } from '@taskgraph/domain/webhooks/event-filter';
import type { BatchEvents } from '@taskgraph/domain/webhooks/webhook-body';
import type { ShownEvent } from '@taskgraph/domain/webhooks/webhook-events';
import { readBranch } from '@taskgraph/graph-store/reads/branch-entities';
import { readLinkFacts } from '@taskgraph/graph-store/reads/link-facts';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { readVisible } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { WireNode } from '@taskgraph/wire/entities';
import { findConditions } from '@taskgraph/wire/operations/find-operations';
import { searchable } from '../find/node-index.ts';
import { levelOn, projectionOf } from '../reader-view.ts';
import type { EventSource } from './batch-events.ts';

/** The filter of a webhook. */
export interface WebhookFilter {
  readonly root: string | null;
  readonly events: readonly string[];
  /** The conditions as JSON. */
  readonly where: string | null;
}

export interface FilterSource extends EventSource {
  readonly actor: ActingUser;
  /** Most bytes of the nodes that the conditions judge; further ones count as unknown. */
  readonly pageBytes: number;
}

/** The parts of some batches that are for a webhook. */
export type EventFilter = (batches: readonly BatchEvents[]) => Promise<BatchEvents[]>;

export async function eventFilterOf(
  source: FilterSource,
  { root, events, where }: WebhookFilter,
): Promise<EventFilter> {
  const branch = root === null ? null : await branchOf(source, root);
  const conditions = where === null ? null : whereOf(where);
  return async (batches) => {
    const meets = conditions === null ? null : await testOf(source, conditions, batches);
    const tests = { filters: events, branch, meets };
    return batches.flatMap((batch) => eventsFor(batch, tests) ?? []);
  };
}

/**
 * A branch; nothing but access to its root if the user does not see that. Null, as for the whole graph,
 * if it has too many entities to test.
 */
export async function branchOf({ database, readerAccess }: FilterSource, root: string): Promise<Branch | null> {
  const visible = await readVisible(database, readerAccess, { nodes: [root] });
  const node = visible.node(root);
  const feeds = new Set(node?.feeds ?? []);
  if (node === null || levelIfActive(visible, root) === null) return { ids: new Set(), root, feeds };
  const { ids, cut } = await readBranch(database, node, readerAccess.readerId);
  return cut ? null : { ids: new Set(ids), root, feeds };
}

/** Conditions of an older release that this one does not know are met by no node. */
export function whereOf(json: string): Where {
  const parsed = findConditions.safeParse(JSON.parse(json));
  return parsed.success ? (parsed.data as Where) : { level: [] };
}

async function testOf(
  source: FilterSource,
  where: Where,
  batches: readonly BatchEvents[],
): Promise<NonNullable<EventTests['meets']>> {
  const events = batches.flatMap((batch) => batch.events).filter(({ type }) => type.startsWith('node.'));
  const nodes = await presentNodes(source, [...new Set(events.map(({ id }) => id))]);
  const meets = createWhereTest(where);
  const context = await contextOf(source, where, [...nodes.keys()]);
  return (event) => {
    const node = nodes.get(event.id);
    if (node === undefined) return null;
    const meetsWith = (fields: ShownEvent['after']) => meets(withFields(node, fields), context);
    return { before: event.before !== null && meetsWith(event.before), after: meetsWith(event.after) };
  };
}

/** A node with the fields of an earlier state. */
function withFields(node: WireNode, fields: ShownEvent['after']): FindableNode {
  const earlier = { ...node, ...fields } as WireNode;
  return searchable(earlier, foldTexts(earlier));
}

/** The active nodes that the user sees, by id. */
async function presentNodes(
  { database, actor, readerAccess, pageBytes }: FilterSource,
  ids: readonly string[],
): Promise<Map<string, WireNode>> {
  const { nodes } = await readNodesWithFeeds(database, ids, createByteBudget(pageBytes));
  const visible = nodes.filter((one) => !one.node.inTrash && levelOn(readerAccess, one) !== null);
  const projection = await projectionOf(database, actor, readerAccess, visible);
  return new Map(visible.map(({ node }) => [node.id, viewNode(node, projection)]));
}

export async function contextOf(
  { database, actor, readerAccess }: FilterSource,
  where: Where,
  nodes: readonly string[],
): Promise<FindContext> {
  const { now, readerId, levels } = readerAccess;
  const feeds = [...levels.keys()];
  const links = readsLinks(where)
    ? await readLinkFacts(database, { nodes, neighbors: neighborsIn(where), readerId, feeds })
    : null;
  return { now, username: actor.username, links };
}
