// Measurements on a stack of their own: they restart processes, overload the service, need other
// settings, or must not reuse memory that another measurement left free.
import type { Result } from './report/result.ts';
import type { Bench, Measurement } from './scenario.ts';
import { type BenchStack, startBenchStack, type Topology } from './stack/bench-stack.ts';

export interface OwnStackOptions {
  readonly topology?: Topology;
  readonly environment?: Readonly<Record<string, string>>;
}

export function onOwnStack(
  run: (bench: Bench, stack: BenchStack) => Promise<Result[]>,
  { topology, environment }: OwnStackOptions = {},
): Measurement {
  return {
    stack: null,
    async run(bench) {
      bench.note('starting a stack of its own');
      const stack = await startBenchStack(topology, environment);
      try {
        return await run(bench, stack);
      } finally {
        await stack.stop();
      }
    },
  };
}
