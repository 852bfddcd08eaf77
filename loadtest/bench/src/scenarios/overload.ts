// Scenario `overload`: what is accepted of twice as much as the service can carry, against what it does at its peak. The rest has to be refused
// with 503 and Retry-After.
import { forkClient } from '../clients/process.ts';
import { mean } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Pressed, PresserActs } from '../sockets/pressers.ts';
import { type BenchStack, startBenchStack } from '../stack/bench-stack.ts';
import { makePeople } from '../stack/people.ts';
import { setUp } from '../stack/setting-up.ts';
import { OUR_PATH } from './pushing-sides.ts';
import type { Bench, Measurement } from './scenario.ts';

const PEOPLE = 32;
const SOCKETS_EACH = 1;
/** So many updates of each are under way where the peak is sought: more than a group holds. */
const OUTSTANDING = 8;
/** Until mailboxes are full and deadlines pass, which is when it is seen how the rest is refused. */
const SETTLE_MS = 20_000;
const QUICK_SETTLE_MS = 5_000;
/** Longer than any command may wait. */
const PATIENCE_MS = 25_000;

export const overload: Measurement = { stack: null, run: withStack };

let crowds = 0;

async function withStack(bench: Bench): Promise<Result[]> {
  bench.note('starting a stack of its own');
  const stack = await startBenchStack();
  try {
    return await run(bench, stack);
  } finally {
    await stack.stop();
  }
}

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const people = await peopleWithNodes(stack);
  const options = { url: stack.urls[0], path: OUR_PATH, people, socketsEach: SOCKETS_EACH };
  const client = await forkClient<PresserActs>('pressers', options);
  try {
    const saturate = async () =>
      ((await client.do.saturate({ outstanding: OUTSTANDING, ms: pace.turnMs })) * 1_000) / pace.turnMs;
    note('warming up');
    const warmed = await warmUp({ ours: saturate }, pace.warmUpLimitMs, note);
    const peaks: number[] = [];
    const seekPeak = async () => {
      for (let turn = 0; turn < pace.turns; turn++) peaks.push(await saturate());
    };
    await seekPeak();
    const settleMs = pace.quick ? QUICK_SETTLE_MS : SETTLE_MS;
    const measuredMs = pace.turns * pace.turnMs;
    const rate = 2 * mean(peaks);
    note(`twice the peak is ${rate.toFixed(0)} a second, for ${(settleMs + measuredMs) / 1_000} s`);
    const pressed = await client.do.press({ rate, ms: settleMs + measuredMs, settleMs, patienceMs: PATIENCE_MS });
    // Again afterwards, so that a machine that has become slower or faster meanwhile is no merit or fault.
    await seekPeak();
    const peak = mean(peaks);
    return [
      resultOf({
        ...{ scenario: 'overload', ours: acceptedRate(pressed, measuredMs), baseline: peak, unit: 'commands/s' },
        ...{ warmUp: warmed, notes: notesOf(pressed) },
      }),
    ];
  } finally {
    await client.stop();
  }
}

async function peopleWithNodes(stack: BenchStack) {
  const people = await makePeople(stack.access, `crowd-${crowds++}`, PEOPLE);
  return Promise.all(people.map(async ({ token }) => ({ token, node: await setUp(stack, token).addNode('task') })));
}

/** A service that refused nothing was not overloaded: its rate says nothing then. */
function acceptedRate({ accepted, refused }: Pressed, measuredMs: number): number {
  return refused === 0 ? Number.NaN : (accepted * 1_000) / measuredMs;
}

function notesOf({ sent, refused, statuses, withoutRetryAfter, odd }: Pressed): string[] {
  const told = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return [
    ...(refused === 0 ? ['nothing was refused: the peak was too low, and this was no overload'] : []),
    `${sent} sent, ${refused} refused; answers over REST by status: ${told.join(', ')}`,
    `answers 503 without Retry-After: ${withoutRetryAfter}`,
    ...odd.map((text) => `refused over a socket as ${text}`),
  ];
}
