// Checks whether a service's backends are reachable, at most once a second for all callers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Labels, Metrics } from '../telemetry/metrics.ts';

/** A slower check counts as failed: probes have time limits of their own. */
const ANSWER_LIMIT_MS = 1_000;
/** How long a result is cached. */
const KEPT_MS = 1_000;

export type BackendState = 'up' | 'away';

/**
 * The check of each backend. A rejection or `false` means that the backend is away; other results
 * don't matter.
 */
export type BackendChecks = Readonly<Record<string, () => unknown>>;

/** Returns the state of each backend by name. */
export type Health = () => Promise<Readonly<Record<string, BackendState>>>;

/**
 * Creates the function that checks all backends at once. It never rejects and takes at most a
 * second.
 */
export function createHealth(checks: BackendChecks): Health {
  let inFlight: ReturnType<Health> | null = null;
  let checkedAtMs = 0;
  return () => {
    const nowMs = performance.now();
    if (inFlight !== null && nowMs - checkedAtMs < KEPT_MS) return inFlight;
    checkedAtMs = nowMs;
    inFlight = checkAll(checks);
    return inFlight;
  };
}

async function checkAll(checks: BackendChecks): Promise<Record<string, BackendState>> {
  const states = Object.entries(checks).map(async ([name, check]) => [name, await ask(check)] as const);
  return Object.fromEntries(await Promise.all(states));
}

async function ask(check: () => unknown): Promise<BackendState> {
  const over = new AbortController();
  const late = sleep(ANSWER_LIMIT_MS, false, { signal: over.signal, ref: false });
  // The loser of the race must not end the process by its rejection.
  late.catch(() => undefined);
  const answer = (async () => check())();
  answer.catch(() => undefined);
  try {
    return (await Promise.race([answer, late])) === false ? 'away' : 'up';
  } catch {
    // The backend's client has logged the reason.
    return 'away';
  } finally {
    over.abort();
  }
}

/** Declares the metric of each service for the state of its backends. */
export function countBackends(metrics: Pick<Metrics, 'gauge'>, health: Health): void {
  const meaning = '1 while the backend can be reached, else 0.';
  metrics.gauge('taskgraph_backend_up', meaning, ['backend'], async () =>
    Object.entries(await health()).map(([backend, state]): [Labels, number] => [{ backend }, state === 'up' ? 1 : 0]),
  );
}
