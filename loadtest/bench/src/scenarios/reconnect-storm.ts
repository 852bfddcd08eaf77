// Scenario `reconnect-storm`: a gateway is killed with 2,000 sockets of one branch, which all
// reconnect to the other one. It measures the statements in the database although nothing has
// changed, and the time until all sockets have caught up.
import { setTimeout as sleep } from 'node:timers/promises';
import { forkClient } from '../clients/process.ts';
import { onOwnStack } from '../own-stack.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench } from '../scenario.ts';
import type { ListenerActs } from '../sockets/listeners.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { STATEMENTS, workerTotal } from '../stack/scrape.ts';
import { createUsers } from '../stack/users.ts';
import { OUR_PATH, shareSmallBranch } from './push-sides.ts';

const SOCKETS = 2_000;
const QUICK_SOCKETS = 200;
const SOCKETS_A_USER = 20;
/** The time in which the services' own statements are counted, to be subtracted. */
const QUIET_MS = 30_000;
const QUICK_QUIET_MS = 10_000;
const REST_MS = 3_000;

/** Uses its own stack, because it kills a gateway. */
export const reconnectStorm = onOwnStack(run, { topology: { gateways: 2 } });

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const listeners = await forkClient<ListenerActs>('listeners', null);
  try {
    const count = pace.quick ? QUICK_SOCKETS : SOCKETS;
    const [owner, ...guests] = await createUsers(stack.access, 'storm', 1 + count / SOCKETS_A_USER);
    if (owner === undefined) throw new Error('no user was created');
    await shareSmallBranch(stack, owner, guests);
    const listenerTargets = { path: OUR_PATH, auths: guests.map(({ token }) => ({ api_token: token })), count };
    const openingMs = await listeners.acts.open({ ...listenerTargets, urls: stack.urls.slice(0, 1) });
    note(`${count} sockets open in ${(openingMs / 1_000).toFixed(1)} s`);
    await sleep(REST_MS);
    const quietRate = await rateOfStatements(stack, pace.quick ? QUICK_QUIET_MS : QUIET_MS);
    const before = await workerTotal(stack, STATEMENTS);
    const startedAt = performance.now();
    stack.stack.service('gateway-1').kill('SIGKILL');
    const back = await listeners.acts.reconnect({ ...listenerTargets, urls: stack.urls.slice(1) });
    const took = performance.now() - startedAt;
    const statements = (await workerTotal(stack, STATEMENTS)) - before - (quietRate * took) / 1_000;
    return [
      resultOf({
        scenario: 'reconnect-storm statements',
        ours: Math.max(0, statements),
        baseline: back.feeds,
        unit: 'statements, against feeds',
        notes: [`${count} sockets; minus ${quietRate.toFixed(1)} statements a second of the services' own`],
      }),
      resultOf({
        scenario: 'reconnect-storm time',
        ours: back.ms / 1_000,
        baseline: openingMs / 1_000,
        unit: 's',
        notes: [`baseline: opening them first; ${back.behind} sockets had missed slices and read them`],
      }),
    ];
  } finally {
    await listeners.stop();
  }
}

async function rateOfStatements(stack: BenchStack, ms: number): Promise<number> {
  const before = await workerTotal(stack, STATEMENTS);
  await sleep(ms);
  return (((await workerTotal(stack, STATEMENTS)) - before) * 1_000) / ms;
}
