// Project plans: PSPLIB's single-mode files (`.sm`), and a small JSON format for the bundled
// example.
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { readFile as readTransfer } from '@taskgraph/client/transfer';

/** One job; it blocks its successors until it is completed. */
interface PlannedJob {
  readonly number: number;
  readonly title: string;
  /** In the plan's own time units. */
  readonly duration: number;
  readonly successors: readonly number[];
}

export interface Plan {
  readonly name: string;
  readonly jobs: readonly PlannedJob[];
}

/** The largest plan that the demo accepts. */
const MAXIMUM_JOBS = 5_000;

/** Reads a plan. Throws an Error with the file name and the mistake in it. */
export async function readPlan(path: string): Promise<Plan> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `${path}: there is no such file` : `${path}: ${error.message}`);
  });
  try {
    const plan = extname(path) === '.json' ? (JSON.parse(text) as Plan) : psplibPlan(text, basename(path));
    checkPlan(plan);
    return plan;
  } catch (error) {
    throw new Error(`${path} is not a plan: ${(error as Error).message}`);
  }
}

/** The jobs of a PSPLIB single-mode file. */
function psplibPlan(text: string, name: string): Plan {
  const { nodes, links } = readTransfer(text, 'psplib');
  const successors = new Map<string, number[]>(nodes.map(({ key }) => [key, []]));
  for (const { source, target } of links) successors.get(source)?.push(Number(target));
  const jobs = nodes.map(({ key, title, volume }) => {
    return { number: Number(key), title, duration: volume, successors: successors.get(key) ?? [] };
  });
  return { name, jobs: jobs.sort((one, other) => one.number - other.number) };
}

function checkPlan(plan: Plan): void {
  if (!Array.isArray(plan.jobs) || plan.jobs.length === 0) throw new Error('it holds no jobs');
  if (plan.jobs.length > MAXIMUM_JOBS) throw new Error(`it holds more than ${MAXIMUM_JOBS} jobs`);
  const numbers = new Set(plan.jobs.map(({ number }) => number));
  if (numbers.size !== plan.jobs.length) throw new Error('two jobs have one number');
  for (const { number, successors } of plan.jobs) {
    const unknown = (successors as readonly number[]).find((successor) => !numbers.has(successor));
    if (unknown !== undefined) throw new Error(`job ${number} has the successor ${unknown}, which is not a job`);
  }
  if (topologicalOrder(plan).length !== plan.jobs.length) throw new Error('its jobs wait for each other in a circle');
}

/**
 * Job numbers in an order where every job follows its predecessors (Kahn). Jobs on a cycle are left
 * out.
 */
export function topologicalOrder(plan: Plan): number[] {
  const waitingFor = predecessorCounts(plan);
  const successors = new Map(plan.jobs.map((job) => [job.number, job.successors]));
  const order = plan.jobs.map(({ number }) => number).filter((number) => waitingFor.get(number) === 0);
  // The list grows during the loop, as the queue of the algorithm.
  for (const number of order) {
    for (const successor of successors.get(number) ?? []) {
      const left = (waitingFor.get(successor) ?? 0) - 1;
      waitingFor.set(successor, left);
      if (left === 0) order.push(successor);
    }
  }
  return order;
}

/** The number of predecessors of each job. */
export function predecessorCounts(plan: Plan): Map<number, number> {
  const counts = new Map(plan.jobs.map(({ number }) => [number, 0]));
  for (const { successors } of plan.jobs) {
    for (const successor of successors) counts.set(successor, (counts.get(successor) ?? 0) + 1);
  }
  return counts;
}
