// Scenario `overload`: the rate of accepted commands at twice the service's capacity or more,
// against its peak rate. The service must refuse the rest with 503 and Retry-After.
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
/** Concurrent updates of each user while the peak is measured: more than a group holds. */
const OUTSTANDING = 8;
/** Until mailboxes are full and deadlines pass; only then do refusals show their usual form. */
const SETTLE_MS = 20_000;
const QUICK_SETTLE_MS = 5_000;
/**
 * The run counts as an overload if this share of the calls is refused. Until then the rate doubles,
 * at most this often.
 */
const REFUSED_PART = 0.1;
const MOST_STEPS = 4;
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
    const press = (rate: number) => {
      note(`${rate.toFixed(0)} a second, for ${(settleMs + measuredMs) / 1_000} s`);
      return client.do.press({ rate, ms: settleMs + measuredMs, settleMs, patienceMs: PATIENCE_MS });
    };
    const rateOf = ({ accepted }: Pressed) => (accepted * 1_000) / measuredMs;
    // Clients that wait for answers do not reach the full capacity, because larger groups cost less
    // per command.
    let carried = mean(peaks);
    let pressed = await press(2 * carried);
    for (let step = 1; step < MOST_STEPS && !isOverload(pressed); step++) {
      carried = Math.max(carried, rateOf(pressed));
      pressed = await press(2 * carried);
    }
    // Measured again, so that a machine that became slower or faster does not distort the ratio.
    await seekPeak();
    const peak = Math.max(mean(peaks), carried);
    const ours = isOverload(pressed) ? rateOf(pressed) : Number.NaN;
    return [
      resultOf({
        ...{ scenario: 'overload', ours, baseline: peak, unit: 'commands/s', warmUp: warmed },
        notes: [`${mean(peaks).toFixed(0)} a second where clients wait for their answers`, ...notesOf(pressed)],
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

function isOverload({ sent, refused }: Pressed): boolean {
  return refused >= sent * REFUSED_PART;
}

function notesOf(pressed: Pressed): string[] {
  const { sent, refused, statuses, withoutRetryAfter, odd } = pressed;
  const told = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return [
    ...(isOverload(pressed) ? [] : ['too little was refused: this was no overload']),
    `${sent} sent, ${refused} refused; answers over REST by status: ${told.join(', ')}`,
    `answers 503 without Retry-After: ${withoutRetryAfter}`,
    ...odd.map((text) => `refused over a socket as ${text}`),
  ];
}
