// Whether the backends of a service can be reached, asked anew at most once a second however many want to know.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Labels, Metrics } from '../telemetry/metrics.ts';

/** An answer that takes longer counts as none: probes have time limits of their own. */
const ANSWER_LIMIT_MS = 1_000;
/** How long an answer is taken as still true. */
const KEPT_MS = 1_000;

export type BackendState = 'up' | 'away';

/** How each backend is asked: what it resolves to does not count, save `false`; a rejection says that the backend is away. */
export type BackendChecks = Readonly<Record<string, () => unknown>>;

/** The state of each backend by its name. */
export type Health = () => Promise<Readonly<Record<string, BackendState>>>;

/** Makes the function that asks all backends at once. It never rejects, and takes a second at most. */
export function createHealth(checks: BackendChecks): Health {
  let asked: ReturnType<Health> | null = null;
  let askedAtMs = 0;
  return () => {
    const nowMs = performance.now();
    if (asked !== null && nowMs - askedAtMs < KEPT_MS) return asked;
    askedAtMs = nowMs;
    asked = askAll(checks);
    return asked;
  };
}

async function askAll(checks: BackendChecks): Promise<Record<string, BackendState>> {
  const states = Object.entries(checks).map(async ([name, check]) => [name, await ask(check)] as const);
  return Object.fromEntries(await Promise.all(states));
}

async function ask(check: () => unknown): Promise<BackendState> {
  const over = new AbortController();
  const late = sleep(ANSWER_LIMIT_MS, false, { signal: over.signal, ref: false });
  // The loser of the race must not end the process when it rejects.
  late.catch(() => undefined);
  const answer = (async () => check())();
  answer.catch(() => undefined);
  try {
    return (await Promise.race([answer, late])) === false ? 'away' : 'up';
  } catch {
    // Why it is away, its own client has logged.
    return 'away';
  } finally {
    over.abort();
  }
}

/** Declares the metric that every service has: the state of its backends. */
export function countBackends(metrics: Pick<Metrics, 'gauge'>, health: Health): void {
  const meaning = '1 while the backend can be reached, else 0.';
  metrics.gauge('taskgraph_backend_up', meaning, ['backend'], async () =>
    Object.entries(await health()).map(([backend, state]): [Labels, number] => [{ backend }, state === 'up' ? 1 : 0]),
  );
}
