// Answers graph:plan: what comes first in a branch, or in all that the caller is shown. Rules: PLAN1 to PLAN6, ACL1, LNK9.

import { parsePayload } from '@taskgraph/commands/payload';
import { graphPlan } from '@taskgraph/commands/reads/graph-plan';
import { allows } from '@taskgraph/domain/access/access';
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
import {
  MAXIMUM_PLANNED,
  type PlannedNode,
  readPlannedNodes,
} from '@taskgraph/graph-store/reads/planning/planned-nodes';
import { levelOf, type ReaderAccess, readReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { locateNodes } from '@taskgraph/graph-store/reads/visible';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { branchOf } from './branch-members.ts';
import { withUnseenBlockers } from './explaining/unseen-blockers.ts';
import { shownMembership } from './read-graph.ts';
import { asUser, type Body, nowOf } from './reading.ts';

/** About what a node of a page takes in an answer, and the most entries of lists of ids and of nodes with dates: a first page bears all of them. */
const NODE_BYTES = 260;
const MOST_IDS = 2_500;
const MOST_ENTRIES = 1_000;

/** A page of a plan; null where links were changed while they were read, so that they seem to close a circle. */
export const readPlan = asUser(async (message, actor, environment): Promise<Body | Refusal | null> => {
  const payload = parsePayload(graphPlan, message.payload);
  if (isRefusal(payload)) return payload;
  const { database, pages } = environment;
  const readerAccess = await readReaderAccess(database, actor, nowOf(environment));
  const found = await nodesOf(database, readerAccess, payload.root);
  if (isRefusal(found)) return found;
  const { start, unit, after } = payload;
  const calendar = start === undefined || unit === undefined ? null : { start, unit };
  const links = found.flatMap(({ id, blocks }) => blocks.map((target) => ({ source: id, target })));
  const input: PlanInput = { nodes: found, links, calendar };
  const plan = planOf(input);
  if (plan === null) return null;
  const slip = payload.slip === undefined ? null : slipIn(input, payload.slip);
  if (isRefusal(slip)) return slip;

  const left = after === undefined ? plan.nodes : plan.nodes.filter(({ id }) => id > after);
  const page = left.slice(0, Math.min(payload.limit, Math.max(1, Math.floor(pages.pageBytes / NODE_BYTES))));
  const shown = new Set(page.map(({ id }) => id));
  const hidden = await withUnseenBlockers(database, readerAccess, found, shown);
  const hasMore = page.length < left.length;
  return {
    makespan: plan.makespan,
    nodes: page.map((node) => ({
      ...node,
      ...(calendar === null ? {} : datesOf(node, calendar)),
      ...(hidden.has(node.id) ? { hidden: true } : {}),
    })),
    ...{ hasMore, next: hasMore ? (page.at(-1)?.id ?? null) : null },
    ...(after === undefined ? firstPage(plan, slip) : {}),
  };
});

/** The nodes to plan; a refusal where the root is not the caller's to see, or they are too many. */
async function nodesOf(
  database: Database,
  readerAccess: ReaderAccess,
  root: string | undefined,
): Promise<PlannedNode[] | Refusal> {
  const members = root === undefined ? shownMembership(readerAccess) : await branchOf(database, readerAccess, root);
  if (isRefusal(members)) return members;
  const listed = 'ids' in members;
  const nodes = await readPlannedNodes(database, listed ? members.ids : members, readerAccess.readerId);
  if (nodes === null) {
    return refuse('bad_request.too_large', `A plan has at most ${MAXIMUM_PLANNED} nodes.`, { most: MAXIMUM_PLANNED });
  }
  return listed ? stillSeen(database, readerAccess, nodes) : nodes;
}

/** Those that the reader sees now: a branch may have lost some since its members were found. */
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
    ? refuse('conflict.not_open', 'The node that is to slip is completed.', { id })
    : refuse('not_found', 'The node that is to slip is none of the plan.', { id });
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
  const isCut =
    [critical, ready].some((list) => list.length > MOST_IDS) ||
    [late, slip?.late.before, slip?.late.after, slip?.nodes].some((list) => (list?.length ?? 0) > MOST_ENTRIES);
  return {
    ...{ critical: cut.critical, ready: cut.ready },
    ...(cut.late === null ? {} : { late: cut.late }),
    ...(told === null ? {} : { slip: told }),
    ...(isCut ? { truncated: true } : {}),
  };
}

function entries(late: readonly LateNode[]): readonly LateNode[] {
  return late.slice(0, MOST_ENTRIES);
}
