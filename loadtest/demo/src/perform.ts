// Completes the jobs in topological order, and checks every push against the unblocked jobs of the
// plan.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskgraphClient } from '@taskgraph/client';
import type { LoadedPlan } from './load.ts';
import { type Plan, predecessorCounts, topologicalOrder } from './plan.ts';
import type { PushedBatch, Watcher } from './watcher.ts';

const BLOCKED = 2;
const COMPLETED = 3;

export interface DemoResult {
  readonly completed: number;
  readonly unblocked: number;
  /** Milliseconds from sending a command to its push at the watcher, one for each job. */
  readonly pushLatenciesMs: readonly number[];
}

interface PerformOptions {
  readonly client: TaskgraphClient;
  readonly watcher: Watcher;
  readonly plan: Plan;
  readonly loaded: LoadedPlan;
  /** Jobs a second; 0 means no limit. */
  readonly speed: number;
  readonly onStep: (title: string) => void;
}

/** Throws an Error at the first job that is unblocked too early, too late or not at all. */
export async function perform(options: PerformOptions): Promise<DemoResult> {
  const { plan, loaded, watcher, speed } = options;
  const missing = predecessorCounts(plan);
  for (const [number, count] of missing) expectBlocked(options, number, count > 0);
  const jobs = new Map(plan.jobs.map((job) => [job.number, job]));
  const pushLatenciesMs: number[] = [];
  let unblocked = 0;
  for (const number of topologicalOrder(plan)) {
    const id = loaded.nodes.get(number) as string;
    const sentAt = performance.now();
    const { diff } = await options.client.node.update({ id, status: COMPLETED });
    const seen = await watcher.batch(diff.batchId as string);
    pushLatenciesMs.push(performance.now() - sentAt);
    const expected = (jobs.get(number)?.successors ?? []).filter((successor) => {
      missing.set(successor, (missing.get(successor) ?? 0) - 1);
      return missing.get(successor) === 0;
    });
    checkPush(number, id, seen, new Set(expected.map((job) => loaded.nodes.get(job) as string)));
    for (const [job, count] of missing) if (count > 0) expectBlocked(options, job, true);
    unblocked += expected.length;
    options.onStep(jobs.get(number)?.title ?? '');
    if (speed > 0) await sleep(1_000 / speed);
  }
  return { completed: jobs.size, unblocked, pushLatenciesMs };
}

function checkPush(number: number, id: string, seen: PushedBatch, expected: ReadonlySet<string>): void {
  if (!seen.completed.has(id)) throw new Error(`the push of job ${number} does not show it completed`);
  const early = [...seen.unblocked].find((node) => !expected.has(node));
  if (early !== undefined) throw new Error(`completing job ${number} unblocked ${early} too early`);
  const late = [...expected].find((node) => !seen.unblocked.has(node));
  if (late !== undefined)
    throw new Error(`completing job ${number} did not unblock ${late}, whose last predecessor it is`);
}

function expectBlocked({ watcher, loaded }: PerformOptions, number: number, blocked: boolean): void {
  const status = watcher.status(loaded.nodes.get(number) as string);
  if ((status === BLOCKED) === blocked && status !== undefined) return;
  throw new Error(`job ${number} has the status ${status} and should ${blocked ? '' : 'not '}be Blocked`);
}
