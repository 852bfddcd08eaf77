// A branch that one user changes, and webhooks of its guests whose receivers are a process of their
// own.
import { setTimeout as sleep } from 'node:timers/promises';
import { rest } from '@taskgraph/client';
import { forkClient } from '../../clients/process.ts';
import { type Cpu, meterCpu } from '../../measure/cpu.ts';
import { withMissing } from '../../measure/figures.ts';
import type { OwnStackOptions } from '../../own-stack.ts';
import type { HookReceiverActs, ReceivedMessages, ReceiverKind } from '../../receivers/hook-receivers.ts';
import type { UpdateSenderActs } from '../../sockets/update-sender.ts';
import type { BenchStack } from '../../stack/bench-stack.ts';
import { STATEMENTS, workerTotal } from '../../stack/scrape.ts';
import { type BenchUser, createUsers } from '../../stack/users.ts';
import { OUR_PATH, shareSmallBranch } from '../push-sides.ts';

/** A stack with a hooks service that may send to this machine. */
export const HOOK_STACK: OwnStackOptions = {
  topology: { hooks: 1 },
  environment: { HOOKS_ALLOWED_HOSTS: '127.0.0.1' },
};

/** Answers of a slow receiver come after this time, within the 15 s that a receiver has. */
const SLOW_MS = 10_000;
const READS = `${STATEMENTS}{pool="reads"}`;
const CALLS_AT_ONCE = 20;
const ANSWER_LIMIT_MS = 120_000;
const ACTIVE_LIMIT_MS = 300_000;
/** After the last update of a turn. */
const ARRIVAL_LIMIT_MS = 20_000;
const POLL_MS = 250;

/** A user's webhook. */
export interface BenchHook {
  readonly user: BenchUser;
  readonly id: string;
}

export interface HookTurn {
  readonly answered: number;
  /** Lags of all events that were due, those that never arrived included. */
  readonly dueLagsMs: readonly number[];
  readonly received: ReceivedMessages;
  readonly seconds: number;
  readonly cpu: Cpu;
  /** The statements of reads that the workers sent to the database, including look-ups of gateways. */
  readonly reads: number;
}

export interface HookSide {
  /** Adds webhooks of each of these users, and waits until all are active. */
  add(users: readonly BenchUser[], each: number, kind: ReceiverKind): Promise<BenchHook[]>;
  /** Disables or enables webhooks. */
  enable(hooks: readonly BenchHook[], enabled: boolean): Promise<void>;
  /**
   * Sends updates of the branch at this rate, and returns what fast receivers received meanwhile. With the
   * number of their webhooks it also waits until all have received all updates, or a time limit passes.
   */
  turn(rate: number, ms: number, webhooks?: number): Promise<HookTurn>;
  /** The messages that slow and silent receivers are holding now. */
  waiting(): Promise<number>;
  stop(): Promise<void>;
}

/** Opens the side; the guests see the branch. */
export async function openHookSide(
  stack: BenchStack,
  name: string,
  guests: number,
): Promise<HookSide & { guests: BenchUser[] }> {
  const [owner, ...others] = (await createUsers(stack.access, name, guests + 1)) as [BenchUser, ...BenchUser[]];
  const ids = await shareSmallBranch(stack, owner, others);
  const receivers = await forkClient<HookReceiverActs>('hook-receivers', { slowMs: SLOW_MS });
  const base = await receivers.acts.listen(null);
  const updates = await forkClient<UpdateSenderActs>('update-sender', {
    url: stack.urls[0] as string,
    path: OUR_PATH,
    auth: { api_token: owner.token },
    event: 'node:update',
    ids,
  });
  const callsOf = ({ token }: BenchUser) => rest({ url: stack.urls[0] as string, token });
  let added = 0;

  async function areActive(users: readonly BenchUser[]): Promise<boolean> {
    const listed = await inGroups(users, (user) =>
      callsOf(user).request<{ hooks: readonly { state: string }[] }>('GET', '/api/hook', {
        timeoutMs: ANSWER_LIMIT_MS,
      }),
    );
    return listed.every(({ hooks }) => hooks.every(({ state }) => state === 'active'));
  }

  return {
    guests: others,
    async add(users, each, kind) {
      const wanted = users.flatMap((user) => Array.from({ length: each }, () => user));
      const hooks = await inGroups(wanted, async (user) => {
        const body = { url: `${base}/${kind}/${added++}` };
        const { hook } = await callsOf(user).request<{ hook: { id: string } }>('POST', '/api/hook', {
          body,
          timeoutMs: ANSWER_LIMIT_MS,
        });
        return { user, id: hook.id };
      });
      const limitMs = performance.now() + ACTIVE_LIMIT_MS;
      while (!(await areActive(users))) {
        if (performance.now() > limitMs) throw new Error(`${hooks.length} webhooks did not become active`);
        await sleep(POLL_MS);
      }
      return hooks;
    },
    async enable(hooks, enabled) {
      await inGroups(hooks, ({ user, id }) =>
        callsOf(user).request('PUT', '/api/hook', { body: { id, enabled }, timeoutMs: ANSWER_LIMIT_MS }),
      );
    },
    async turn(rate, ms, webhooks = 0) {
      await receivers.acts.received(null);
      const metered = meterCpu({ ...stack.roles(), receivers: [receivers.pid], sender: [updates.pid] });
      const readsBefore = await workerTotal(stack, READS);
      const startedAt = performance.now();
      const { answeredUs } = await updates.acts.sendUpdates({ rate, burst: 1, ms });
      const [seconds, cpu] = [(performance.now() - startedAt) / 1_000, metered()];
      const reads = (await workerTotal(stack, READS)) - readsBefore;
      const due = answeredUs.size * webhooks;
      const limitMs = performance.now() + ARRIVAL_LIMIT_MS;
      while ((await receivers.acts.arrived(null)) < due && performance.now() < limitMs) await sleep(POLL_MS);
      const received = await receivers.acts.received(null);
      const dueLagsMs = withMissing([...received.lagsMs], due, ARRIVAL_LIMIT_MS);
      return { answered: answeredUs.size, dueLagsMs, received, seconds, cpu, reads };
    },
    waiting: () => receivers.acts.waiting(null),
    async stop() {
      await updates.stop();
      await receivers.stop();
    },
  };
}

/** The results of the work on all items, a few at once. */
async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let first = 0; first < items.length; first += CALLS_AT_ONCE)
    results.push(...(await Promise.all(items.slice(first, first + CALLS_AT_ONCE).map(work))));
  return results;
}
