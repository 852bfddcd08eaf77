// `npm run check:helm -- --cluster`: runs every values file through a release's life on a real API
// server.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { type MatrixFile, matrixFiles, NAMESPACE, RELEASE } from '../helm.ts';
import { run } from '../program.ts';
import { chartPath } from '../repository.ts';
import { goTool } from '../tools.ts';
import type { Api } from './api.ts';
import { buildControlPlane, type ControlPlane, KUBERNETES, startControlPlane } from './control-plane.ts';
import { defineCustomKinds } from './custom-kinds.ts';
import { type Nodes, simulateNodes } from './nodes.ts';
import { leftOf, list, pathOf } from './objects.ts';
import { walk } from './walk.ts';

/** The taint that `production` tolerates, which distinguishes its nodes. */
const TAINT = { key: 'dedicated', value: 'taskgraph', effect: 'NoSchedule' };

/** Runs the whole proof and prints its observations. Throws at the first deviation. */
export async function proveOnCluster(): Promise<void> {
  const helms = { 'Helm 3': await goTool('helm3'), 'Helm 4': await goTool('helm4') };
  const interrupted = interruption();
  const cluster = await startControlPlane(await buildControlPlane());
  let nodes: Nodes | null = null;
  try {
    console.log(`a control plane of Kubernetes ${KUBERNETES} is ready; its nodes are simulated`);
    nodes = await simulateNodes(cluster.api, TAINT);
    console.log(`custom kinds with their own definitions: ${(await defineCustomKinds(cluster.api)).join(', ')}`);
    await makeNamespace(cluster.api);
    await Promise.race([walkAll(cluster, helms, nodes), nodes.simulation, interrupted]);
  } finally {
    // The node simulator may have failed itself, and the cluster must stop in any case.
    try {
      await nodes?.stop();
    } finally {
      await cluster.stop();
    }
  }
}

/** Rejects at Ctrl-C or SIGTERM, so that everything that was started is stopped. */
function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  });
  // Its first await comes after the cluster has started.
  interrupted.catch(() => undefined);
  return interrupted;
}

/**
 * Runs each file through its release with each Helm version, and checks that a failed migration
 * fails an install.
 */
async function walkAll(
  cluster: ControlPlane,
  helms: Readonly<Record<'Helm 3' | 'Helm 4', string>>,
  nodes: Nodes,
): Promise<void> {
  const files = matrixFiles();
  for (const [name, helm] of Object.entries(helms)) {
    for (const file of files) {
      const { objects, available } = await walk({ api: cluster.api, helm, kubeconfig: cluster.kubeconfig, file });
      console.log(`- ${name}, ${file.name}: ${objects} objects; available in the upgrade at least ${available}`);
    }
  }
  await failedMigration(cluster, helms['Helm 3'], nodes, files[0] as MatrixFile);
  console.log('a failed migration ends the install before any workload exists');
  console.log(`cluster: ${files.length} values files x 2 Helm installed, upgraded, tested, rolled back, uninstalled`);
}

/**
 * The namespace enforces the restricted Pod Security Standard. A pod that violates it is rejected,
 * as evidence.
 */
async function makeNamespace(api: Api): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await api.must('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels },
  });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'loose' },
    spec: { containers: [{ name: 'loose', image: 'loose:1' }] },
  };
  for (let tried = 0; tried < 50; tried += 1) {
    // The API rejects pods until the namespace has its service account.
    if ((await list(api, 'ServiceAccount', NAMESPACE)).length > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const { status, body } = await api.send('POST', pathOf('Pod', NAMESPACE), pod);
  strictEqual(status, 403);
  ok(/violates PodSecurity "restricted/.test(body.message), body.message);
}

async function failedMigration(cluster: ControlPlane, helm: string, nodes: Nodes, file: MatrixFile): Promise<void> {
  const env = { KUBECONFIG: cluster.kubeconfig };
  const where = ['--namespace', NAMESPACE];
  nodes.succeed = false;
  try {
    const values = ['--values', file.path, '--set', 'migration.backoffLimit=0'];
    const installed = await run(helm, ['install', RELEASE, chartPath(), ...values, ...where], { env });
    ok(installed.exitCode !== 0, 'an install with a failed migration succeeded');
    ok(/pre-install/.test(installed.stderr), installed.stderr);
    deepStrictEqual(await list(cluster.api, 'Deployment', NAMESPACE), []);
    const left = await leftOf(cluster.api, NAMESPACE, RELEASE);
    ok(
      left.some((each) => each.startsWith('Job ')),
      'the failed job is not there to be looked at',
    );
  } finally {
    nodes.succeed = true;
    await run(helm, ['uninstall', RELEASE, ...where], { env });
  }
}
