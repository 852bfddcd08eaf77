// The upgrade test: npm run test:upgrade -- --minutes N --seed S. It exits with 1 if it finds an anomaly.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportUpgrade } from './report.ts';
import { runUpgrade } from './upgrade.ts';

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      // Further upgrades and rollbacks, in random orders, start until this time after the migration. The
      // first of each is always done.
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  });
  const seed = Number(values.seed);
  const durationMs = Number(values.minutes) * 60_000;
  if (!Number.isInteger(seed) || !(durationMs >= 0)) throw new Error('--minutes and --seed take numbers');
  const outcome = await runUpgrade({ seed, durationMs, note: (line) => void process.stderr.write(`${line}\n`) });
  process.stdout.write(`seed ${seed}\n${reportUpgrade(outcome)}\n`);
  if (outcome.anomalies.length === 0) return true;
  const file = join(tmpdir(), `taskgraph-upgrade-${seed}.json`);
  writeFileSync(file, JSON.stringify(outcome), { mode: 0o600 });
  process.stdout.write(`everything that clients received: ${file}\n`);
  return false;
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
