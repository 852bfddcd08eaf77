// Scenario `import`: a plan of 5,000 nodes and 4,900 links from a file, against one command for
// each node, which adds the node's link too.
// `best` uses the fastest number of concurrent commands; `alone` waits for each answer before the
// next command. Each turn has a new user with an empty graph.
import { type PlanMakerActs, TREE_NODES } from '../clients/plan-makers.ts';
import { type ClientProcess, forkClient } from '../clients/process.ts';
import { addCpu, type Cpu, meterCpu, perOperation, type Roles } from '../measure/cpu.ts';
import { bestOf, median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { createUsers } from '../stack/users.ts';

const TREES = 100;
const QUICK_TREES = 20;
/** Numbers of concurrent commands. */
const ALONE = 1;
const UNDER_WAY = [ALONE, 16, 64] as const;
const WARMED_AT = 64;
/**
 * Waiting for each answer is slow, so this method creates a tenth of the plan, and its time is
 * multiplied.
 */
const PART_ALONE = 10;

export const importPlan: Measurement = { stack: {}, run };

/** A method to create the plan, with its measurements. */
interface ImportMethod {
  readonly name: string;
  readonly nodes: number;
  /** Returns milliseconds for the whole plan. */
  readonly make: () => Promise<number>;
  readonly times: number[];
  readonly samples: Cpu[];
}

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const makers = await forkClient<PlanMakerActs>('plan-makers', { url: stack.urls[0] });
  try {
    const trees = pace.quick ? QUICK_TREES : TREES;
    const ours = fileImport(makers, stack, trees);
    const singles = UNDER_WAY.map((underWay) => oneByOne(makers, stack, trees, underWay));
    const single = singles[UNDER_WAY.indexOf(WARMED_AT)] as ImportMethod;
    note(`warming up, ${pace.warmUpLimitMs / 1_000} s at most`);
    const warmed = await warmUp({ import: ours.make, single: single.make }, pace.warmUpLimitMs, note);
    for (let turn = 1; turn <= pace.turns; turn++) {
      for (const way of [ours, ...singles]) await measure(way, { ...stack.roles(), client: [makers.pid] });
      note(`turn ${turn} of ${pace.turns}: ${[ours, ...singles].map(lastOf).join(', ')}`);
    }
    const best = bestOf(singles, ({ times }) => times.map((ms) => 1 / ms));
    const lines = { best, alone: singles[UNDER_WAY.indexOf(ALONE)] as ImportMethod };
    return Object.entries(lines).map(([name, baseline]) =>
      resultOf({
        scenario: `import ${name}`,
        ours: median(ours.times),
        baseline: median(baseline.times),
        unit: 'ms',
        warmUp: warmed,
        cpu: { ours: costOf(ours), baseline: costOf(baseline) },
        notes: [sizeOf(trees), `baseline: ${baseline.name}; processor time is per node`, ...singles.map(medianOf)],
      }),
    );
  } finally {
    await makers.stop();
  }
}

type Makers = ClientProcess<PlanMakerActs>;

function fileImport(makers: Makers, stack: BenchStack, trees: number): ImportMethod {
  const make = async () => makers.acts.importFile({ token: await newUserToken(stack), trees });
  return { name: 'import', nodes: trees * TREE_NODES, make, times: [], samples: [] };
}

function oneByOne(makers: Makers, stack: BenchStack, all: number, underWay: number): ImportMethod {
  const trees = underWay === ALONE ? all / PART_ALONE : all;
  const make = async () => {
    const ms = await makers.acts.makeOneByOne({ token: await newUserToken(stack), trees, underWay });
    return (ms * all) / trees;
  };
  return { name: `${underWay} under way`, nodes: trees * TREE_NODES, make, times: [], samples: [] };
}

let users = 0;

/** The token of a new user with an empty graph. */
async function newUserToken({ access }: BenchStack): Promise<string> {
  const [user] = await createUsers(access, `plan-maker-${users++}`, 1);
  return user?.token as string;
}

async function measure(way: ImportMethod, roles: Roles): Promise<void> {
  const meter = meterCpu(roles);
  way.times.push(await way.make());
  way.samples.push(meter());
}

function costOf({ samples, nodes }: ImportMethod): Cpu {
  return perOperation(addCpu(samples), nodes * samples.length);
}

function sizeOf(trees: number): string {
  const [nodes, links] = [trees * TREE_NODES, trees * (TREE_NODES - 1)].map((count) => count.toLocaleString('en'));
  return `a plan of ${nodes} nodes and ${links} links`;
}

function lastOf({ name, times }: ImportMethod): string {
  return `${name} ${times.at(-1)?.toFixed(0)} ms`;
}

function medianOf({ name, times }: ImportMethod): string {
  return `${name}: ${median(times).toFixed(0)} ms`;
}
