// The answer of graph:plan without dates, by brute force. Rules: PLAN1, PLAN2, PLAN3.
import { LinkType, Status } from '@taskgraph/wire/codes';
import { branchOf, graphOf, type ShownGraph } from './reads.ts';
import { seesLink } from './rules/access.ts';
import { byId, type ReadRefusal } from './rules/reader-view.ts';
import { blockersOf } from './rules/status.ts';
import type { ModelState, ModelUser } from './state.ts';

export interface ShownPlan {
  readonly makespan: number;
  readonly nodes: readonly {
    readonly id: string;
    readonly earliestStart: number;
    readonly earliestFinish: number;
    readonly latestStart: number;
    readonly latestFinish: number;
    readonly slack: number;
    readonly hidden?: true;
  }[];
  readonly ready: readonly string[];
}

/** A branch or, without a root, everything that the user is shown. */
export function planOf(state: ModelState, user: ModelUser, root: string | null, now: string): ShownPlan | ReadRefusal {
  const graph = root === null ? graphOf(state, user, now) : branchOf(state, user, root, now);
  if ('error' in graph) return graph;
  const { earliestFinish, tail, lasts } = timesOf(graph);
  const makespan = Math.max(0, ...graph.nodes.map(({ id }) => earliestFinish(id)));
  const nodes = graph.nodes.map(({ id, status }) => {
    const latestFinish = makespan - tail(id);
    const isHidden =
      status === Status.BLOCKED && blockersOf(state, id).some((link) => !seesLink(state, user, link, now));
    return {
      id,
      earliestStart: earliestFinish(id) - lasts(id),
      earliestFinish: earliestFinish(id),
      latestStart: latestFinish - lasts(id),
      latestFinish,
      slack: latestFinish - earliestFinish(id),
      ...(isHidden ? { hidden: true as const } : {}),
    };
  });
  const slackOf = (id: string) => nodes.find((node) => node.id === id)!.slack;
  const ready = graph.nodes
    .filter(({ status }) => status === Status.AVAILABLE || status === Status.IN_PROGRESS)
    .sort(
      (a, b) =>
        b.status - a.status ||
        slackOf(a.id) - slackOf(b.id) ||
        byText(a.dueDate ?? '~', b.dueDate ?? '~') ||
        b.priority - a.priority ||
        byId(a, b),
    );
  return { makespan, nodes: nodes.sort(byId), ready: ready.map(({ id }) => id) };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The longest path to a node's end, and from there to the end of the plan, by trying all paths. */
function timesOf({ nodes, links }: ShownGraph) {
  const node = (id: string) => nodes.find((one) => one.id === id)!;
  const waits = links.filter(({ type, target }) => type === LinkType.PRIMARY && !node(target).independent);
  const lasts = (id: string) => (node(id).status === Status.COMPLETED ? 0 : node(id).volume);
  const remembered = (work: (id: string) => number) => {
    const known = new Map<string, number>();
    return (id: string): number => {
      const found = known.get(id) ?? work(id);
      known.set(id, found);
      return found;
    };
  };
  const earliestFinish = remembered((id) => {
    const before = waits.filter(({ target }) => target === id).map(({ source }) => earliestFinish(source));
    return Math.max(0, ...before) + lasts(id);
  });
  const tail = remembered((id) => {
    const after = waits.filter(({ source }) => source === id).map(({ target }) => tail(target) + lasts(target));
    return Math.max(0, ...after);
  });
  return { earliestFinish, tail, lasts };
}
