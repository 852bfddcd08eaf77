// The siege: npm run siege. Twenty clients work on two gateways, first undisturbed and then for
// three minutes under attacks of all kinds. A rehearsal of the attacks comes first, so that neither
// phase measures a cold database.
// The siege fails if a client fails or waits over five times its undisturbed p99, if a push is
// missed or reaches a user without access, if a process restarts, if a worker loses a lease, or if
// memory exceeds its bound.
import { type ChildProcess, fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Honest, join, type Waits } from './honest.ts';
import type { Plan, Tallies } from './plan.ts';
import { type Stage, setStage } from './stage.ts';
import { compare, missed, p99 } from './verdict.ts';
import { type Watch, watch } from './watching.ts';

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
const BESIEGERS_END_MS = 90_000;
/**
 * Resident memory under attack, MiB. A gateway needs its idle 150 and the buffers of slow readers;
 * a worker needs its heap, which Node bounds, and its queues.
 */
const MEMORY_MIB: Readonly<Record<string, number>> = { gateway: 1_024, worker: 2_048, jobs: 512 };

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
  const stage = await setStage(note);
  const services = ['gateway-1', 'gateway-2', 'worker-1', 'worker-2', 'jobs-1'].map((name) =>
    stage.stack.service(name),
  );
  const watching = watch(services);
  try {
    return await besiege(stage, watching, {
      warmS: Number(values.warm),
      rehearsalS: Number(values.rehearsal),
      quietS: Number(values.quiet),
      siegeS: Number(values.seconds),
      only: values.only === '' ? [] : values.only.split(','),
    });
  } finally {
    watching.stop();
    await stage.clear();
  }
}

interface Times {
  readonly warmS: number;
  readonly rehearsalS: number;
  readonly quietS: number;
  readonly siegeS: number;
  readonly only: readonly string[];
}

async function besiege({ parties, plan, leasesLost }: Stage, watching: Watch, times: Times): Promise<boolean> {
  const working = new AbortController();
  // Every client and every pause listens to it.
  setMaxListeners(0, working.signal);
  const honest: Honest[] = [];
  for (const [index, party] of parties.entries()) honest.push(...(await join(party, index, plan.urls, working.signal)));
  note(`${honest.length} honest clients warm the service up for ${times.warmS} s`);
  await sleep(times.warmS * 1_000);
  const rehearsed = await rehearse(plan, times);
  for (const each of honest) each.takeWaits();
  note(`measuring the quiet for ${times.quietS} s`);
  for (const each of watching.processes) each.takePeakMib();
  await sleep(times.quietS * 1_000);
  const quiet = honest.map((each) => each.takeWaits());
  const quietMib = watching.processes.map((each) => each.takePeakMib());
  const before = honest.flatMap(({ name, failures }) =>
    failures.map((failure) => `${name} before the siege: ${failure}`),
  );
  note(`besieged for ${times.siegeS} s`);
  const besiegers = await startBesiegers(plan, times.only);
  const besieged = await watchWaits(honest, times.siegeS);
  working.abort();
  const tallies = await stopBesiegers(besiegers);
  await sleep(SETTLING_MS);
  const late = honest.map((each) => each.takeWaits());
  for (const [index, waits] of late.entries()) for (const kind of KINDS) besieged[index]?.[kind].push(...waits[kind]);
  const problems = [
    ...before,
    ...rehearsed,
    ...judgeWaits(honest, quiet, besieged),
    ...judgeHonest(honest),
    ...judgeProcesses(watching, quietMib),
    ...judgeTallies(tallies),
    ...judgeLeases(await leasesLost()),
  ];
  for (const each of honest) each.close();
  for (const problem of problems.slice(0, 60)) console.log(`not ok: ${problem}`);
  console.log(problems.length === 0 ? 'ok: the siege was withstood' : `${problems.length} problems`);
  return problems.length === 0;
}

const KINDS = ['write', 'read', 'push'] as const;

/** Reports the response times of each part of the siege, and returns all of them. */
async function watchWaits(honest: readonly Honest[], siegeS: number): Promise<Waits[]> {
  const all: Waits[] = honest.map(() => ({ write: [], read: [], push: [] }));
  for (let atS = 0; atS < siegeS; atS += PART_S) {
    await sleep(Math.min(PART_S, siegeS - atS) * 1_000);
    const part = honest.map((each) => each.takeWaits());
    const figures = KINDS.map((kind) => `${kind} ${p99(part.flatMap((each) => each[kind])).toFixed(0)} ms`);
    note(`p99 from ${atS} s: ${figures.join(', ')}`);
    for (const [index, waits] of part.entries()) for (const kind of KINDS) all[index]?.[kind].push(...waits[kind]);
  }
  return all;
}

function judgeWaits(honest: readonly Honest[], quiet: readonly Waits[], besieged: readonly Waits[]): string[] {
  const problems: string[] = [];
  for (const kind of KINDS) {
    const all = compare(
      kind,
      quiet.flatMap((each) => each[kind]),
      besieged.flatMap((each) => each[kind]),
    );
    const { quietMs, besiegedMs, worstMs, ratio } = all;
    const count = besieged.reduce((sum, each) => sum + each[kind].length, 0);
    console.log(
      `${kind}: p99 ${quietMs.toFixed(0)} ms in the quiet, ${besiegedMs.toFixed(0)} ms besieged (ratio ${ratio.toFixed(2)}), ` +
        `longest ${worstMs.toFixed(0)} ms of ${count}`,
    );
    if (!all.ok) problems.push(`${kind}: waits are ${ratio.toFixed(2)} times those in the quiet`);
    // One client has too few calls for a p99 of its own, so its times are compared with the
    // undisturbed times of all clients.
    for (const [index, { name }] of honest.entries()) {
      const mine = besieged[index]?.[kind] ?? [];
      const own = compare(
        kind,
        quiet.flatMap((each) => each[kind]),
        mine,
      );
      if (mine.length > 0 && !own.ok)
        problems.push(`${name} waited ${own.besiegedMs.toFixed(0)} ms for a ${kind}, ${own.ratio.toFixed(1)} times`);
    }
  }
  return problems;
}

function judgeHonest(honest: readonly Honest[]): string[] {
  const problems: string[] = [];
  let pushes = 0;
  for (const { name, failures, guests, batches } of honest) {
    for (const failure of failures) problems.push(`${name}: ${failure}`);
    for (const guest of guests) {
      pushes += batches.size;
      const count = missed(batches.keys(), guest.batches);
      if (count > 0) problems.push(`${guest.name} was never pushed ${count} of ${batches.size} changes of ${name}`);
    }
  }
  console.log(`pushes: ${pushes} expected by guests`);
  return problems;
}

function judgeProcesses({ processes }: Watch, quietMib: readonly number[]): string[] {
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
async function rehearse(plan: Plan, { rehearsalS, only }: Times): Promise<string[]> {
  if (rehearsalS === 0) return [];
  note(`rehearsing the siege for ${rehearsalS} s`);
  const besiegers = await startBesiegers(plan, only);
  await sleep(rehearsalS * 1_000);
  const tallies = await stopBesiegers(besiegers);
  await sleep(CALM_S * 1_000);
  return Object.entries(tallies).flatMap(([name, { breaches }]) =>
    breaches.map((breach) => `${name} in the rehearsal: ${breach}`),
  );
}

async function startBesiegers(plan: Plan, only: readonly string[]): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./besiegers.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  child.send({ plan, only });
  return child;
}

async function stopBesiegers(child: ChildProcess): Promise<Tallies> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(BESIEGERS_END_MS) });
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
