// Runs scenarios in sequence: each measurement once, and measurements with the same topology on one
// stack.
import type { Result } from './report/result.ts';
import { type Bench, isOf, type Measurement, type Scenario } from './scenario.ts';
import { type BenchStack, startBenchStack, type Topology } from './stack/bench-stack.ts';

/** Calls `report` with each result once it is measured, in the order of the measurements. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  bench: Bench,
  report: (result: Result, scenario: Scenario) => void,
): Promise<void> {
  const shared = sharedStack(bench.note);
  try {
    for (const measurement of new Set(scenarios.map((scenario) => scenario.measurement))) {
      const selected = scenarios.filter((scenario) => scenario.measurement === measurement);
      bench.note(`${selected.map(({ name }) => name).join(', ')}:`);
      for (const result of await runOne(measurement, bench, shared)) {
        const scenario = selected.find(({ name }) => isOf(name, result));
        if (scenario !== undefined) report(result, scenario);
      }
    }
  } finally {
    await shared.stop();
  }
}

type Shared = ReturnType<typeof sharedStack>;

async function runOne(measurement: Measurement, bench: Bench, shared: Shared): Promise<Result[]> {
  if (measurement.stack !== null) return measurement.run(bench, await shared.of(measurement.stack));
  // The measurement needs the whole machine.
  await shared.stop();
  return measurement.run(bench);
}

/** Keeps one stack at a time, and replaces it if another topology is needed. */
function sharedStack(note: (line: string) => void) {
  let current: { readonly key: string; readonly stack: BenchStack } | null = null;
  const stop = async () => {
    const { stack } = current ?? {};
    current = null;
    await stack?.stop();
  };
  return {
    stop,
    async of(topology: Topology): Promise<BenchStack> {
      const key = JSON.stringify(topology);
      if (current?.key === key) return current.stack;
      await stop();
      note('starting a stack of its own');
      current = { key, stack: await startBenchStack(topology) };
      return current.stack;
    },
  };
}
