// Scenario `hand-over`: the slowest commands of eight writers while a worker stops in order and
// hands over its partitions, and while one is killed and the other takes over after its leases end,
// against undisturbed turns of the same run. The figures have no goal.
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { onOwnStack } from '../own-stack.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { openWriters } from './write-sides.ts';

const WRITERS = 8;
const POLL_MS = 20;
/** A lease ends after 5 s; until then a killed worker's commands wait. */
const ENDS = { planned: { signal: 'SIGTERM', ms: 4_000 }, killed: { signal: 'SIGKILL', ms: 12_000 } } as const;
type End = keyof typeof ENDS;
/** A restarted worker takes its partitions again, with cold code. */
const REST_MS = 5_000;

export const handOver = onOwnStack(run, { topology: { workers: 2 } });

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const writers = await openWriters(stack);
  const { acts } = writers.ours;
  try {
    await acts.prepare(WRITERS);
    note('warming up');
    const p50 = async () => (await acts.write({ ms: pace.turnMs })).p50;
    const warmed = await warmUp({ ours: p50 }, pace.warmUpLimitMs, note);
    const quiet: Record<End, number[]> = { planned: [], killed: [] };
    const ended: Record<End, number[]> = { planned: [], killed: [] };
    for (let turn = 1; turn <= pace.turns; turn++) {
      for (const end of ['planned', 'killed'] as const) {
        const { signal, ms } = ENDS[end];
        quiet[end].push((await acts.write({ ms })).slowest);
        const [, { slowest }] = await Promise.all([
          endWorker(stack, `worker-${(turn % 2) + 1}`, signal),
          acts.write({ ms }),
        ]);
        ended[end].push(slowest);
        note(`turn ${turn} of ${pace.turns}: slowest ${slowest.toFixed(0)} ms, ${end}`);
        await sleep(REST_MS);
      }
    }
    return (['planned', 'killed'] as const).map((end) =>
      resultOf({
        scenario: `hand-over ${end}`,
        ours: median(ended[end]),
        baseline: median(quiet[end]),
        unit: 'ms, the slowest',
        warmUp: warmed,
        notes: [`each time: ${ended[end].map((ms) => ms.toFixed(0)).join(', ')} ms`],
      }),
    );
  } finally {
    await writers.stop();
  }
}

/** Resolves when the worker has restarted. */
async function endWorker({ stack }: BenchStack, name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const service = stack.service(name);
  const before = service.restarts();
  service.kill(signal);
  while (service.restarts() === before) await sleep(POLL_MS);
}
