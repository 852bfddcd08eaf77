// Scenario `long-poll`: the resident memory of a waiting call, and the time from a change to the
// answers of the calls that it wakes, against plain uWebSockets.js that leaves responses open.
import { setTimeout as sleep } from 'node:timers/promises';
import { rest } from '@taskgraph/client';
import type { PollServerActs } from '../baseline/poll-server.ts';
import type { PollerActs, PollTarget, WakeTarget } from '../clients/pollers.ts';
import { type ClientProcess, forkClient } from '../clients/process.ts';
import { median, percentile } from '../measure/figures.ts';
import { readResidentBytes } from '../measure/proc.ts';
import { onOwnStack } from '../own-stack.ts';
import { type Result, resultOf } from '../report/result.ts';
import type { Bench } from '../scenario.ts';
import type { BenchStack } from '../stack/bench-stack.ts';
import { metricTotal } from '../stack/scrape.ts';
import { type BenchUser, createUsers } from '../stack/users.ts';

const CALLS = 4_000;
const QUICK_CALLS = 1_000;
const CALLS_A_USER = 10;
/** The calls that are opened before the measurement, to load code and pools. */
const FIRST_CALLS = 500;
const OPENING_LIMIT_MS = 60_000;
/** Some calls read again, because their time was up. */
const MOST_WAIT = 0.99;
/** The pause between two counts of the waiting calls, which take time and memory at the server. */
const COUNTED_MS = 100;
/** The calls that are opened at once: each reads before it waits. */
const OPENED_AT_ONCE = 100;
const REST_MS = 5_000;
const WAIT_SECONDS = 55;
const WAKES = 20;
/** The changes before the measured ones: the first commits of a stack compile its statements. */
const FIRST_WAKES = 20;

/** Uses its own stack: calls could reuse memory that an earlier scenario left free. */
export const longPoll = onOwnStack(run);

interface PollSide {
  readonly name: 'ours' | 'baseline';
  readonly targets: readonly PollTarget[];
  readonly wakeOf: (user: BenchUser) => WakeTarget;
  readonly pids: () => readonly number[];
  /** The number of calls that wait at the server. */
  readonly waiting: () => Promise<number>;
}

interface PollFigures {
  readonly kib: number;
  readonly ms: readonly number[];
}

async function run({ pace, note }: Bench, stack: BenchStack): Promise<Result[]> {
  const count = pace.quick ? QUICK_CALLS : CALLS;
  const users = await createUsers(stack.access, 'polling', count / CALLS_A_USER);
  const server = await forkClient<PollServerActs>('poll-server', { tokens: users.map(({ token }) => token) });
  try {
    const sides = { baseline: await baselineOf(server, users), ours: await oursOf(stack, users) };
    const baseline = await measure(sides.baseline, users, note);
    const ours = await measure(sides.ours, users, note);
    note(`${ours.kib.toFixed(1)} KiB a call, baseline ${baseline.kib.toFixed(1)} KiB`);
    const wake = ({ ms }: PollFigures) => `p50 ${median(ms).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms`;
    return [
      resultOf({ scenario: 'long-poll memory', ours: ours.kib, baseline: baseline.kib, unit: 'KiB a call' }),
      resultOf({
        scenario: 'long-poll wake',
        ours: median(ours.ms),
        baseline: median(baseline.ms),
        unit: 'ms p50',
        notes: [
          `from the request of a change to the answers of ${CALLS_A_USER} calls, of which 100 ms are the pause for further changes`,
          `ours ${wake(ours)}; baseline ${wake(baseline)}`,
        ],
      }),
    ];
  } finally {
    await server.stop();
  }
}

async function baselineOf(server: ClientProcess<PollServerActs>, users: readonly BenchUser[]): Promise<PollSide> {
  const url = `http://127.0.0.1:${await server.acts.listen(null)}`;
  return {
    name: 'baseline',
    targets: callsOf(users, ({ token }) => ({ url, token, path: '/wait' })),
    wakeOf: ({ token }) => ({ url, token, path: '/wake', body: {} }),
    pids: () => [server.pid],
    waiting: () => server.acts.count(null),
  };
}

async function oursOf(stack: BenchStack, users: readonly BenchUser[]): Promise<PollSide> {
  const url = stack.urls[0] as string;
  const positions = new Map<string, string>();
  for (const { id, token } of users) {
    const { position } = await rest({ url, token }).request<{ position: string }>('GET', '/api/graph', {
      query: { limit: 1 },
      timeoutMs: 120_000,
    });
    positions.set(id, `/api/changes?since=${encodeURIComponent(position)}&wait=${WAIT_SECONDS}`);
  }
  return {
    name: 'ours',
    targets: callsOf(users, ({ id, token }) => ({
      url,
      token,
      path: positions.get(id) as string,
      repeats: true,
    })),
    wakeOf: ({ token }) => ({ url, token, path: '/api/node', body: { title: 'news' } }),
    pids: () => stack.roles().gateway ?? [],
    async waiting() {
      const metrics = await fetch(`${stack.admin['gateway-1']}/metrics`);
      return metricTotal(await metrics.text(), 'taskgraph_waiting_calls');
    },
  };
}

/** Each user's calls are next to each other. */
function callsOf(users: readonly BenchUser[], targetOf: (user: BenchUser) => PollTarget): PollTarget[] {
  return users.flatMap((user) => Array.from({ length: CALLS_A_USER }, () => targetOf(user)));
}

async function measure(side: PollSide, users: readonly BenchUser[], note: Bench['note']): Promise<PollFigures> {
  const pollers = await forkClient<PollerActs>('pollers', null);
  try {
    await open(side, pollers, 0, FIRST_CALLS);
    await sleep(REST_MS);
    const before = residentOf(side);
    await open(side, pollers, FIRST_CALLS, side.targets.length);
    await sleep(REST_MS);
    const kib = (residentOf(side) - before) / 1_024 / (side.targets.length - FIRST_CALLS);
    note(`${side.name}: ${side.targets.length.toLocaleString('en')} calls wait`);
    for (const user of users.slice(0, FIRST_WAKES)) await pollers.acts.wake(side.wakeOf(user));
    const ms: number[] = [];
    for (const user of users.slice(-WAKES)) ms.push(...(await pollers.acts.wake(side.wakeOf(user))));
    return { kib, ms };
  } finally {
    await pollers.stop();
  }
}

/** Opens the calls from one number up to another, a few at once. */
async function open(side: PollSide, pollers: ClientProcess<PollerActs>, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += OPENED_AT_ONCE) {
    const next = Math.min(to, first + OPENED_AT_ONCE);
    await pollers.acts.open(side.targets.slice(first, next));
    const limitMs = performance.now() + OPENING_LIMIT_MS;
    for (let count = 0; count < next * MOST_WAIT; count = await side.waiting()) {
      if (performance.now() > limitMs) throw new Error(`${side.name}: ${count} of ${next} calls wait`);
      await sleep(COUNTED_MS);
    }
  }
}

function residentOf({ pids }: PollSide): number {
  return pids().reduce((sum, pid) => sum + readResidentBytes(pid), 0);
}
