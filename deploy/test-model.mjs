// `npm run test:model -- --commands N --seed S`: compares the service with the reference model for
// longer than `npm test` does.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    // Commands of the sequential run; the concurrent one does half as many.
    commands: { type: 'string', default: '20000' },
    // The same seed draws the same random commands.
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    // Random searches of each reader in each comparison of all views.
    searches: { type: 'string', default: '4' },
    // One of `sequence`, `concurrent` and `mutants`; the first two if it is left out. Mutants come
    // with seeds of their own.
    only: { type: 'string', default: '' },
  },
});
const files = ['sequence', 'concurrent', 'mutants']
  .filter((kind) => (values.only === '' ? kind !== 'mutants' : values.only === kind))
  .flatMap((kind) => [
    `services/worker/src/test/model/${kind}.neo4j.test.ts`,
    ...(kind === 'mutants' ? ['libs/commands/src/test/mutants.isolated.test.ts'] : []),
  ]);
if (files.length === 0) throw new Error(`--only takes sequence, concurrent or mutants, not ${values.only}`);
console.log(`seed ${values.seed}`);
const result = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('test.mjs', import.meta.url)), '--project', 'neo4j', '--project', 'isolated', ...files],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      MODEL_COMMANDS: values.commands,
      MODEL_SEED: values.seed,
      MODEL_SEARCHES: values.searches,
      MODEL_FAULTS: 'all',
    },
  },
);
process.exit(result.status ?? 1);
