// `npm run check:helm`: proves the chart, with `-- --cluster` on a real API server too, and with `-- --live` its dashboard on a running
// stack; `npm run helm:generate`: writes its generated files.
import { parseArgs } from 'node:util';
import { proveOnCluster } from './cluster/cluster-proof.ts';
import { writeGenerated } from './generate.ts';
import { proveDashboard } from './live/live-proof.ts';
import { prove } from './proof.ts';
import { missingPrograms } from './tools.ts';

const { values } = parseArgs({
  options: {
    generate: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
    // Fails, in place of skipping, where Go or Python is missing.
    strict: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.generate) return writeGenerated();
  const missing = await missingPrograms();
  if (missing !== null) {
    console.log(`SKIPPED: the chart is not checked, because this machine has no ${missing}`);
    if (values.strict) process.exitCode = 1;
    return;
  }
  await prove();
  if (values.cluster) await proveOnCluster();
  if (values.live) await proveDashboard();
}

await main();
