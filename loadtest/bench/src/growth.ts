// Scenario `growth`: the same few commands inside graphs of 1,000, 10,000 and 100,000 nodes, each in a database of its own and in turns,
// so that the cost of a command is seen to follow what it changes and not the graph around it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TaskgraphClient } from '@taskgraph/client/connect';
import { freePorts } from '@taskgraph/launcher/processes/ports';
import { type Stack, startStack } from '@taskgraph/launcher/stack';
import { type Forest, type Project, plantForest } from './forest.ts';
import { type Result, resultOf } from './report.ts';

const SIZES = [1_000, 10_000, 100_000] as const;
const OWNER = 'owner@example.com';
/** Rounds of one grant, some renames and some links in each graph; the smallest has ten projects, of which one is for warming up. */
const ROUNDS = 9;
const RENAMES_A_ROUND = 20;
const LINKS_A_ROUND = 10;
const WARM_UP_ROUNDS = 9;
/** Most that the largest graph may cost, as a multiple of the smallest. */
const MAXIMUM_RATIO = 1.5;

const OPERATIONS = ['rename', 'link', 'grant'] as const;
type Operation = (typeof OPERATIONS)[number];

interface Graph {
  readonly size: number;
  readonly stack: Stack;
  readonly dataDir: string;
  readonly client: TaskgraphClient;
  readonly forest: Forest;
  readonly times: Record<Operation, number[]>;
}

/** Gives a result for each operation: milliseconds in the largest graph against those in the smallest. */
export async function benchGrowth(note: (line: string) => void): Promise<Result[]> {
  const graphs: Graph[] = [];
  try {
    for (const size of SIZES) {
      note(`planting ${size.toLocaleString('en')} nodes in a stack of their own`);
      graphs.push(await openGraph(size));
    }
    note('warming up');
    for (let round = 0; round < WARM_UP_ROUNDS; round++) for (const graph of graphs) await warmUp(graph, round);
    for (let round = 0; round < ROUNDS; round++) {
      for (const graph of graphs) await measure(graph, round + 1);
      note(`round ${round + 1} of ${ROUNDS}`);
    }
    for (const operation of OPERATIONS) note(lineOf(operation, graphs));
    return OPERATIONS.map((operation) => compared(operation, graphs));
  } finally {
    for (const graph of graphs) await closeGraph(graph);
  }
}

async function openGraph(size: number): Promise<Graph> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-growth-'));
  const [port = 0] = await freePorts(1);
  const stack = await startStack({ dataDir, port, workers: 1, gateways: 1, environment: { TASKGRAPH_LIMITS: 'off' } });
  const token = await stack.makeToken(OWNER, 'owner');
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = stack.environment;
  const forest = await plantForest({ url, user, password }, OWNER, size);
  const client = await connect({ url: stack.urls[0] as string, token });
  return { size, stack, dataDir, client, forest, times: { rename: [], link: [], grant: [] } };
}

async function closeGraph({ client, stack, dataDir }: Graph): Promise<void> {
  client.close();
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** The first project is for this alone: grants on its parts are small, and leave the other projects fresh. */
async function warmUp(graph: Graph, round: number): Promise<void> {
  const [project] = graph.forest.projects as readonly [Project, ...Project[]];
  const { leaves, parts } = project;
  for (let turn = 0; turn < RENAMES_A_ROUND; turn++) await rename(graph, pick(leaves));
  for (let turn = 0; turn < LINKS_A_ROUND; turn++)
    await link(graph, leaves[turn] as string, leaves[turn + 20] as string);
  await grant(graph, parts[round % parts.length] as string);
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
  // On a fresh branch, so that a hundred memberships are really written.
  await timed(graph, 'grant', () => grant(graph, (projects[at] as Project).root));
}

async function timed({ times }: Graph, operation: Operation, run: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await run();
  times[operation].push(performance.now() - startedAt);
}

function rename({ client }: Graph, id: string): Promise<unknown> {
  return client.node.update({ id, title: `renamed ${Math.random()}` });
}

/** Makes a link between leaves of two projects, and takes it away again. */
async function link({ client }: Graph, source: string, target: string): Promise<void> {
  const { diff } = await client.link.add({ source, target });
  await client.link.trash({ id: diff.links[0]?.after.id as string });
}

function grant({ client }: Graph, id: string): Promise<unknown> {
  return client.access.grant({ id, email: 'guest@example.com', level: 3, branch: true });
}

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T;
}

function median(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[times.length >> 1] as number;
}

function lineOf(operation: Operation, graphs: readonly Graph[]): string {
  const figures = graphs.map(
    ({ size, times }) => `${median(times[operation]).toFixed(1)} ms in ${size.toLocaleString('en')}`,
  );
  return `${operation}: ${figures.join(', ')}`;
}

function compared(operation: Operation, graphs: readonly Graph[]): Result {
  const [smallest, largest] = [graphs[0], graphs.at(-1)] as [Graph, Graph];
  const result = resultOf(
    `growth ${operation}`,
    median(largest.times[operation]),
    median(smallest.times[operation]),
    'ms',
  );
  if (result.ratio > MAXIMUM_RATIO) process.exitCode = 1;
  return {
    ...result,
    of: [largest, smallest].map(({ size }) => `in ${size.toLocaleString('en')} nodes`) as [string, string],
  };
}
