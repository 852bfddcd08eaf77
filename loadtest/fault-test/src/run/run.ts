// One run: clients work and readers subscribe while faults occur in sequence. At the end the run
// waits for calm, and checks all answers and pushes against the stored data.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entity } from '@taskgraph/client';
import { type Random, randomFrom } from '@taskgraph/testkit/random';
import { slotOf } from '@taskgraph/wire/ids';
import { check, findMissed } from '../history/check.ts';
import { checkCoverage } from '../history/check-coverage.ts';
import type { Anomaly, ClaimAnswer, Command, History, Read, ReplicaLog, StoredData } from '../history/history.ts';
import { restCaller } from './callers.ts';
import { connectClients, type RunClients } from './clients.ts';
import type { FaultStack } from './fault-stack.ts';
import { createInjector, type Injector } from './injection.ts';
import { type InjectedFault, judgeDeaths, judgeHealing, judgeWaits, slotOfCommand } from './judge-faults.ts';
import { probeDuring } from './probes.ts';
import type { Fault } from './schedule.ts';
import { GATEWAYS, HOOKS, JOBS, WORKERS } from './schedule.ts';
import { readStored, untilNoClaims } from './stored.ts';
import { contentOf, type Listener, listen, textsOf, type Watcher, watch } from './watchers.ts';
import { addWebhooks } from './webhooks/hook-clients.ts';
import { now, readAll } from './writer.ts';

export interface Outcome {
  readonly injectedFaults: readonly InjectedFault[];
  readonly history: History;
  readonly stored: StoredData;
  readonly anomalies: readonly Anomaly[];
}

export interface RunOptions {
  readonly seed: number;
  /** From the first fault on. */
  readonly durationMs: number;
  /** The time of undisturbed work before that. Default: 0. */
  readonly workMs?: number;
  readonly note: (line: string) => void;
  readonly faults: Iterator<Fault, unknown, undefined>;
}

const HEALING_LIMIT_MS = 70_000;
const PAUSE_MS = { least: 500, most: 2_000 };
/**
 * All caches are cold after a power cut. Before the next one much work must be in progress, some of
 * it written by the system and some not.
 */
const PAUSE_BEFORE_CUT_MS = { least: 2_000, most: 20_000 };
/** A launcher gives up a backend that dies three times within a minute. */
const CUTS_APART_MS = 31_000;
const POLL_MS = 20;
const REST_LIMIT_MS = 60_000;
const REST_POLL_MS = 250;

export async function runFaults(faultStack: FaultStack, options: RunOptions): Promise<Outcome> {
  const { seed, durationMs, workMs = 0, note, faults } = options;
  const commands: Command[] = [];
  const claims: ClaimAnswer[] = [];
  const openAttempts: Command[] = [];
  const reads: Read[] = [];
  const clients = await connectClients(faultStack, { seed, commands, claims, openAttempts, reads });
  const listeners = clients.runUsers.map((runUser) =>
    listen(`listener${runUser.index}`, faultStack.urls[runUser.index % 2] as string, runUser),
  );
  const watchers = await Promise.all(
    clients.runUsers.map((runUser) =>
      watch(`watcher${runUser.index}`, faultStack.urls[(runUser.index + 1) % 2] as string, runUser),
    ),
  );
  const hooks = await addWebhooks(faultStack, clients.hookUsers, seed + 3);
  const stop = new AbortController();
  const working = clients.work(stop.signal);
  // A failure is thrown at the await of the work.
  working.catch(() => stop.abort());
  const injector = createInjector(faultStack);
  await sleep(workMs);
  const endMs = now() + durationMs;
  const pauses = randomFrom(seed + 1);
  const injectedFaults: InjectedFault[] = [];
  const probed: Anomaly[] = [];
  while (now() < endMs && !stop.signal.aborted) {
    const { value, done } = faults.next();
    if (done === true) break;
    const fault = value as Fault;
    await sleep(pauseBefore(fault, injectedFaults, pauses));
    note(
      `${fault.kind} ${fault.target}${fault.forMs > 0 ? ` for ${fault.forMs} ms` : ''}${fault.kind === 'jump' ? ` to ${fault.aheadMs} ms` : ''}`,
    );
    const fromMs = now();
    const over = injector.inject(fault);
    probed.push(...(await probeDuring(faultStack, fault, over)));
    await over;
    const untilMs = now();
    injectedFaults.push({ fault, fromMs, untilMs, healedMs: await untilHealed(clients, commands, stop.signal) });
  }
  stop.abort();
  await working;
  // Jobs services whose clocks are hours behind would expire no claim in the time of the run.
  for (const service of [...WORKERS, ...GATEWAYS, ...JOBS, ...HOOKS]) faultStack.clocks?.set(service, 0);
  note('no more writes; waiting until the jobs have expired all claims');
  const unended = await untilNoClaims(faultStack.stack.environment);
  note('waiting until all replicas are current');
  const settled = await untilCurrent(faultStack, { watchers, reads });
  const { stored, inconsistencies } = await readStored(faultStack.stack.environment);
  const storedMs = now();
  const isSet = injectedFaults.some(({ fault }) => fault.kind === 'jump');
  const clock = { epochMs: performance.timeOrigin, storedMs, isSet };
  const connections = listeners.flatMap((listener: Listener) => listener.connections);
  const history = { clock, commands, claims, reads, connections, replicas: settled.replicas, webhooks: hooks.logs };
  note('waiting until all webhooks have received everything');
  const ofHooks = await hooks.catchUp(() => findMissed(history, stored), note);
  for (const listener of listeners) listener.close();
  await Promise.all([clients.close(), hooks.close(), ...watchers.map(({ replica }) => replica.close())]);
  const anomalies = [
    ...judgeHealing(injectedFaults),
    ...judgeWaits(injectedFaults, [...commands, ...openAttempts]),
    ...probed,
    ...judgeProcesses(faultStack, injector),
    ...judgeDeaths(faultStack.deaths, injectedFaults),
    ...unended.map((id) => ({ kind: 'jobs did not expire an ended claim', what: id, about: [] })),
    ...settled.anomalies,
    ...ofHooks,
    ...inconsistencies.map((what) => ({ kind: 'the stored data contradicts itself', what, about: [] })),
    ...check(history, stored),
    ...checkCoverage(history, stored),
  ];
  return { injectedFaults, history, stored, anomalies };
}

function pauseBefore({ kind }: Fault, injectedFaults: readonly InjectedFault[], pauses: Random): number {
  if (kind !== 'power') return pauses.between(PAUSE_MS.least, PAUSE_MS.most);
  const last = injectedFaults.findLast(({ fault }) => fault.kind === kind);
  const leastMs = last === undefined ? 0 : last.fromMs + CUTS_APART_MS - now();
  return Math.max(pauses.between(PAUSE_BEFORE_CUT_MS.least, PAUSE_BEFORE_CUT_MS.most), leastMs);
}

/** Milliseconds until each owner's partition has answered a command that was requested after this call. */
async function untilHealed({ runUsers }: RunClients, commands: readonly Command[], stop: AbortSignal): Promise<number> {
  const fromMs = now();
  const waiting = new Map(runUsers.map(({ id }) => [slotOf(id), id]));
  for (let next = commands.length; waiting.size > 0; await sleep(POLL_MS)) {
    for (; next < commands.length; next++) {
      const command = commands[next] as Command;
      const slot = slotOfCommand(command);
      if (command.calledMs >= fromMs && slot !== null) waiting.delete(slot);
    }
    if (now() - fromMs > HEALING_LIMIT_MS || stop.aborted) return Number.POSITIVE_INFINITY;
  }
  return now() - fromMs;
}

/** No process ended except the intended ones. */
function judgeProcesses({ stack }: FaultStack, { expected }: Injector): Anomaly[] {
  return [...expected].flatMap(([name, times]) => {
    const restarts = stack.service(name).restarts();
    if (restarts <= times) return [];
    return [
      { kind: 'a process ended unexpectedly', what: `${name}: ${restarts} starts, ${times} expected`, about: [] },
    ];
  });
}

/** Waits until each replica equals a page; the checks report any remaining difference. */
export async function untilCurrent(
  { urls }: Pick<FaultStack, 'urls'>,
  { watchers, reads }: { watchers: readonly Watcher[]; reads: Read[] },
): Promise<{ replicas: ReplicaLog[]; anomalies: Anomaly[] }> {
  const anomalies: Anomaly[] = [];
  const replicas = await Promise.all(
    watchers.map(async (watcher) => {
      const { token } = watcher.runUser;
      const caller = restCaller({ name: `last of ${watcher.name}`, urls, token });
      const deadline = now() + REST_LIMIT_MS;
      for (;;) {
        const page = await caller.call('graph:get', { limit: 5_000 }, null);
        const { nodes = [], links = [] } = (page.kind === 'done' ? page.body : {}) as Page;
        const read = textsOf(nodes, links);
        const isEqual =
          page.kind === 'done' && same(read, contentOf(watcher.replica)) && watcher.replica.state === 'live';
        if (isEqual || now() > deadline) {
          if (!isEqual)
            anomalies.push({
              kind: 'a replica does not become stable',
              what: `${watcher.name} is ${watcher.replica.state}`,
              about: [],
            });
          const isRead = await readAll({ caller, runUser: watcher.runUser, reads });
          if (!isRead) anomalies.push({ kind: 'a page could not be read at the end', what: watcher.name, about: [] });
          return watcher.log(read);
        }
        await sleep(REST_POLL_MS);
      }
    }),
  );
  return { replicas, anomalies };
}

interface Page {
  readonly nodes?: readonly Entity[];
  readonly links?: readonly Entity[];
}

function same(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const ids = Object.keys(one);
  return ids.length === Object.keys(other).length && ids.every((id) => one[id] === other[id]);
}
