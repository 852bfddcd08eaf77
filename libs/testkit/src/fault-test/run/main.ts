// The fault test: npm run test:faults -- --minutes N --seed S. It ends with 1 where it finds anything.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { report } from './report.ts';
import { runFaults } from './run.ts';
import { setStage } from './stage.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);
const note = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      // Where to keep all that was told and stored, as JSON.
      keep: { type: 'string', default: '' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  });
  const seed = Number(values.seed);
  note('starting a stack of 2 gateways, 3 workers and 2 jobs services');
  const stage = await setStage(note);
  try {
    const outcome = await runFaults(stage, { seed, durationMs: Number(values.minutes) * 60_000, note });
    if (values.keep !== '') writeFileSync(values.keep, JSON.stringify(outcome));
    print(`seed ${seed}`);
    print(report(outcome));
    return outcome.anomalies.length === 0;
  } finally {
    await stage.clear();
  }
}

main().then(
  (ok) => process.exit(ok ? 0 : 1),
  (error: unknown) => {
    note(error instanceof Error ? `${error.stack}` : String(error));
    process.exit(1);
  },
);
