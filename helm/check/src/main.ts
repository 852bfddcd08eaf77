// `npm run check:helm` checks the chart, with `-- --cluster` on a real API server too. `npm run
// helm:generate` writes the generated files.
import { parseArgs } from 'node:util';
import { digestInputs, isProven, keepProven } from './changes.ts';
import { proveOnCluster } from './cluster/cluster-proof.ts';
import { writeGenerated } from './generate.ts';
import { prove } from './proof.ts';
import { missingPrograms } from './tools.ts';

const { values } = parseArgs({
  options: {
    generate: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    // Exits early if nothing has changed since the last successful proof.
    'if-changed': { type: 'boolean', default: false },
    // Fails, instead of skipping parts, if Go or Python is missing.
    strict: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const missing = await missingPrograms();
  if (values.generate) return writeGenerated(missing);
  if (missing !== null) {
    console.log(`SKIPPED: the chart is not checked, because this machine lacks ${missing}`);
    if (values.strict) process.exitCode = 1;
    return;
  }
  const digest = await digestInputs();
  if (values['if-changed'] && isProven(digest)) {
    console.log(`the chart was proven already: nothing has changed since then (${digest?.slice(0, 12)})`);
    return;
  }
  if (await prove()) keepProven(digest);
  if (values.cluster) await proveOnCluster();
}

const start = performance.now();
await main();
console.log(`took ${((performance.now() - start) / 1_000).toFixed(1)} s`);
