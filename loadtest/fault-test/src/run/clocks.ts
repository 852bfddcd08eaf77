// Sets the clocks of single services. A module that is loaded before a service shifts its Date by
// the value in a file. Monotonic clocks and timers continue, as they do when a machine's clock is
// set.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from './schedule.ts';

export interface Clocks {
  /** The variables of services with adjustable clocks. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets a clock this many milliseconds ahead of the right time, or behind it if negative. */
  set(service: Service, aheadMs: number): void;
  clear(): void;
}

/** Reading the file costs a system call, and services call Date thousands of times a second. */
const LOOK_EVERY_MS = 20;

export function createClocks(): Clocks {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-clocks-'));
  const module = join(folder, 'clock.mjs');
  writeFileSync(
    module,
    `import { readFileSync } from 'node:fs';
const { WORKER_ID, GATEWAY_ID, JOBS_ID, HOOKS_ID } = process.env;
const file = ${JSON.stringify(`${folder}/`)} + (WORKER_ID ?? GATEWAY_ID ?? JOBS_ID ?? HOOKS_ID ?? 'none');
const Real = Date;
let [aheadMs, lookedAt] = [0, -Infinity];
function now() {
  if (performance.now() - lookedAt > ${LOOK_EVERY_MS}) {
    lookedAt = performance.now();
    try {
      aheadMs = Number(readFileSync(file, 'utf8'));
    } catch {
      aheadMs = 0;
    }
  }
  return Real.now() + aheadMs;
}
globalThis.Date = new Proxy(Real, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  apply: () => new Real(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
Real.prototype.constructor = globalThis.Date;
`,
  );
  return {
    environment: { NODE_OPTIONS: `--import=file://${module}` },
    set: (service, aheadMs) => writeFileSync(join(folder, service), String(aheadMs)),
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}
