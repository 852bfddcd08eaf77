// The fault test: npm run test:faults -- --minutes N --seed S. It exits with 1 if it finds an
// anomaly.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '@taskgraph/testkit/random';
import { startFaultStack } from './fault-stack.ts';
import { drawMachineFaults, type MachineKind, machineKindOf } from './machine-faults.ts';
import { MUTANTS, mutation } from './mutants.ts';
import { report } from './report.ts';
import { runFaults } from './run.ts';
import { backendFaults, drawFaults, type Fault, type Members } from './schedule.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);
const note = (line: string) => void process.stderr.write(`${line}\n`);
/** Faults that need disks for the backends. */
const DISK_KINDS: readonly MachineKind[] = ['full', 'power'];

/**
 * Faults that follow from the seed. Kinds are names such as `restart worker`, or `restart` alone.
 */
function* seededFaults(seed: number, kinds: readonly string[], members: Members): Generator<Fault, void, undefined> {
  for (const fault of drawFaults(randomFrom(seed), members))
    if (kinds.some((kind) => `${fault.kind} ${fault.target}`.startsWith(kind))) yield fault;
}

/** Alternates between requested machine faults and the other requested faults. */
function* inTurn(generators: readonly Generator<Fault, void, undefined>[]): Generator<Fault, void, undefined> {
  for (let left = generators; left.length > 0; ) {
    const drawnFaults = left.map((each) => ({ each, ...each.next() }));
    for (const { value, done } of drawnFaults) if (done !== true) yield value as Fault;
    left = drawnFaults.filter(({ done }) => done !== true).map(({ each }) => each);
  }
}

function* first(faults: Iterator<Fault, unknown, undefined>): Generator<Fault, void, undefined> {
  const { value, done } = faults.next();
  if (done !== true) yield value;
}

function checkDisks(kinds: readonly MachineKind[], isClustered: boolean): void {
  const named = DISK_KINDS.filter((kind) => kinds.includes(kind));
  if (isClustered && named.length > 0)
    throw new Error(`clusters have no disks of their own here: leave --clustered or ${named.join(' and ')} away`);
  if (named.length > 1) throw new Error(`${named.join(' and ')} need other disks: name one of them`);
}

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      // Instead of faults from the seed: each backend unavailable, hanging and slow for this many
      // seconds.
      backends: { type: 'string', default: '' },
      // Keeps only faults of these kinds, separated by commas. `full`, `jump` and `power` occur
      // only if named.
      only: { type: 'string', default: '' },
      // Disables one of the protections in `mutants.ts`, and fails if no check finds it.
      mutant: { type: 'string', default: '' },
      // Uses backend clusters, whose servers also fail individually.
      clustered: { type: 'boolean', default: false },
      // A file for the whole history as JSON. Default: with anomalies, a file in the folder for
      // temporary files.
      keep: { type: 'string', default: '' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  });
  const seed = Number(values.seed);
  const mutant = values.mutant === '' ? null : MUTANTS[values.mutant];
  if (mutant === undefined) throw new Error(`--mutant takes one of: ${Object.keys(MUTANTS).join('; ')}`);
  const changed = mutant === null ? null : mutation(mutant);
  const names = (mutant?.only ?? values.only).split(',');
  const machineNames = names.filter((name) => machineKindOf(name) !== undefined);
  const otherNames = names.filter((name) => machineKindOf(name) === undefined);
  const machineKinds = machineNames.flatMap((name) => machineKindOf(name) ?? []);
  checkDisks(machineKinds, values.clustered);
  note('starting a stack of 2 gateways, 3 workers, 2 jobs and 2 hooks services');
  const faultStack = await startFaultStack(note, changed?.environment, machineKinds, values.clustered);
  try {
    const possible = machineNames.filter((name) => !faultStack.leftOut.has(machineKindOf(name) as MachineKind));
    const drawnFaults = inTurn([
      ...(otherNames.length > 0 ? [seededFaults(seed, otherNames, faultStack.members)] : []),
      drawMachineFaults(randomFrom(seed + 2), possible),
    ]);
    const faults = values.backends === '' ? drawnFaults : backendFaults(Number(values.backends) * 1_000).values();
    const options = { seed, durationMs: Number(values.minutes) * 60_000, note };
    const isOnce = mutant !== null && 'workMs' in mutant;
    const some = isOnce ? { workMs: mutant.workMs, faults: first(faults) } : { faults };
    const outcome = await runFaults(faultStack, { ...options, ...some });
    print(`seed ${seed}`);
    print(report(outcome, faultStack.leftOut));
    const isOdd = mutant === null && outcome.anomalies.length > 0;
    const kept = values.keep === '' && isOdd ? join(tmpdir(), `taskgraph-faults-${seed}.json`) : values.keep;
    if (kept !== '') {
      writeFileSync(kept, JSON.stringify(outcome), { mode: 0o600 });
      print(`all that was told and stored: ${kept}`);
    }
    if (mutant === null) return outcome.anomalies.length === 0;
    const isFound = outcome.anomalies.some(({ kind }) => kind === mutant.found);
    print(isFound ? `ok: found, ${mutant.found}` : `not ok: not found: ${mutant.found}`);
    return isFound;
  } catch (error) {
    // The clean-up may fail too, and would hide this one.
    note(`the run ended early: ${error instanceof Error ? error.stack : String(error)}`);
    return false;
  } finally {
    await faultStack.clear();
    changed?.clear();
  }
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: unknown) => {
    note(error instanceof Error ? `${error.stack}` : String(error));
    process.exit(1);
  },
);
