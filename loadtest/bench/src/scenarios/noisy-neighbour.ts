// Scenario `noisy-neighbour`: the p99 of sixteen writers while one other user floods the service,
// or moves a branch of 20,000 nodes out of a grant and back, against undisturbed turns of the same
// run.
import { forkClient } from '../clients/process.ts';
import { median } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench, Measurement } from '../scenario.ts';
import type { UpdateSenderActs } from '../sockets/update-sender.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { setupClient } from '../stack/setup-client.ts';
import { createSharedBranch, type SharedBranch } from '../stack/shared-branch.ts';
import { OUR_PATH } from './push-sides.ts';
import { openWriters } from './write-sides.ts';

const WRITERS = 16;
const BRANCH_NODES = 20_000;
const QUICK_NODES = 5_000;
/** Sixteen writers agree within seconds, long before the database has compiled its code. */
const WARM_UP_MS = 120_000;
/** More than the service can execute; it refuses the rest. */
const FLOOD = { rate: 2_000, burst: 20 };

export const noisyNeighbour: Measurement = { stack: {}, run };

const NOISES = ['flood', 'move'] as const;
type Noise = (typeof NOISES)[number];

let neighbours = 0;

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const writers = await openWriters(stack);
  const { acts } = writers.ours;
  note('growing the branch of the neighbour');
  const branch = await createSharedBranch(stack, `noisy-${neighbours++}`, pace.quick ? QUICK_NODES : BRANCH_NODES);
  // Started before the measurement, because its start would disturb it.
  const updateSender = await forkClient<UpdateSenderActs>('update-sender', {
    url: stack.urls[0],
    path: OUR_PATH,
    auth: { api_token: branch.owner.token },
    event: 'node:update',
    ids: [branch.root],
  });
  const makeNoise: Record<Noise, () => Promise<number>> = {
    flood: async () => (await updateSender.acts.sendUpdates({ ...FLOOD, ms: pace.turnMs })).answeredUs.size,
    move: () => moveBranch(stack, branch, pace.turnMs),
  };
  try {
    await acts.prepare(WRITERS);
    const p99 = async () => (await acts.write({ ms: pace.turnMs })).p99;
    note('warming up');
    const p50 = async () => (await acts.write({ ms: pace.turnMs })).p50;
    const leastMs = pace.quick ? 0 : WARM_UP_MS;
    const warmed = await warmUp({ ours: p50 }, pace.warmUpLimitMs, note, { leastMs });
    const waits: Record<Noise | 'quiet', number[]> = { quiet: [], flood: [], move: [] };
    const done: Record<Noise, number> = { flood: 0, move: 0 };
    for (let turn = 1; turn <= pace.turns; turn++) {
      for (const noise of NOISES) {
        waits.quiet.push(await p99());
        const [wait, count] = await measureDuring(makeNoise[noise](), p99);
        waits[noise].push(wait);
        done[noise] += count;
      }
      const last = Object.entries(waits).map(([name, values]) => `${name} ${values.at(-1)?.toFixed(0)}`);
      note(`turn ${turn} of ${pace.turns}: p99 ${last.join(', ')} ms`);
    }
    return NOISES.map((noise) =>
      resultOf({
        scenario: `noisy-neighbour ${noise}`,
        ours: median(waits[noise]),
        baseline: median(waits.quiet),
        unit: 'ms p99',
        warmUp: warmed,
        notes: [`the neighbour did ${done[noise]} in ${pace.turns} turns`],
      }),
    );
  } finally {
    await updateSender.stop();
    await writers.stop();
  }
}

/** Measures during the noise, which ends on its own. */
async function measureDuring(
  noise: Promise<number>,
  measure: () => Promise<number>,
): Promise<[wait: number, count: number]> {
  const [count, wait] = await Promise.all([noise, measure()]);
  // Without any noise the measurement is invalid.
  if (count === 0) throw new Error('the noisy neighbour sent nothing');
  return [wait, count];
}

/**
 * Repeatedly takes the branch out of its grant and back for this time, at least once; returns the
 * number of moves.
 */
async function moveBranch(stack: BenchStack, { owner, links }: SharedBranch, ms: number): Promise<number> {
  const { trashLink, restoreLink } = setupClient(stack, owner.token);
  const startedAt = performance.now();
  let moves = 0;
  while (performance.now() - startedAt < ms) {
    await trashLink(links[0] as string);
    await restoreLink(links[0] as string);
    moves += 2;
  }
  return moves;
}
