// Project plans: PSPLIB's single-mode files (`.sm`), and a small JSON form of our own for the bundled example.
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';

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

/** Most jobs of a plan: what a demo can show. */
const MAXIMUM_JOBS = 5_000;

/** Reads a plan. Throws an Error that names the file and what is wrong with it. */
export async function readPlan(path: string): Promise<Plan> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `${path}: there is no such file` : `${path}: ${error.message}`);
  });
  try {
    const plan = extname(path) === '.json' ? (JSON.parse(text) as Plan) : parsePsplib(text, basename(path));
    checkPlan(plan);
    return plan;
  } catch (error) {
    throw new Error(`${path} is not a plan: ${(error as Error).message}`);
  }
}

/**
 * Parses a single-mode file of PSPLIB (Kolisch and Sprecher, 1997): the sections PRECEDENCE RELATIONS (job, modes, number of
 * successors, successors) and REQUESTS/DURATIONS (job, mode, duration, demands).
 */
export function parsePsplib(text: string, name: string): Plan {
  const durations = new Map(rowsOf(text, 'REQUESTS/DURATIONS').map(([job, , duration]) => [job, duration]));
  const jobs = rowsOf(text, 'PRECEDENCE RELATIONS').map(([number = 0, , count = 0, ...successors]) => {
    if (successors.length !== count)
      throw new Error(`job ${number} names ${successors.length} successors, not ${count}`);
    return { number, title: `Job ${number}`, duration: durations.get(number) ?? 0, successors };
  });
  return { name, jobs };
}

/** The rows of numbers in a section, which ends at a line of asterisks. */
function rowsOf(text: string, section: string): number[][] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.startsWith(section));
  if (start < 0) throw new Error(`the section ${section} is missing`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('***'));
  return rest
    .slice(0, end < 0 ? undefined : end)
    .filter((line) => /^\s*\d[\d\s]*$/.test(line))
    .map((line) => line.trim().split(/\s+/).map(Number));
}

function checkPlan(plan: Plan): void {
  if (!Array.isArray(plan.jobs) || plan.jobs.length === 0) throw new Error('it holds no jobs');
  if (plan.jobs.length > MAXIMUM_JOBS) throw new Error(`it holds more than ${MAXIMUM_JOBS} jobs`);
  const numbers = new Set(plan.jobs.map(({ number }) => number));
  if (numbers.size !== plan.jobs.length) throw new Error('two jobs have one number');
  for (const { number, successors } of plan.jobs) {
    const unknown = (successors as readonly number[]).find((successor) => !numbers.has(successor));
    if (unknown !== undefined) throw new Error(`job ${number} has the successor ${unknown}, which is no job`);
  }
  if (topologicalOrder(plan).length !== plan.jobs.length) throw new Error('its jobs wait for each other in a circle');
}

/** Job numbers such that every job comes after all its predecessors (Kahn); jobs on a cycle are left out. */
export function topologicalOrder(plan: Plan): number[] {
  const waitingFor = predecessorCounts(plan);
  const successors = new Map(plan.jobs.map((job) => [job.number, job.successors]));
  const order = plan.jobs.map(({ number }) => number).filter((number) => waitingFor.get(number) === 0);
  // The list grows while it is walked, which makes it the queue of the algorithm.
  for (const number of order) {
    for (const successor of successors.get(number) ?? []) {
      const left = (waitingFor.get(successor) ?? 0) - 1;
      waitingFor.set(successor, left);
      if (left === 0) order.push(successor);
    }
  }
  return order;
}

/** How many predecessors each job has. */
export function predecessorCounts(plan: Plan): Map<number, number> {
  const counts = new Map(plan.jobs.map(({ number }) => [number, 0]));
  for (const { successors } of plan.jobs) {
    for (const successor of successors) counts.set(successor, (counts.get(successor) ?? 0) + 1);
  }
  return counts;
}
