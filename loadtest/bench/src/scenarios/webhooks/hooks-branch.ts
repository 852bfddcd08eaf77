// Scenario `hooks-branch`: the lag of webhooks of many users who read one branch of 100 updates a second:
// from the request of an update to its arrival at a receiver that answers at once. The baseline is the
// second that docs/changes.md promises. With more webhooks than the machine carries, messages merge
// more updates, and then the lag grows without end: the notes say how many messages a second came.
import { addCpu, perOperation } from '../../measure/cpu.ts';
import { percentile } from '../../measure/figures.ts';
import { warmUp } from '../../measure/steadiness.ts';
import { onOwnStack } from '../../own-stack.ts';
import { type Result, resultOf } from '../../report/result.ts';
import type { Bench } from '../../scenario.ts';
import type { BenchStack } from '../../stack/bench-stack.ts';
import { HOOK_STACK, type HookSide, type HookTurn, openHookSide } from './hook-side.ts';

const RATE = 100;
const PROMISED_MS = 1_000;
/** Each with at most as many webhooks as run at once for one user. */
const USERS = 250;
const QUICK_USERS = 5;
/** Webhooks of each user. */
const EACH = 4;
/** Parts of the users who have webhooks, one after the other. */
const PARTS = [0.02, 0.1, 1];
const WARM_UP_MS = 60_000;

export const hooksBranch = onOwnStack(run, HOOK_STACK);

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const count = pace.quick ? QUICK_USERS : USERS;
  note(`sharing the branch with ${count} users`);
  const side = await openHookSide(stack, 'hooks-branch', count);
  const results: Result[] = [];
  try {
    let users = 0;
    for (const part of pace.quick ? [1] : PARTS) {
      const next = Math.round(count * part);
      note(`adding webhooks: ${next * EACH} in total`);
      await side.add(side.guests.slice(users, next), EACH, 'fast');
      users = next;
      results.push(await measure(side, { pace, note }, users * EACH));
    }
    return results;
  } finally {
    await side.stop();
  }
}

async function measure(side: HookSide, { pace, note }: Bench, hooks: number): Promise<Result> {
  const p99 = ({ received }: HookTurn) => percentile([...received.lagsMs], 0.99);
  const limitMs = Math.min(pace.warmUpLimitMs, WARM_UP_MS);
  const warmed = await warmUp({ ours: async () => p99(await side.turn(RATE, pace.turnMs)) }, limitMs, note);
  const turns: HookTurn[] = [];
  for (let turn = 1; turn <= pace.turns; turn++) {
    const last = await side.turn(RATE, pace.turnMs);
    turns.push(last);
    note(`turn ${turn} of ${pace.turns}: p99 ${p99(last).toFixed(0)} ms, ${last.received.messages} messages`);
  }
  const sum = (figure: (turn: HookTurn) => number) => turns.reduce((total, turn) => total + figure(turn), 0);
  const [messages, events] = [sum(({ received }) => received.messages), sum(({ received }) => received.events)];
  const seconds = sum((turn) => turn.seconds);
  const updates = sum(({ answered }) => answered);
  const lags = turns.flatMap(({ received }) => [...received.lagsMs]);
  return resultOf({
    scenario: `hooks-branch ${hooks}`,
    ours: percentile(lags, 0.99),
    baseline: PROMISED_MS,
    unit: 'ms p99',
    warmUp: warmed,
    cpu: { ours: perOperation(addCpu(turns.map(({ cpu }) => cpu)), messages) },
    notes: [
      `p50 ${percentile(lags, 0.5).toFixed(0)} ms; the processor time is that of a message`,
      `${(messages / seconds).toFixed(1)} messages a second with ${(events / messages).toFixed(1)} events each`,
      `${(sum(({ reads }) => reads) / messages).toFixed(1)} statements of reads a message`,
      `${events} events came for ${updates * hooks} (${updates} updates)`,
    ],
  });
}
