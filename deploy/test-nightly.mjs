// `npm run test:nightly [-- --minutes N] [--seed N]`: repeats random tests, all mutants, and tests
// that kill services or backends. Before that it tests the clients in other languages once. `--smoke`
// runs a small part of it, to check this script.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { repository } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    // No round starts after this time.
    minutes: { type: 'string', default: '60' },
    // The seed of the first round; each further round increments it.
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    smoke: { type: 'boolean', default: false },
  },
});

const RANDOM = [
  'realtime/feed-channel-model',
  'access/membership',
  'src/test/model.test',
  'src/test/composites.test',
  'src/test/dry-run.test',
  'events/slices.test',
  'commit/stored-rows',
  'test/access.neo4j',
  'test/change-replay',
  'reads/read-graph',
  'reads/read-trash',
  'console/src/test/random-acts',
];
const MODEL = ['model/sequence', 'model/concurrent'];
const LARGE = ['test/sizes', 'test/high-fan-in', 'test/interface-pages', 'commit/large/large'];
const MUTANTS = ['model/mutants', 'commands/src/test/mutants'];
const KILLED = [
  'failover',
  'recovery',
  'test/roll-out',
  'partitions/lease',
  'test/races',
  'undisturbed',
  'expiry',
  'webhook',
];

const present = ['libs', 'services', 'loadtest'].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true }),
);
for (const name of [...RANDOM, ...LARGE, ...MODEL, ...MUTANTS, ...KILLED]) {
  if (!present.some((path) => path.includes(name) && path.endsWith('.test.ts')))
    throw new Error(`${name} names no test`);
}

/** Mutants use fixed seeds, so one round is enough. */
const filesOf = (round) => [...RANDOM, ...LARGE, ...MODEL, ...(round === 0 ? MUTANTS : []), ...KILLED];
const full = {
  RUNS_SCALE: '40',
  MODEL_COMMANDS: '20000',
  MODEL_COMPOSITES: '200',
  MODEL_VIEW_EVERY: '20',
  MODEL_FAULTS: 'all',
  MANY_NODES: '10000',
};
const smoke = { RUNS_SCALE: '0.1', MODEL_SEED: '1' };

/** Minutes of faults in each round. */
const FAULT_MINUTES = '10';

function runProgram(program, ...given) {
  const script = fileURLToPath(new URL('run.mjs', import.meta.url));
  return spawnSync(process.execPath, [script, program, ...given], { stdio: 'inherit' }).status === 0;
}

const runUpgrade = (seed) => runProgram('loadtest/fault-test/dist/upgrade/main.js', '--seed', seed);

const runFaults = (seed) =>
  runProgram('loadtest/fault-test/dist/run/main.js', '--minutes', FAULT_MINUTES, '--seed', seed);

function run(files, environment) {
  const test = fileURLToPath(new URL('test.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [test, ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return status === 0;
}

// `npm test` already runs a shorter form of the tests with backends.
if (values.smoke)
  process.exit(run(['realtime/feed-channel-model', 'access/membership', 'src/test/model.test'], smoke) ? 0 : 1);

if (!runProgram('libs/repo-checks/dist/test-clients/main.js')) {
  console.log('failed: npm run test:clients');
  process.exit(1);
}
const endMs = Date.now() + Number(values.minutes) * 60_000;
for (let round = 0; round === 0 || Date.now() < endMs; round++) {
  const seed = String(Number(values.seed) + round);
  console.log(`round ${round + 1}, seed ${seed}`);
  if (run(filesOf(round), { ...full, MODEL_SEED: seed }) && runFaults(seed) && runUpgrade(seed)) continue;
  console.log(`failed in round ${round + 1}: npm run test:nightly -- --seed ${seed} begins with it`);
  process.exit(1);
}
