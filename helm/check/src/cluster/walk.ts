// One values file through a release's life: install, check of the stored objects, upgrade,
// eviction, test, rollback, uninstall.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Manifest, type MatrixFile, NAMESPACE, RELEASE, readManifests } from '../helm.ts';
import { must } from '../program.ts';
import { chartPath } from '../repository.ts';
import type { Api } from './api.ts';
import { dryRun, leftOf, list, pathOf } from './objects.ts';

export interface Walk {
  readonly api: Api;
  readonly helm: string;
  readonly kubeconfig: string;
  readonly file: MatrixFile;
}

/** Observations during the release. */
export interface WalkReport {
  readonly objects: number;
  /**
   * The fewest available pods of gateway and worker during the upgrade, out of the wanted number.
   */
  readonly available: string;
}

const TIMEOUT = '150s';
/** Each step of a rollout waits this long, so the proof shortens it. */
const QUICK = ['--set', 'defaults.minReadySeconds=1'];

const SETTLE_TRIES = 300;
const INSTANCE = `app.kubernetes.io/instance=${RELEASE}`;

export async function walk(given: Walk): Promise<WalkReport> {
  const { api } = given;
  await helm(
    given,
    'install',
    RELEASE,
    chartPath(),
    '--values',
    given.file.path,
    ...QUICK,
    '--wait',
    '--timeout',
    TIMEOUT,
  );
  const manifests = await checkStored(given);
  await checkScalers(api, manifests);
  await checkBudgets(api, manifests);
  await waitUntilAvailable(api);

  const before = await list(api, 'Deployment', NAMESPACE);
  const available = await watchUpgrade(given);
  for (const { metadata, spec } of before) {
    const after = await api.get(pathOf('Deployment', NAMESPACE, metadata.name));
    ok(after.metadata.generation > (metadata.generation ?? 0), `${metadata.name} was not changed`);
    strictEqual(after.spec.template.metadata.annotations.proof, 'changed');
    deepStrictEqual(after.spec.selector, spec.selector);
    ok(after.status.readyReplicas >= 1, `${metadata.name} has no ready pod`);
  }
  if (manifests.some(({ kind }) => kind === 'PodDisruptionBudget')) {
    // Right after a rollout a budget still counts the terminating pods.
    await checkBudgets(api, manifests);
    await evict(api);
  }
  const tested = await helm(given, 'test', RELEASE, '--timeout', TIMEOUT);
  strictEqual(/Succeeded/.test(tested), given.file.name !== 'haproxy', `helm test said ${tested}`);

  await helm(given, 'rollback', RELEASE, '1', '--wait', '--timeout', TIMEOUT);
  for (const { metadata } of before) {
    const after = await api.get(pathOf('Deployment', NAMESPACE, metadata.name));
    strictEqual(after.spec.template.metadata.annotations.proof, undefined);
  }
  await helm(given, 'uninstall', RELEASE, '--wait', '--timeout', TIMEOUT);
  await waitUntil(
    `nothing is left of ${given.file.name}`,
    async () => (await leftOf(api, NAMESPACE, RELEASE)).length === 0,
  );
  return { objects: manifests.length, available };
}

function helm({ helm: program, kubeconfig }: Walk, ...given: readonly string[]): Promise<string> {
  return must(program, [...given, '--namespace', NAMESPACE], { env: { KUBECONFIG: kubeconfig } });
}

/**
 * Checks that every object of the release is in the API and contains no field unknown to the API.
 */
async function checkStored(given: Walk): Promise<readonly Manifest[]> {
  const manifests = readManifests(await helm(given, 'get', 'manifest', RELEASE));
  const hooks = readManifests(await helm(given, 'get', 'hooks', RELEASE));
  for (const manifest of [...manifests, ...hooks]) await dryRun(given.api, manifest, NAMESPACE);
  for (const { kind, metadata } of manifests) {
    const { metadata: kept } = await given.api.get(pathOf(kind, NAMESPACE, metadata.name));
    strictEqual(kept.labels['app.kubernetes.io/managed-by'] ?? 'Helm', 'Helm');
  }
  for (const pod of await list(given.api, 'Pod', NAMESPACE, INSTANCE)) {
    strictEqual(pod.spec.automountServiceAccountToken, false);
    ok(
      pod.spec.volumes.every(({ name }: { name: string }) => !name.startsWith('kube-api-access')),
      'a token is mounted',
    );
  }
  // Helm deletes hooks after success: nothing of a migration, its Secret least of all, may remain.
  await waitUntil('the migration is gone', async () => (await list(given.api, 'Job', NAMESPACE)).length === 0);
  return manifests;
}

/** Checks that each scaler has found its Deployment and scaled it to the minimum. */
async function checkScalers(api: Api, manifests: readonly Manifest[]): Promise<void> {
  for (const { metadata, spec } of manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')) {
    const path = pathOf('Deployment', NAMESPACE, spec.scaleTargetRef.name);
    await waitUntil(`${metadata.name} is scaled to ${spec.minReplicas}`, async () => {
      return (await api.get(path)).status.readyReplicas === spec.minReplicas;
    });
  }
}

/**
 * Waits until all wanted pods are available. Ready is not enough before an upgrade that may remove
 * none.
 */
async function waitUntilAvailable(api: Api): Promise<void> {
  await waitUntil('all pods are available', async () => {
    const deployments = await list(api, 'Deployment', NAMESPACE);
    return deployments.every(({ spec, status }) => status.availableReplicas === spec.replicas);
  });
}

/** Checks that each budget matches its pods, and permits some evictions but not all. */
async function checkBudgets(api: Api, manifests: readonly Manifest[]): Promise<void> {
  for (const { metadata } of manifests.filter(({ kind }) => kind === 'PodDisruptionBudget')) {
    await waitUntil(`${metadata.name} has pods`, async () => {
      const { status } = await api.get(pathOf('PodDisruptionBudget', NAMESPACE, metadata.name));
      return (
        status?.expectedPods > 0 && status.currentHealthy === status.expectedPods && status.disruptionsAllowed === 1
      );
    });
  }
}

/**
 * Upgrades with changed pods and counts the available ones meanwhile. Throws if they are fewer than
 * wanted.
 */
async function watchUpgrade(given: Walk): Promise<string> {
  const names = (await list(given.api, 'Deployment', NAMESPACE)).map(({ metadata }) => metadata.name);
  const least = new Map<string, { available: number; wanted: number }>();
  let upgrading = true;
  const watching = (async () => {
    while (upgrading) {
      for (const name of names) {
        const { spec, status } = await given.api.get(pathOf('Deployment', NAMESPACE, name));
        const seen = least.get(name)?.available ?? Number.POSITIVE_INFINITY;
        least.set(name, { available: Math.min(seen, status.availableReplicas ?? 0), wanted: spec.replicas });
      }
      await sleep(100);
    }
  })();
  // The code below awaits it; until then its failure must not count as unhandled.
  watching.catch(() => undefined);
  const changed = ['--reuse-values', '--set', 'defaults.podAnnotations.proof=changed'];
  try {
    await helm(given, 'upgrade', RELEASE, chartPath(), ...changed, '--wait', '--timeout', TIMEOUT);
  } finally {
    upgrading = false;
    await watching;
  }
  for (const [name, { available, wanted }] of least) {
    ok(available >= wanted, `${name} had ${available} of ${wanted} pods available during the upgrade`);
  }
  return [...least.values()].map(({ available, wanted }) => `${available}/${wanted}`).join(' ');
}

/** While one gateway is gone, the budget rejects the eviction of a second one. */
async function evict(api: Api): Promise<void> {
  const all = await list(api, 'Pod', NAMESPACE, `${INSTANCE},app.kubernetes.io/component=gateway`);
  const pods = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  ok(pods.length > 1, 'there is only one gateway');
  const statuses: number[] = [];
  for (const { metadata } of pods) {
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: metadata.name, namespace: NAMESPACE },
    };
    statuses.push((await api.send('POST', `${pathOf('Pod', NAMESPACE, metadata.name)}/eviction`, eviction)).status);
  }
  strictEqual(statuses[0], 201);
  ok(statuses.includes(429), `all gateways were let go at once: ${statuses}`);
}

async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tried = 0; tried < SETTLE_TRIES; tried += 1) {
    if (await isSo()) return;
    await sleep(200);
  }
  throw new Error(`timed out: ${what}`);
}
