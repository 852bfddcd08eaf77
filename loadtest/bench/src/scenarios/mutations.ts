// Scenarios `mutations`, `service-cost`, `database-cost` and `node-cost`: writes to trees of eight
// owners through the whole stack, in turn with the bare driver on the same database. Each side counts with its
// best number of clients, because the bare driver is slower with 64 than with 8.
import type { WriteResult } from '../clients/writers.ts';
import { addCpu, type Cpu, meterCpu, ofRoles, perOperation, type Roles } from '../measure/cpu.ts';
import { bestOf, mean } from '../measure/figures.ts';
import { type WarmUp, warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { openWriters, type Writers } from './write-sides.ts';

const OURS_AT = [16, 64, 256] as const;
const BASELINE_AT = [4, 8, 16, 64] as const;
/** The usual best numbers of clients, for the warm-up. */
const WARMED_AT = { ours: 64, baseline: 8 };
/** The numbers of clients for which the cost of a command is reported. */
const COSTS_AT = [64, 256] as const;

/** One side with one number of clients. */
interface Point {
  readonly writers: Writers;
  readonly clients: number;
  readonly rates: number[];
  readonly samples: Cpu[];
  commands: number;
}

export const mutations: Measurement = { stack: {}, run };

async function run(bench: Bench, stack: BenchStack): Promise<Result[]> {
  const { ours, baseline, stop } = await openWriters(stack);
  try {
    const warmed = await warm(bench, ours, baseline);
    const points = [
      ...BASELINE_AT.map((clients) => pointOf(baseline, clients)),
      ...OURS_AT.map((clients) => pointOf(ours, clients)),
    ];
    for (let turn = 1; turn <= bench.pace.turns; turn++) {
      for (const point of interleaved(points)) await measure(point, stack, bench.pace.turnMs);
      bench.note(`turn ${turn} of ${bench.pace.turns}: ${points.map(lastRate).join(', ')}`);
    }
    return report(points, warmed);
  } finally {
    await stop();
  }
}

function warm({ pace, note }: Bench, ours: Writers, baseline: Writers): Promise<WarmUp> {
  const turn = (writers: Writers, clients: number) => async () => {
    await writers.acts.prepare(clients);
    return rateOf(await writers.acts.write({ ms: pace.turnMs }));
  };
  note(`warming up, ${pace.warmUpLimitMs / 1_000} s at most`);
  const sides = { baseline: turn(baseline, WARMED_AT.baseline), ours: turn(ours, WARMED_AT.ours) };
  return warmUp(sides, pace.warmUpLimitMs, note);
}

function pointOf(writers: Writers, clients: number): Point {
  return { writers, clients, rates: [], samples: [], commands: 0 };
}

/** Alternates between the sides, so that a change of the machine's speed affects both. */
function interleaved(points: readonly Point[]): Point[] {
  const sides = [points.slice(0, BASELINE_AT.length), points.slice(BASELINE_AT.length)];
  const longest = Math.max(...sides.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => sides.flatMap((side) => side.slice(at, at + 1))).flat();
}

async function measure(point: Point, stack: BenchStack, ms: number): Promise<void> {
  const { writers, clients } = point;
  await writers.acts.prepare(clients);
  const meter = meterCpu(rolesOf(writers, stack));
  const written = await writers.acts.write({ ms });
  point.samples.push(meter());
  point.rates.push(rateOf(written));
  point.commands += written.commands;
}

/** The baseline uses only the database, so the stack's other processes are not part of its cost. */
function rolesOf(writers: Writers, stack: BenchStack): Roles {
  const { neo4j = [], ...others } = stack.roles();
  return writers.isOurs ? { neo4j, ...others, client: [writers.pid] } : { neo4j, 'baseline client': [writers.pid] };
}

function report(points: readonly Point[], warmed: WarmUp): Result[] {
  const ours = bestOf(
    points.filter(({ writers }) => writers.isOurs),
    ratesOf,
  );
  const baseline = bestOf(
    points.filter(({ writers }) => !writers.isOurs),
    ratesOf,
  );
  const shared = { baseline: costOf(baseline) };
  const at = (clients: number) => points.find((point) => point.writers.isOurs && point.clients === clients) as Point;
  const rates = points.map(
    (point) => `${sideOf(point)} with ${point.clients} clients: ${mean(point.rates).toFixed(0)}`,
  );
  return [
    resultOf({
      scenario: 'mutations',
      ours: mean(ours.rates),
      baseline: mean(baseline.rates),
      unit: 'commands/s',
      cpu: { ours: costOf(ours), ...shared },
      warmUp: warmed,
      notes: [
        `best: ours with ${ours.clients} clients, baseline with ${baseline.clients}`,
        `commands/s: ${rates.join('; ')}`,
      ],
    }),
    ...COSTS_AT.map((clients) => databaseCost(at(clients), baseline, warmed)),
    serviceCost(at(64), baseline, warmed),
    nodeCost(at(64), baseline, warmed),
  ];
}

function databaseCost(ours: Point, baseline: Point, warmed: WarmUp): Result {
  const [cost, theirs] = [costOf(ours), costOf(baseline)];
  const [own, other] = [ofRoles(cost, ['neo4j']), ofRoles(theirs, ['neo4j'])];
  return resultOf({
    scenario: `database-cost at ${ours.clients}`,
    ours: own,
    baseline: other,
    ratio: other / own,
    unit: 'ms of Neo4j a command',
    cpu: { ours: cost, baseline: theirs },
    warmUp: warmed,
    notes: [`ratio: the baseline, with ${baseline.clients} clients, divided by ours`],
  });
}

/** The processor time of a command without that of the clients. */
function serviceCost(ours: Point, baseline: Point, warmed: WarmUp): Result {
  return processorTime({
    scenario: 'service-cost',
    points: { ours, baseline },
    roles: { ours: ['gateway', 'worker', 'nats', 'redis', 'neo4j'], baseline: ['baseline client', 'neo4j'] },
    unit: 'ms a command',
    warmed,
  });
}

/** The same without the databases. */
function nodeCost(ours: Point, baseline: Point, warmed: WarmUp): Result {
  return processorTime({
    scenario: 'node-cost',
    points: { ours, baseline },
    roles: { ours: ['gateway', 'worker', 'nats'], baseline: ['baseline client'] },
    unit: 'ms beside Neo4j a command',
    warmed,
  });
}

type Sides<T> = Readonly<Record<'ours' | 'baseline', T>>;

function processorTime(options: {
  readonly scenario: string;
  readonly points: Sides<Point>;
  readonly roles: Sides<readonly string[]>;
  readonly unit: string;
  readonly warmed: WarmUp;
}): Result {
  const { points, roles } = options;
  const cpu = { ours: costOf(points.ours), baseline: costOf(points.baseline) };
  return resultOf({
    scenario: options.scenario,
    ours: ofRoles(cpu.ours, roles.ours),
    baseline: ofRoles(cpu.baseline, roles.baseline),
    unit: options.unit,
    cpu,
    warmUp: options.warmed,
    notes: [`ours: ${roles.ours.join(', ')}; baseline: ${roles.baseline.join(', ')}`],
  });
}

function costOf({ samples, commands }: Point): Cpu {
  return perOperation(addCpu(samples), commands);
}

function ratesOf({ rates }: Point): readonly number[] {
  return rates;
}

function rateOf({ commands, ms }: WriteResult): number {
  return (commands * 1_000) / ms;
}

function lastRate(point: Point): string {
  return `${sideOf(point)}@${point.clients} ${point.rates.at(-1)?.toFixed(0)}`;
}

function sideOf({ writers }: Point): string {
  return writers.isOurs ? 'ours' : 'baseline';
}
