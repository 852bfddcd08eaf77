// The siege: npm run siege. Twenty clients work on two gateways, first undisturbed and then for
// three minutes under attacks of all kinds. A rehearsal of the attacks comes first, so that neither
// phase measures a cold database.
// The siege fails if a client fails or waits over five times its undisturbed p99, if a push is
// missed or reaches a user without access, if a process restarts, if a worker loses a lease, or if
// memory exceeds its bound.
import { type ChildProcess, type ForkOptions, fork, spawnSync } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type BaselineClient, connectTeam, type Waits } from './baseline-clients.ts';
import type { Plan, Tallies } from './plan.ts';
import { type ProcessWatch, watchProcesses } from './process-watch.ts';
import { type SiegeStack, startSiegeStack } from './siege-stack.ts';
import { compare, countMissed, p99 } from './verdict.ts';

/** The database needs minutes of load until its code is compiled. */
const WARM_UP_S = 120;
/** The attacks use further statements. */
const REHEARSAL_S = 120;
/**
 * Between the rehearsal and the undisturbed phase: running commands end, and the attackers'
 * resources are released.
 */
const CALM_S = 20;
const QUIET_S = 60;
const SIEGE_S = 180;
/** The response times are reported for each part of this length. */
const PART_S = 15;
/** For pushes in flight at the end. */
const SETTLING_MS = 12_000;
const ATTACKS_END_MS = 90_000;
/**
 * Resident memory under attack, MiB. A gateway needs its idle 150 and the buffers of slow readers;
 * a worker needs its heap, which Node bounds, and its queues.
 */
const MEMORY_MIB: Readonly<Record<string, number>> = { gateway: 1_024, worker: 2_048, jobs: 512, hooks: 512 };

/**
 * Options that confine the attackers to one processor, so that on a small machine the service has the
 * others. Without `taskset`, which only Linux has, they may use all.
 */
function onOneProcessor(): ForkOptions {
  const { status } = spawnSync('taskset', ['--version']);
  if (status !== 0) return {};
  const first = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return { execPath: 'taskset', execArgv: ['--cpu-list', first, process.execPath] };
}

const note = (line: string) => console.error(line);

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: String(SIEGE_S) },
      warm: { type: 'string', default: String(WARM_UP_S) },
      rehearsal: { type: 'string', default: String(REHEARSAL_S) },
      quiet: { type: 'string', default: String(QUIET_S) },
      only: { type: 'string', default: '' },
    },
  });
  note('starting a stack with two gateways and two workers');
  const siegeStack = await startSiegeStack(note);
  const services = ['gateway-1', 'gateway-2', 'worker-1', 'worker-2', 'jobs-1', 'hooks-1'].map((name) =>
    siegeStack.stack.service(name),
  );
  const processWatch = watchProcesses(services);
  try {
    return await runSiege(siegeStack, processWatch, {
      warmS: Number(values.warm),
      rehearsalS: Number(values.rehearsal),
      quietS: Number(values.quiet),
      siegeS: Number(values.seconds),
      only: values.only === '' ? [] : values.only.split(','),
    });
  } finally {
    processWatch.stop();
    await siegeStack.stop();
  }
}

interface SiegeOptions {
  readonly warmS: number;
  readonly rehearsalS: number;
  readonly quietS: number;
  readonly siegeS: number;
  readonly only: readonly string[];
}

async function runSiege(
  { teams, plan, rehearsalPlan, leasesLost }: SiegeStack,
  processWatch: ProcessWatch,
  options: SiegeOptions,
): Promise<boolean> {
  const workEnd = new AbortController();
  // Every client and every pause listens to it.
  setMaxListeners(0, workEnd.signal);
  const clients: BaselineClient[] = [];
  for (const [index, team] of teams.entries())
    clients.push(...(await connectTeam(team, index, plan.urls, workEnd.signal)));
  note(`${clients.length} clients warm the service up for ${options.warmS} s`);
  await sleep(options.warmS * 1_000);
  const rehearsalBreaches = await rehearse(rehearsalPlan, options);
  for (const each of clients) each.takeWaits();
  note(`measuring undisturbed for ${options.quietS} s`);
  for (const each of processWatch.processes) each.takePeakMib();
  await sleep(options.quietS * 1_000);
  const quiet = clients.map((each) => each.takeWaits());
  const quietMib = processWatch.processes.map((each) => each.takePeakMib());
  const before = clients.flatMap(({ name, failures }) =>
    failures.map((failure) => `${name} before the siege: ${failure}`),
  );
  note(`attacks for ${options.siegeS} s`);
  const attackProcess = await startAttacks(plan, options.only);
  const underSiege = await watchWaits(clients, options.siegeS);
  workEnd.abort();
  const tallies = await stopAttacks(attackProcess);
  await sleep(SETTLING_MS);
  const late = clients.map((each) => each.takeWaits());
  for (const [index, waits] of late.entries()) for (const kind of KINDS) underSiege[index]?.[kind].push(...waits[kind]);
  const problems = [
    ...before,
    ...rehearsalBreaches,
    ...judgeWaits(clients, quiet, underSiege),
    ...judgeClients(clients),
    ...judgeProcesses(processWatch, quietMib),
    ...judgeTallies(tallies),
    ...judgeLeases(await leasesLost()),
  ];
  for (const each of clients) each.close();
  for (const problem of problems.slice(0, 60)) console.log(`not ok: ${problem}`);
  console.log(problems.length === 0 ? 'ok: the siege was withstood' : `${problems.length} problems`);
  return problems.length === 0;
}

const KINDS = ['write', 'read', 'push'] as const;

/** Reports the response times of each part of the siege, and returns all of them. */
async function watchWaits(clients: readonly BaselineClient[], siegeS: number): Promise<Waits[]> {
  const all: Waits[] = clients.map(() => ({ write: [], read: [], push: [] }));
  for (let atS = 0; atS < siegeS; atS += PART_S) {
    await sleep(Math.min(PART_S, siegeS - atS) * 1_000);
    const part = clients.map((each) => each.takeWaits());
    const figures = KINDS.map((kind) => `${kind} ${p99(part.flatMap((each) => each[kind])).toFixed(0)} ms`);
    note(`p99 from ${atS} s: ${figures.join(', ')}`);
    for (const [index, waits] of part.entries()) for (const kind of KINDS) all[index]?.[kind].push(...waits[kind]);
  }
  return all;
}

function judgeWaits(
  clients: readonly BaselineClient[],
  quiet: readonly Waits[],
  underSiege: readonly Waits[],
): string[] {
  const problems: string[] = [];
  for (const kind of KINDS) {
    const all = compare(
      kind,
      quiet.flatMap((each) => each[kind]),
      underSiege.flatMap((each) => each[kind]),
    );
    const { quietMs, siegeMs, worstMs, ratio } = all;
    const count = underSiege.reduce((sum, each) => sum + each[kind].length, 0);
    console.log(
      `${kind}: p99 ${quietMs.toFixed(0)} ms in the quiet, ${siegeMs.toFixed(0)} ms besieged (ratio ${ratio.toFixed(2)}), ` +
        `longest ${worstMs.toFixed(0)} ms of ${count}`,
    );
    if (!all.ok) problems.push(`${kind}: waits are ${ratio.toFixed(2)} times those in the quiet`);
    // One client has too few calls for a p99 of its own, so its times are compared with the
    // undisturbed times of all clients.
    for (const [index, { name }] of clients.entries()) {
      const mine = underSiege[index]?.[kind] ?? [];
      const own = compare(
        kind,
        quiet.flatMap((each) => each[kind]),
        mine,
      );
      if (mine.length > 0 && !own.ok)
        problems.push(`${name} waited ${own.siegeMs.toFixed(0)} ms for a ${kind}, ${own.ratio.toFixed(1)} times`);
    }
  }
  return problems;
}

function judgeClients(clients: readonly BaselineClient[]): string[] {
  const problems: string[] = [];
  let pushes = 0;
  for (const { name, failures, guests, batches } of clients) {
    for (const failure of failures) problems.push(`${name}: ${failure}`);
    for (const guest of guests) {
      pushes += batches.size;
      const count = countMissed(batches.keys(), guest.batches);
      if (count > 0) problems.push(`${guest.name} was never pushed ${count} of ${batches.size} changes of ${name}`);
    }
  }
  console.log(`pushes: ${pushes} expected by guests`);
  return problems;
}

function judgeProcesses({ processes }: ProcessWatch, quietMib: readonly number[]): string[] {
  const problems: string[] = [];
  for (const [index, process] of processes.entries()) {
    const peak = process.takePeakMib();
    const bound = MEMORY_MIB[process.name.replace(/-\d+$/, '')] ?? 0;
    console.log(
      `${process.name}: ${quietMib[index]} MiB in the quiet, ${peak} MiB besieged (bound ${bound}), ${process.restarts()} restarts`,
    );
    if (peak > bound) problems.push(`${process.name} took ${peak} MiB`);
    if (process.restarts() > 0) problems.push(`${process.name} was started again`);
  }
  return problems;
}

/** Counted since the start of the stack, the rehearsal included. */
function judgeLeases(lost: number): string[] {
  console.log(`leases: ${lost} lost`);
  return lost === 0 ? [] : [`workers lost ${lost} leases`];
}

function judgeTallies(tallies: Tallies): string[] {
  const problems: string[] = [];
  for (const [name, { counts, breaches }] of Object.entries(tallies)) {
    const figures = Object.entries(counts).map(([what, count]) => `${what}: ${count}`);
    console.log(`${name}: ${figures.join(', ') || 'nothing'}`);
    // An attack that sent nothing is invalid.
    if (figures.length === 0) problems.push(`${name} did nothing`);
    for (const breach of breaches) problems.push(`${name}: ${breach}`);
  }
  return problems;
}

/** The rehearsal must cause no breaches either; its response times do not count. */
async function rehearse(plan: Plan, { rehearsalS, only }: SiegeOptions): Promise<string[]> {
  if (rehearsalS === 0) return [];
  note(`rehearsing the siege for ${rehearsalS} s`);
  const attackProcess = await startAttacks(plan, only);
  await sleep(rehearsalS * 1_000);
  const tallies = await stopAttacks(attackProcess);
  await sleep(CALM_S * 1_000);
  return Object.entries(tallies).flatMap(([name, { breaches }]) =>
    breaches.map((breach) => `${name} in the rehearsal: ${breach}`),
  );
}

async function startAttacks(plan: Plan, only: readonly string[]): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./attack-process.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...onOneProcessor(),
  });
  await once(child, 'message');
  child.send({ plan, only });
  return child;
}

async function stopAttacks(child: ChildProcess): Promise<Tallies> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(ATTACKS_END_MS) });
  child.send('stop');
  const [tallies] = (await answer) as [Tallies];
  return tallies;
}

main().then(
  (ok) => {
    process.exitCode = ok ? 0 : 1;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.stack : error);
    process.exitCode = 1;
  },
);
