// Scenario `mutations-idle`: one client alone, which waits for each answer, against one client of
// the bare driver.
import { addCpu, type Cpu, meterCpu, perOperation } from '../measure/cpu.ts';
import { median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { openWriters, type Writers } from './write-sides.ts';

export const mutationsIdle: Measurement = { stack: {}, run };

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const { ours, baseline, stop } = await openWriters(stack);
  try {
    for (const side of [ours, baseline]) await side.acts.prepare(1);
    const turn = (side: Writers) => async () => (await side.acts.write({ ms: pace.turnMs })).p50;
    note('warming up with one client');
    const warmed = await warmUp({ baseline: turn(baseline), ours: turn(ours) }, pace.warmUpLimitMs, note);
    const measured = { ours: notes(), baseline: notes() };
    for (let at = 1; at <= pace.turns; at++) {
      await measure(baseline, stack, pace.turnMs, measured.baseline);
      await measure(ours, stack, pace.turnMs, measured.ours);
      const [one, other] = [measured.ours, measured.baseline].map(({ p50s }) => p50s.at(-1)?.toFixed(2));
      note(`turn ${at} of ${pace.turns}: p50 ours ${one} ms, baseline ${other} ms`);
    }
    const cpuOf = ({ samples, commands }: Notes) => perOperation(addCpu(samples), commands);
    return [
      resultOf({
        scenario: 'mutations-idle',
        unit: 'ms p50',
        warmUp: warmed,
        ours: median(measured.ours.p50s),
        baseline: median(measured.baseline.p50s),
        cpu: { ours: cpuOf(measured.ours), baseline: cpuOf(measured.baseline) },
      }),
    ];
  } finally {
    await stop();
  }
}

interface Notes {
  readonly p50s: number[];
  readonly samples: Cpu[];
  commands: number;
}

function notes(): Notes {
  return { p50s: [], samples: [], commands: 0 };
}

async function measure(side: Writers, stack: BenchStack, ms: number, into: Notes): Promise<void> {
  const { neo4j = [], ...others } = stack.roles();
  const client = side.isOurs ? { ...others, client: [side.pid] } : { 'baseline client': [side.pid] };
  const meter = meterCpu({ neo4j, ...client });
  const { p50, commands } = await side.acts.write({ ms });
  into.samples.push(meter());
  into.p50s.push(p50);
  into.commands += commands;
}
