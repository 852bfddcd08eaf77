// The stack of the upgrade test, which replaces services one by one as a rolling update does: the new
// one is ready before the old one stops.
import type { SupervisedProcess } from '@taskgraph/launcher/processes/processes';
import type { ScriptOf, ServiceKind } from '@taskgraph/launcher/stack';
import { type LoadBalancer, startLoadBalancer } from '@taskgraph/testkit/stack/load-balancer';
import { freePort, startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import type { Anomaly } from '../history/history.ts';
import { now } from '../run/writer.ts';

/** A release that can run. */
export interface Release {
  readonly name: 'previous' | 'this';
  readonly scriptOf: ScriptOf;
  has(service: ServiceKind): boolean;
}

const COUNTS: Readonly<Record<ServiceKind, number>> = { worker: 2, jobs: 1, hooks: 1, gateway: 2 };

/** In the documented order: workers first (docs/operations.md). */
export const UPGRADE_ORDER = (['worker', 'jobs', 'hooks', 'gateway'] as const).flatMap((kind) =>
  Array.from({ length: COUNTS[kind] }, () => kind),
);

/** Several times as long as the load balancer takes to notice a stopping gateway. */
const NOTICE_MS = 400;
/** For commands and transactions. Longer than the defaults, so that another load of the machine fails nothing. */
export const COMMAND_TIMEOUT_MS = 60_000;
/** The launcher kills a service that takes longer to stop. */
const STOP_LIMIT_MS = 10_000;

export interface Replacement {
  readonly kind: ServiceKind;
  /** Milliseconds until the new one was ready, and until the old one had ended. */
  readonly startMs: number;
  readonly stopMs: number;
}

export interface UpgradeStack {
  readonly stack: TestStack;
  readonly balancer: LoadBalancer;
  /** The services that took longer to stop than they may. */
  readonly anomalies: readonly Anomaly[];
  /**
   * Replaces the oldest service of a kind by one of a release. A release without the kind only stops it,
   * and a stack without it only starts it.
   */
  replace(kind: ServiceKind, release: Release): Promise<Replacement | null>;
  stop(): Promise<void>;
}

interface Running {
  readonly kind: ServiceKind;
  readonly process: SupervisedProcess;
  /** Null for other services than gateways. */
  readonly url: string | null;
}

export async function startUpgradeStack(release: Release): Promise<UpgradeStack> {
  const countOf = (kind: ServiceKind) => (release.has(kind) ? COUNTS[kind] : 0);
  const stack = await startTestStack({
    workers: countOf('worker'),
    gateways: countOf('gateway'),
    jobs: countOf('jobs'),
    hooks: countOf('hooks'),
    scriptOf: release.scriptOf,
    ownDatabase: true,
    // The archive of the previous release has no console.
    environment: {
      CONSOLE: 'off',
      STOP_NOTICE_MS: String(NOTICE_MS),
      SWEEP_INTERVAL_MS: '1000',
      COMMAND_DEADLINE_MS: String(COMMAND_TIMEOUT_MS),
    },
    // As in other tests: on a busy machine a plan alone takes longer than the default.
    transactionSeconds: COMMAND_TIMEOUT_MS / 1_000,
  });
  const urls = [...stack.urls];
  const anomalies: Anomaly[] = [];
  const running: Running[] = (Object.keys(COUNTS) as ServiceKind[]).flatMap((kind) =>
    Array.from({ length: countOf(kind) }, (_, index) => ({
      kind,
      process: stack.service(`${kind}-${index + 1}`),
      url: kind === 'gateway' ? (urls[index] as string) : null,
    })),
  );
  const balancer = await startLoadBalancer(urls).catch(async (error: unknown) => {
    await stack.stop();
    throw error;
  });

  const start = async (kind: ServiceKind, { scriptOf }: Release) => {
    const port = kind === 'gateway' ? { port: await freePort() } : {};
    const process = await stack.add(kind, { scriptOf, ...port });
    const url = 'port' in port ? `http://127.0.0.1:${port.port}` : null;
    running.push({ kind, process, url });
    if (url !== null) urls.push(url);
  };
  const end = async ({ kind, process, url }: Running) => {
    // A pod that ends is removed from its Service before it gets SIGTERM (`preStopSeconds`).
    if (url !== null) urls.splice(urls.indexOf(url), 1);
    const fromMs = now();
    await process.stop();
    if (now() - fromMs >= STOP_LIMIT_MS)
      anomalies.push({ kind: 'a service was killed because it did not stop', what: process.name, about: [{ kind }] });
  };
  return {
    stack,
    balancer,
    anomalies,
    async replace(kind, to) {
      const fromMs = now();
      const place = running.findIndex((each) => each.kind === kind);
      const [old] = place < 0 ? [] : running.splice(place, 1);
      if (to.has(kind)) await start(kind, to);
      const readyMs = now();
      if (old !== undefined) await end(old);
      if (old === undefined && !to.has(kind)) return null;
      return { kind, startMs: readyMs - fromMs, stopMs: now() - readyMs };
    },
    async stop() {
      await balancer.close();
      await stack.stop();
    },
  };
}
