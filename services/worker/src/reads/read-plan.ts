// Answers graph:plan: the plan of a branch, or of everything visible to the caller. Rules: PLAN1 to
// PLAN6, ACL1, LNK9.

import { allows } from '@taskgraph/domain/access/reader-access';
import {
  datesOf,
  type LateNode,
  type Plan,
  type PlanInput,
  planOf,
  type Slip,
  slipOf,
} from '@taskgraph/domain/plan/plan';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type PlannedNode, readPlannedNodes } from '@taskgraph/graph-store/reads/plan/planned-nodes';
import { levelOf, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes } from '@taskgraph/graph-store/reads/visible';
import type { Membership } from '@taskgraph/graph-store/reads/visible-ids';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level, Status } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { OPERATIONS, type PayloadSchema } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import type { z } from 'zod';
import { branchOf } from './branch-members.ts';
import { accessKey } from './cache/cached-page.ts';
import type { CachedPlan } from './cache/plans.ts';
import { shownMembership } from './read-graph.ts';
import { asUser, type Body, type ReadEnvironment } from './read-handler.ts';
import { readPresentAccess } from './stable-access.ts';
import { withUnseenBlockers } from './why/hidden-blockers.ts';

/**
 * Rough size of a node in an answer, bytes, and the most entries of the lists of ids and of nodes
 * with dates: a first page contains all of these.
 */
const NODE_BYTES = 260;
const MOST_IDS = 2_500;
const MOST_ENTRIES = 1_000;

/**
 * A page of a plan; null if links changed while they were read, so that they seem to form a cycle.
 */
export const readPlan = asUser(async (message, actor, environment): Promise<Body | Refusal | null> => {
  const payload = parsePayload(OPERATIONS['graph:plan'], message.payload);
  if (isRefusal(payload)) return payload;
  const { database, pages } = environment;
  const readerAccess = await readPresentAccess(environment, actor, payload.root === undefined ? [] : [payload.root]);
  const cached = await cachedPlan(environment, { actor, readerAccess, payload });
  if (cached === null || isRefusal(cached)) return cached;

  const { plan, slip } = cached;
  const { nodes } = plan;
  const { start, unit, after } = payload;
  const calendar = start === undefined || unit === undefined ? null : { start, unit };
  const from = after === undefined ? 0 : placeAfter(nodes, after);
  const page = nodes.slice(from, from + Math.min(payload.limit, Math.max(1, Math.floor(pages.pageBytes / NODE_BYTES))));
  const hidden = await withUnseenBlockers(database, readerAccess, {
    blockers: new Map(
      page.flatMap(({ id }) => (cached.blockers.has(id) ? [[id, cached.blockers.get(id) as number]] : [])),
    ),
    isPlanned: (id) => nodes[placeAfter(nodes, id) - 1]?.id === id,
  });
  const hasMore = from + page.length < nodes.length;
  return {
    makespan: plan.makespan,
    nodes: page.map((node) => ({
      ...node,
      ...(calendar === null ? {} : datesOf(node, calendar)),
      ...(hidden.has(node.id) ? { hidden: true } : {}),
    })),
    hasMore,
    next: hasMore ? (page.at(-1)?.id ?? null) : null,
    ...(after === undefined ? firstPage(plan, slip) : {}),
    ...(payload.root === undefined && readerAccess.shownTruncated ? { truncated: true } : {}),
  };
});

interface PlanRequest {
  readonly actor: ActingUser;
  readonly readerAccess: ReaderAccess;
  readonly payload: Pick<z.infer<PayloadSchema<'graph:plan'>>, 'root' | 'start' | 'unit' | 'slip'>;
}

/**
 * The cached plan of an earlier read, or a new one; null if links changed while they were read. The
 * access must be read before.
 */
export function cachedPlan(
  { database, plans }: ReadEnvironment,
  request: PlanRequest,
): Promise<CachedPlan | Refusal | null> {
  const { actor, readerAccess, payload } = request;
  const { root, start, unit, slip } = payload;
  const make = () => makePlan(database, readerAccess, payload);
  if (plans === undefined) return make();
  const key = [actor.id, root, start, unit, slip].map((part) => part ?? null);
  return plans.get({ key, access: accessKey(actor, readerAccess) }, make);
}

async function makePlan(
  database: Database,
  readerAccess: ReaderAccess,
  { root, start, unit, slip: requestedSlip }: PlanRequest['payload'],
): Promise<CachedPlan | Refusal | null> {
  const read = await readPlanned(database, readerAccess, root);
  if (isRefusal(read)) return read;
  const { nodes, links, feeds } = read;
  const calendar = start === undefined || unit === undefined ? null : { start, unit };
  const input: PlanInput = { nodes, links, calendar };
  const plan = planOf(input);
  if (plan === null) return null;
  const slip = requestedSlip === undefined ? null : slipIn(input, requestedSlip);
  if (isRefusal(slip)) return slip;
  // Hidden feeds have no known numbers.
  const isNumbered = feeds.some((feed) => readerAccess.shown.some((one) => one.feed === feed));
  return { plan, slip, blockers: plannedBlockers(nodes), isNumbered };
}

/** The nodes and links to plan, and the feeds that all of them share. */
interface PlannedGraph extends Pick<PlanInput, 'links'> {
  readonly nodes: readonly PlannedNode[];
  readonly feeds: readonly string[];
}

/** The nodes of the branch of `root`, or of everything visible to the reader, with their links. */
async function readPlanned(
  database: Database,
  readerAccess: ReaderAccess,
  root: string | undefined,
): Promise<PlannedGraph | Refusal> {
  const everything = {
    members: shownMembership(readerAccess),
    feeds: readerAccess.shown.map(({ feed }) => feed),
  };
  const scope = root === undefined ? everything : await branchOf(database, readerAccess, root);
  if (isRefusal(scope)) return scope;
  const nodes = await nodesOf(database, readerAccess, scope.members);
  if (isRefusal(nodes)) return nodes;
  const links = nodes.flatMap(({ id, blocks }) => blocks.map((target) => ({ source: id, target })));
  return { nodes, links, feeds: scope.feeds };
}

/** By Blocked node: the number of its planned blockers, over visible links. */
function plannedBlockers(planned: readonly PlannedNode[]): ReadonlyMap<string, number> {
  const counts = new Map(planned.flatMap(({ id, status }) => (status === Status.BLOCKED ? [[id, 0]] : [])));
  for (const { status, blocks } of planned) {
    if (status === Status.COMPLETED) continue;
    for (const target of blocks) {
      const count = counts.get(target);
      if (count !== undefined) counts.set(target, count + 1);
    }
  }
  return counts;
}

/** The index of the first node past an id, in a list sorted by id. */
function placeAfter(nodes: readonly { readonly id: string }[], id: string): number {
  let [low, high] = [0, nodes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((nodes[middle] as { readonly id: string }).id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The nodes to plan, or a refusal if there are too many. */
async function nodesOf(
  database: Database,
  readerAccess: ReaderAccess,
  members: Membership | readonly string[],
): Promise<PlannedNode[] | Refusal> {
  const nodes = await readPlannedNodes(database, members, readerAccess.readerId);
  if ('most' in nodes) {
    const { most, of } = nodes;
    return refuse('bad_request.too_large', `A plan has at most ${most} ${of}.`, { most });
  }
  return 'feeds' in members ? nodes : stillSeen(database, readerAccess, nodes);
}

/** The nodes that are visible now: a branch may have lost some since its members were read. */
async function stillSeen(
  database: Database,
  readerAccess: ReaderAccess,
  nodes: readonly PlannedNode[],
): Promise<PlannedNode[]> {
  const places = await locateNodes(
    database,
    nodes.map(({ id }) => id),
  );
  return nodes.filter(({ id }) => {
    const place = places.get(id);
    return place !== undefined && !place.inTrash && allows(levelOf(readerAccess, place), Level.VIEWER);
  });
}

function slipIn(input: PlanInput, asked: string | { readonly id: string; readonly by: number }): Slip | Refusal {
  const [id = '', by = ''] = typeof asked === 'string' ? asked.split(':') : [asked.id, String(asked.by)];
  const slip = slipOf(input, { id: id.toLowerCase(), by: Number(by) });
  if (slip !== null) return slip;
  const isPlanned = input.nodes.some((node) => node.id === id.toLowerCase());
  return isPlanned
    ? refuse('conflict.not_open', 'The node in slip is completed.', { id })
    : refuse('not_found', 'The node in slip is not in the plan.', { id });
}

function firstPage({ critical, ready, late }: Plan, slip: Slip | null): Body {
  const cut = { critical: critical.slice(0, MOST_IDS), ready: ready.slice(0, MOST_IDS), late: late && entries(late) };
  const told = slip && {
    makespan: slip.makespan,
    ...(slip.late.before && slip.late.after
      ? { late: { before: entries(slip.late.before), after: entries(slip.late.after) } }
      : {}),
    nodes: slip.nodes.slice(0, MOST_ENTRIES),
  };
  const truncated =
    [critical, ready].some((list) => list.length > MOST_IDS) ||
    [late, slip?.late.before, slip?.late.after, slip?.nodes].some((list) => (list?.length ?? 0) > MOST_ENTRIES);
  return {
    critical: cut.critical,
    ready: cut.ready,
    ...(cut.late === null ? {} : { late: cut.late }),
    ...(told === null ? {} : { slip: told }),
    ...(truncated ? { truncated: true } : {}),
  };
}

function entries(late: readonly LateNode[]): readonly LateNode[] {
  return late.slice(0, MOST_ENTRIES);
}
