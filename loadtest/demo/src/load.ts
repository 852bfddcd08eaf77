// Loads a plan over the public API: every job becomes a node, every precedence a blocking link.
import type { TaskgraphClient } from '@taskgraph/client';
import type { Plan } from './plan.ts';

/** Concurrent commands: enough to fill groups, and far below a socket's limit. */
const AT_ONCE = 64;

export interface LoadedPlan {
  /** Node id by job number. */
  readonly nodes: ReadonlyMap<number, string>;
  /** Batches of all commands, in no order. */
  readonly batches: readonly string[];
}

/** Creates nodes, then links. Calls `onStep` after each. */
export async function loadPlan(client: TaskgraphClient, plan: Plan, onStep: () => void): Promise<LoadedPlan> {
  const nodes = new Map<number, string>();
  const batches: string[] = [];
  await forEachConcurrently(plan.jobs, async ({ number, title, duration }) => {
    const { diff } = await client.node.add({ title, volume: duration });
    nodes.set(number, diff.nodes[0]?.after.id as string);
    batches.push(diff.batchId as string);
    onStep();
  });
  const links = plan.jobs.flatMap(({ number, successors }) =>
    successors.map((successor) => [number, successor] as const),
  );
  await forEachConcurrently(links, async ([from, to]) => {
    const [source, target] = [nodes.get(from) as string, nodes.get(to) as string];
    const { diff } = await client.link.add({ source, target, type: 0 });
    batches.push(diff.batchId as string);
    onStep();
  });
  return { nodes, batches };
}

async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
