// Scenario `overload`: the rate of accepted commands at twice the service's capacity or more,
// against its peak rate. The service must refuse the rest with 503 and Retry-After.
import { forkClient } from '../clients/process.ts';
import { mean } from '../measure/figures.ts';
import { warmUp } from '../measure/steadiness.ts';
import { onOwnStack } from '../own-stack.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench } from '../scenario.ts';
import type { OverloadActs, OverloadResult } from '../sockets/overload-clients.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { setupClient } from '../stack/setup-client.ts';
import { createUsers } from '../stack/users.ts';
import { OUR_PATH } from './push-sides.ts';

const USERS = 32;
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
const ANSWER_LIMIT_MS = 25_000;

export const overload = onOwnStack(run);

let runs = 0;

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const users = await usersWithNodes(stack);
  const options = { url: stack.urls[0], path: OUR_PATH, users, socketsEach: SOCKETS_EACH };
  const client = await forkClient<OverloadActs>('overload-clients', options);
  try {
    const saturate = async () =>
      ((await client.acts.saturate({ outstanding: OUTSTANDING, ms: pace.turnMs })) * 1_000) / pace.turnMs;
    note('warming up');
    const warmed = await warmUp({ ours: saturate }, pace.warmUpLimitMs, note);
    const peaks: number[] = [];
    const seekPeak = async () => {
      for (let turn = 0; turn < pace.turns; turn++) peaks.push(await saturate());
    };
    await seekPeak();
    const settleMs = pace.quick ? QUICK_SETTLE_MS : SETTLE_MS;
    const measuredMs = pace.turns * pace.turnMs;
    const sendAtRate = (rate: number) => {
      note(`${rate.toFixed(0)} a second, for ${(settleMs + measuredMs) / 1_000} s`);
      return client.acts.sendAtRate({ rate, ms: settleMs + measuredMs, settleMs, answerLimitMs: ANSWER_LIMIT_MS });
    };
    const rateOf = ({ accepted }: OverloadResult) => (accepted * 1_000) / measuredMs;
    // Clients that wait for answers do not reach the full capacity, because larger groups cost less
    // per command.
    let carried = mean(peaks);
    let outcome = await sendAtRate(2 * carried);
    for (let step = 1; step < MOST_STEPS && !isOverload(outcome); step++) {
      carried = Math.max(carried, rateOf(outcome));
      outcome = await sendAtRate(2 * carried);
    }
    // Measured again, so that a machine that became slower or faster does not distort the ratio.
    await seekPeak();
    const peak = Math.max(mean(peaks), carried);
    const ours = isOverload(outcome) ? rateOf(outcome) : Number.NaN;
    return [
      resultOf({
        scenario: 'overload',
        ours,
        baseline: peak,
        unit: 'commands/s',
        warmUp: warmed,
        notes: [`${mean(peaks).toFixed(0)} a second if clients wait for their answers`, ...notesOf(outcome)],
      }),
    ];
  } finally {
    await client.stop();
  }
}

async function usersWithNodes(stack: BenchStack) {
  const users = await createUsers(stack.access, `crowd-${runs++}`, USERS);
  return Promise.all(
    users.map(async ({ token }) => ({ token, node: await setupClient(stack, token).addNode('task') })),
  );
}

function isOverload({ sent, refused }: OverloadResult): boolean {
  return refused >= sent * REFUSED_PART;
}

function notesOf(outcome: OverloadResult): string[] {
  const { sent, refused, statuses, withoutRetryAfter, unexpected } = outcome;
  const told = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  return [
    ...(isOverload(outcome) ? [] : ['too few refusals: this was not an overload']),
    `${sent} sent, ${refused} refused; answers over REST by status: ${told.join(', ')}`,
    `answers 503 without Retry-After: ${withoutRetryAfter}`,
    ...unexpected.map((text) => `refused over a socket as ${text}`),
  ];
}
