// The demo: loads a project plan over the public API and completes its jobs, while a second socket
// watches.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect, type RateLimitWait } from '@taskgraph/client';
import { Presets, SingleBar } from 'cli-progress';
import { loadPlan } from './load.ts';
import { type DemoResult, perform } from './perform.ts';
import { type Plan, readPlan } from './plan.ts';
import { type Access, findAccess } from './stack.ts';
import { watch } from './watcher.ts';

const BUNDLED = fileURLToPath(new URL('../../../examples/website-launch.json', import.meta.url));
/**
 * The service's longest limits count per hour, and a large plan may need several hours of calls.
 */
const LONGEST_LIMIT_WAIT_MS = 3 * 3_600_000;
/** Waits that end this close together are reported as one. */
const SAME_WAIT_MS = 1_000;
const USAGE = 'usage: npm run demo -- [plan.sm ...] [--speed JOBS_PER_SECOND]';

async function main(): Promise<void> {
  const { paths, speed } = readArguments();
  const access = await findAccess(process.env);
  for (const path of paths) await show(await readPlan(path), access, speed);
}

function readArguments(): { paths: string[]; speed: number } {
  const { values, positionals } = parseArgs({ options: { speed: { type: 'string' } }, allowPositionals: true });
  const speed = Number(values.speed ?? 0);
  if (!Number.isFinite(speed) || speed < 0) throw new Error(`--speed must be a number of jobs a second.\n${USAGE}`);
  const paths = positionals.map((path) => resolve(process.env.INIT_CWD ?? '.', path));
  return { paths: paths.length > 0 ? paths : [BUNDLED], speed };
}

async function show(plan: Plan, access: Access, speed: number): Promise<void> {
  const patience = { rateLimitWaitMs: LONGEST_LIMIT_WAIT_MS, onRateLimit: reportOnce() };
  const worker = await connect({ ...access, ...patience });
  const watching = await connect({ ...access, ...patience });
  const links = plan.jobs.reduce((sum, { successors }) => sum + successors.length, 0);
  console.log(`${plan.name}: ${plan.jobs.length} jobs, ${links} links`);
  const startedAt = performance.now();
  try {
    const watcher = watch(watching);
    const loading = progress('loading   ', plan.jobs.length + links);
    const loaded = await loadPlan(worker, plan, () => loading.increment(1, { title: '' })).finally(() =>
      loading.stop(),
    );
    for (const batch of loaded.batches) await watcher.batch(batch);
    const completing = progress('completing', plan.jobs.length);
    const onStep = (title: string) => completing.increment(1, { title });
    const done = await perform({ client: worker, watcher, plan, loaded, speed, onStep }).finally(() =>
      completing.stop(),
    );
    console.log(summary(done, performance.now() - startedAt));
  } finally {
    worker.close();
    watching.close();
  }
}

/** Concurrent calls wait together, so one line reports all of them. */
function reportOnce(): (wait: RateLimitWait) => void {
  let endsMs = 0;
  return ({ what, limit, waitMs }) => {
    if (Date.now() + waitMs <= endsMs + SAME_WAIT_MS) return;
    endsMs = Date.now() + waitMs;
    console.error(
      `\n${what}: the limit ${limit} is reached; waiting ${Math.ceil(waitMs / 1_000)} s as the service asks`,
    );
  };
}

function progress(what: string, total: number): SingleBar {
  const bar = new SingleBar(
    { format: `${what} {bar} {value}/{total} {title}`, noTTYOutput: true, notTTYSchedule: 2_000, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total, 0, { title: '' });
  return bar;
}

function summary({ completed, unblocked, pushLatenciesMs }: DemoResult, totalMs: number): string {
  const sorted = [...pushLatenciesMs].sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return (
    `ok: ${completed} jobs completed, ${unblocked} unblocked, each exactly when its last predecessor was completed; ` +
    `${(totalMs / 1_000).toFixed(1)} s, median ${median.toFixed(0)} ms from command to push`
  );
}

main().catch((error: unknown) => {
  console.error(`failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
