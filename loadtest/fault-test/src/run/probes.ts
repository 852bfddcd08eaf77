// Probes the services while a backend is unavailable. Readiness must report it, and liveness must
// stay healthy, because a failing liveness probe restarts the process.
import { setTimeout as sleep } from 'node:timers/promises';
import { askAdmin } from '@taskgraph/testkit/stack/probes';
import type { Anomaly } from '../history/history.ts';
import type { FaultStack } from './fault-stack.ts';
import { type Backend, backendOf, type Fault, GATEWAYS, WORKERS } from './schedule.ts';

const POLL_MS = 500;
/** Services check their backends once a second, and a check may take as long. */
const REPORTED_AFTER_MS = 4_000;
/** Services work on without these backends: they report the loss but stay ready. */
const OPTIONAL: ReadonlySet<Backend> = new Set<Backend>(['redis']);
const SERVICE_OF: Readonly<Record<Backend, string>> = { neo4j: 'worker-2', nats: 'gateway-2', redis: 'gateway-2' };

/**
 * Probes until the fault is over; returns the deviations. Skips faults that do not make a backend
 * certainly unavailable.
 */
export async function probeDuring(faultStack: FaultStack, fault: Fault, over: Promise<void>): Promise<Anomaly[]> {
  const backend = backendOf(fault.target);
  const isAway = ['pause', 'cut', 'silent'].includes(fault.kind) || (fault.kind === 'full' && backend === 'neo4j');
  if (backend === undefined || !isAway) return [];
  const stop = new AbortController();
  // Its failure is thrown at its await.
  over.then(stop.abort.bind(stop), stop.abort.bind(stop));
  const found: Anomaly[] = [];
  // Services need not report the loss of a single cluster server.
  const isWhole = fault.target === backend;
  let isReported = false;
  while (!stop.signal.aborted) {
    if (isWhole) isReported ||= await reportsLoss(faultStack, backend);
    found.push(...(await findDead(faultStack, fault)));
    await sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  if (isWhole && !isReported && fault.forMs >= REPORTED_AFTER_MS)
    found.push({ kind: 'readiness did not tell of a backend that was away', what: backend, about: [fault] });
  return found;
}

async function reportsLoss(faultStack: FaultStack, backend: Backend): Promise<boolean> {
  const { status, text } = await askAdmin(faultStack.stack, SERVICE_OF[backend], '/readyz');
  const { backends } = JSON.parse(text) as { backends: Record<string, string> };
  return backends[backend] === 'away' && (OPTIONAL.has(backend) || status === 503);
}

async function findDead(faultStack: FaultStack, fault: Fault): Promise<Anomaly[]> {
  const asked = [...WORKERS, ...GATEWAYS].map(async (name): Promise<Anomaly[]> => {
    const { status } = await askAdmin(faultStack.stack, name, '/livez');
    return status === 200 ? [] : [{ kind: 'a process looked dead', what: `${name}: ${status}`, about: [fault] }];
  });
  return (await Promise.all(asked)).flat();
}
