// `npm run test:model -- --commands N --seed S`: the service against the reference model, for longer than `npm test` does it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    // Commands of the sequential run; the concurrent one does half as many.
    commands: { type: 'string', default: '20000' },
    // What the random commands are drawn from; the same seed draws the same again.
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    // One of `sequence` and `concurrent`; both if it is left out.
    only: { type: 'string', default: '' },
  },
});
console.log(`seed ${values.seed}`);
const result = spawnSync(
  process.execPath,
  [
    fileURLToPath(new URL('test.mjs', import.meta.url)),
    '--project',
    'neo4j',
    `services/worker/src/proof/${values.only}`,
  ],
  { stdio: 'inherit', env: { ...process.env, MODEL_COMMANDS: values.commands, MODEL_SEED: values.seed } },
);
process.exit(result.status ?? 1);
