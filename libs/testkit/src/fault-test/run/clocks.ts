// Clocks of services that jump, each by itself. A module that is loaded before a service moves its Date by what a file says; monotonic clocks and timers
// go on, as they do where the clock of a machine is set.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from './schedule.ts';

export interface Clocks {
  /** The variables of services whose clocks are to jump. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets a clock so many milliseconds ahead of the right time, or behind it. */
  set(service: Service, aheadMs: number): void;
  clear(): void;
}

/** A look at the file costs a system call, and Date is asked thousands of times a second. */
const LOOK_EVERY_MS = 20;

export function createClocks(): Clocks {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-clocks-'));
  const module = join(folder, 'clock.mjs');
  writeFileSync(
    module,
    `import { readFileSync } from 'node:fs';
const { WORKER_ID, GATEWAY_ID, JOBS_ID } = process.env;
const file = ${JSON.stringify(`${folder}/`)} + (WORKER_ID ?? GATEWAY_ID ?? JOBS_ID ?? 'none');
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
