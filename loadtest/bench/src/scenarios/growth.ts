// Scenario `growth`: the same calls in graphs of 1,000 and 100,000 nodes, with `--large` of
// 1,000,000 too. Each graph has its own database and they run in turns. The cost of a call must
// depend on its changes or its answer, not on the size of the graph.
import { connect, type TaskgraphClient } from '@taskgraph/client';
import { createForest, type Forest, type Project } from '../forest.ts';
import { median } from '../measure/figures.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement, Pace } from '../scenario.ts';
import { type BenchStack, startBenchStack } from '../stack/bench-stack.ts';
import { createUsers } from '../stack/users.ts';

const SIZES = [1_000, 100_000] as const;
const QUICK_SIZES = [1_000, 10_000] as const;
const LARGE_SIZE = 1_000_000;
/**
 * A round has one grant, some renames and some links in each graph. The smallest graph has ten
 * projects, one of them for warming up.
 */
const ROUNDS = 9;
const RENAMES_A_ROUND = 20;
const LINKS_A_ROUND = 10;
const READS_A_ROUND = 5;
const WARM_UP_ROUNDS = 9;
const QUICK_ROUNDS = 3;

const OPERATIONS = ['rename', 'link', 'grant', 'page', 'changes'] as const;
type Operation = (typeof OPERATIONS)[number];

interface Graph {
  readonly size: number;
  readonly bench: BenchStack;
  readonly client: TaskgraphClient;
  readonly forest: Forest;
  readonly guest: string;
  readonly times: Record<Operation, number[]>;
}

export const growth: Measurement = { stack: null, run };

/**
 * Returns one result for each operation: milliseconds in the largest graph against the smallest.
 */
async function run({ pace, note }: Bench): Promise<Result[]> {
  const graphs: Graph[] = [];
  const [rounds, warmUps] = pace.quick ? [QUICK_ROUNDS, QUICK_ROUNDS] : [ROUNDS, WARM_UP_ROUNDS];
  try {
    for (const size of sizesOf(pace)) {
      note(`planting ${size.toLocaleString('en')} nodes in a stack of their own`);
      graphs.push(await openGraph(size));
    }
    note('warming up');
    for (let round = 0; round < warmUps; round++) for (const graph of graphs) await warmUp(graph, round);
    for (let round = 0; round < rounds; round++) {
      for (const graph of graphs) await measure(graph, round + 1);
      note(`round ${round + 1} of ${rounds}`);
    }
    return OPERATIONS.map((operation) => resultFor(operation, graphs));
  } finally {
    for (const { client, bench } of graphs) {
      client.close();
      await bench.stop();
    }
  }
}

function sizesOf({ quick, large }: Pace): readonly number[] {
  return [...(quick ? QUICK_SIZES : SIZES), ...(large ? [LARGE_SIZE] : [])];
}

async function openGraph(size: number): Promise<Graph> {
  const bench = await startBenchStack({ workers: 1, jobs: 0 });
  const [owner, guest] = await createUsers(bench.access, 'growth', 2);
  if (owner === undefined || guest === undefined) throw new Error('no user was created');
  const forest = await createForest(bench.access, owner.email, size);
  const client = await connect({ url: bench.urls[0] as string, token: owner.token });
  const times = { rename: [], link: [], grant: [], page: [], changes: [] };
  return { size, bench, client, forest, guest: guest.email, times };
}

/**
 * The first project serves only the warm-up: grants on its parts are small, and the other projects
 * stay unread.
 */
async function warmUp(graph: Graph, round: number): Promise<void> {
  const [project] = graph.forest.projects as readonly [Project, ...Project[]];
  const { leaves, parts } = project;
  for (let turn = 0; turn < RENAMES_A_ROUND; turn++) await rename(graph, pick(leaves));
  for (let turn = 0; turn < LINKS_A_ROUND; turn++)
    await link(graph, leaves[turn] as string, leaves[turn + 20] as string);
  await grant(graph, parts[round % parts.length] as string);
  for (let turn = 0; turn < READS_A_ROUND; turn++) {
    await page(graph);
    await changes(graph);
  }
}

async function measure(graph: Graph, at: number): Promise<void> {
  const { projects } = graph.forest;
  const far = projects[projects.length - at] as Project;
  for (let turn = 0; turn < RENAMES_A_ROUND; turn++)
    await timed(graph, 'rename', () => rename(graph, pick(far.leaves)));
  for (let turn = 0; turn < LINKS_A_ROUND; turn++) {
    const [source, target] = [far.leaves[turn] as string, pick((projects[at] as Project).leaves.slice(20))];
    await timed(graph, 'link', () => link(graph, source, target));
  }
  for (let turn = 0; turn < READS_A_ROUND; turn++) {
    // A change since the last read, so that the answer is neither empty nor cached.
    await rename(graph, pick(far.leaves));
    await timed(graph, 'changes', () => changes(graph));
    await timed(graph, 'page', () => page(graph));
  }
  // A new branch, so that a hundred memberships are written.
  await timed(graph, 'grant', () => grant(graph, (projects[at] as Project).root));
}

async function timed({ times }: Graph, operation: Operation, act: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await act();
  times[operation].push(performance.now() - startedAt);
}

function rename({ client }: Graph, id: string): Promise<unknown> {
  return client.node.update({ id, title: `renamed ${Math.random()}` });
}

/** Adds a link between leaves of two projects, and trashes it. */
async function link({ client }: Graph, source: string, target: string): Promise<void> {
  const { diff } = await client.link.add({ source, target });
  await client.link.trash({ id: diff.links[0]?.after.id as string });
}

function grant({ client, guest }: Graph, id: string): Promise<unknown> {
  return client.access.grant({ id, email: guest, level: 3, branch: true });
}

/** The first page of a thousand, which both graphs fill. */
function page({ client }: Graph): Promise<unknown> {
  return client.call('graph:get', { limit: 1_000 });
}

/** Reads changes from the reader's position, which advances with each answer. */
async function changes({ client }: Graph): Promise<void> {
  const answer = await client.changes.get({ since: client.position });
  if (answer.resetRequired === true) throw new Error('the position is too old');
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T;
}

function resultFor(operation: Operation, graphs: readonly Graph[]): Result {
  const [smallest, largest] = [graphs[0], graphs.at(-1)] as [Graph, Graph];
  const timeOf = ({ times }: Graph) => median(times[operation]);
  const figures = graphs.map((graph) => `${timeOf(graph).toFixed(1)} ms in ${graph.size.toLocaleString('en')} nodes`);
  return resultOf({
    scenario: `growth ${operation}`,
    ours: timeOf(largest),
    baseline: timeOf(smallest),
    unit: 'ms p50',
    notes: [figures.join(', ')],
  });
}
