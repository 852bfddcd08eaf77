// Scenario `hooks-slow`: the lag of the webhooks of ten users whose receivers answer at once, beside
// webhooks of other users whose receivers answer after ten seconds or never, against the same without
// them. All read one branch of 20 updates a second. Silent receivers would fail in the first turn and have
// hardly any attempt afterwards, so their webhooks begin anew before each turn.
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../measure/figures.ts';
import { warmUp } from '../../measure/steadiness.ts';
import { onOwnStack } from '../../own-stack.ts';
import { type Result, resultOf } from '../../report/result.ts';
import type { Bench } from '../../scenario.ts';
import type { BenchStack } from '../../stack/bench-stack.ts';
import { type BenchHook, HOOK_STACK, type HookSide, openHookSide } from './hook-side.ts';

const RATE = 20;
const FAST_USERS = 10;
/** Users with webhooks whose receivers are slow, and as many whose receivers are silent. */
const OTHERS = [5, 20];
const QUICK_OTHERS = [2];
/** At most as many of one user run at once. */
const EACH = 4;
const WARM_UP_MS = 60_000;
const TURN_MS = 10_000;
const QUICK_TURN_MS = 3_000;
/** Messages that wait for their receivers before the measurement begins. */
const LEAST_HELD = 30;
const HELD_LIMIT_MS = 60_000;
const POLL_MS = 250;

export const hooksSlow = onOwnStack(run, HOOK_STACK);

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const steps = pace.quick ? QUICK_OTHERS : OTHERS;
  const most = Math.max(...steps);
  const side = await openHookSide(stack, 'hooks-slow', FAST_USERS + 2 * most);
  const fast = side.guests.slice(0, FAST_USERS);
  const slow = side.guests.slice(FAST_USERS, FAST_USERS + most);
  const silent = side.guests.slice(FAST_USERS + most);
  const turnMs = pace.quick ? QUICK_TURN_MS : TURN_MS;
  const lags = async () => [...(await side.turn(RATE, turnMs, FAST_USERS)).dueLagsMs];
  try {
    await side.add(fast, 1, 'fast');
    const p99 = async () => percentile(await lags(), 0.99);
    const warmed = await warmUp({ ours: p99 }, Math.min(pace.warmUpLimitMs, WARM_UP_MS), note);
    const results: Result[] = [];
    const others: BenchHook[] = [];
    const dead: BenchHook[] = [];
    let users = 0;
    for (const next of steps) {
      const alone = await lags();
      note(`adding webhooks of ${2 * (next - users)} users whose receivers are slow or silent`);
      await side.enable(others, true);
      dead.push(...(await side.add(silent.slice(users, next), EACH, 'silent')));
      others.push(...(await side.add(slow.slice(users, next), EACH, 'slow')), ...dead.slice(-EACH * (next - users)));
      const beside: number[] = [];
      const held: number[] = [];
      for (let turn = 1; turn <= pace.turns; turn++) {
        await side.enable(dead, true);
        await untilHeld(side, Math.min(others.length, LEAST_HELD));
        const before = await side.waiting();
        const some = await lags();
        beside.push(...some);
        held.push(before);
        note(`turn ${turn} of ${pace.turns}: p99 ${percentile(some, 0.99).toFixed(0)} ms, ${before} wait`);
      }
      await side.enable(others, false);
      await untilHeld(side, 0);
      const again = await lags();
      users = next;
      results.push(
        resultOf({
          scenario: `hooks-slow ${2 * next}`,
          ours: percentile(beside, 0.99),
          baseline: percentile([...alone, ...again], 0.99),
          unit: 'ms p99',
          warmUp: warmed,
          notes: [
            `${others.length} webhooks of ${2 * next} users are slow or silent; messages that waited for them at the start of each turn: ${held.join(', ')}`,
            `p50 ${percentile(beside, 0.5).toFixed(0)} ms, without them ${percentile([...alone, ...again], 0.5).toFixed(0)} ms`,
          ],
        }),
      );
    }
    return results;
  } finally {
    await side.stop();
  }
}

/** Sends updates until so many messages wait for receivers, or none if 0. */
async function untilHeld(side: HookSide, count: number): Promise<void> {
  const limitMs = performance.now() + HELD_LIMIT_MS;
  for (
    let waiting = await side.waiting();
    count === 0 ? waiting > 0 : waiting < count;
    waiting = await side.waiting()
  ) {
    if (performance.now() > limitMs) throw new Error(`${waiting} messages wait for their receivers, not ${count}`);
    // None of these updates may arrive in the next turn.
    if (count > 0) await side.turn(RATE, POLL_MS, FAST_USERS);
    else await sleep(POLL_MS);
  }
}
