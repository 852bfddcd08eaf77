// Simulates the cluster's nodes: no container runs, but bound pods become ready or finish, and
// deleted pods disappear.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';

const ZONES = ['zone-a', 'zone-b', 'zone-c'];
const STEP_MS = 200;
const MERGE = 'application/merge-patch+json';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly restartPolicy: string;
    readonly containers: readonly { readonly name: string; readonly image: string }[];
  };
  readonly status: { readonly phase: string };
}

export interface Nodes {
  /** Whether pods that run to completion succeed; a test of failures sets it to false. */
  succeed: boolean;
  /** Rejects if the simulation fails, and never resolves before the stop. */
  readonly simulation: Promise<void>;
  stop(): Promise<void>;
}

/** Creates a node in each of three zones and simulates them until the stop. */
export async function simulateNodes(api: Api, taint: { key: string; value: string; effect: string }): Promise<Nodes> {
  for (const [index, zone] of ZONES.entries()) {
    for (const taints of [[], [taint]]) await makeNode(api, `node-${index}-${taints.length}`, zone, taints);
  }
  let stopping = false;
  const judged = { succeed: true };
  const simulation = (async () => {
    while (!stopping) {
      const { items } = await api.get('/api/v1/pods');
      for (const pod of items as readonly Pod[]) await step(api, pod, judged.succeed);
      await giveAddresses(api);
      await sleep(STEP_MS);
    }
  })();
  return Object.assign(judged, {
    simulation,
    async stop() {
      stopping = true;
      await simulation;
    },
  });
}

async function makeNode(api: Api, name: string, zone: string, taints: readonly unknown[]): Promise<void> {
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'topology.kubernetes.io/zone': zone,
  };
  await api.must('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { taints },
  });
  const room = { cpu: '64', memory: '256Gi', pods: '200', 'ephemeral-storage': '500Gi' };
  const time = new Date().toISOString();
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Played', lastHeartbeatTime: time, lastTransitionTime: time },
  ];
  await api.must(
    'PATCH',
    `/api/v1/nodes/${name}/status`,
    { status: { capacity: room, allocatable: room, conditions } },
    MERGE,
  );
}

/** The next step of a pod on its node. */
async function step(api: Api, pod: Pod, succeed: boolean): Promise<void> {
  const { metadata, spec, status } = pod;
  if (spec.nodeName === undefined) return;
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) {
    await ignoreMissing(api.send('DELETE', path, { gracePeriodSeconds: 0 }));
  } else if (status.phase === 'Pending') {
    const next = spec.restartPolicy === 'Never' ? ended(spec.containers, succeed) : running(spec.containers);
    await ignoreMissing(api.send('PATCH', `${path}/status`, { status: next }, MERGE));
  }
}

/** Gives load balancers an address, as a cloud provider would. */
async function giveAddresses(api: Api): Promise<void> {
  const { items } = await api.get('/api/v1/services');
  for (const { metadata, spec, status } of items) {
    if (spec.type !== 'LoadBalancer' || status.loadBalancer.ingress !== undefined) continue;
    const path = `/api/v1/namespaces/${metadata.namespace}/services/${metadata.name}/status`;
    await ignoreMissing(
      api.send('PATCH', path, { status: { loadBalancer: { ingress: [{ ip: '10.2.0.1' }] } } }, MERGE),
    );
  }
}

/** A pod may disappear between the read and the step; any other rejection is a bug. */
async function ignoreMissing(answer: Promise<{ readonly status: number; readonly body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 300 && status !== 404 && status !== 409)
    throw new Error(`a node's step failed: ${JSON.stringify(body)}`);
}

function running(containers: Pod['spec']['containers']): object {
  const time = new Date().toISOString();
  return {
    phase: 'Running',
    startTime: time,
    podIP: '10.1.0.1',
    podIPs: [{ ip: '10.1.0.1' }],
    conditions: ['Initialized', 'ContainersReady', 'Ready'].map((type) => condition(type, time)),
    containerStatuses: containers.map((container) => ({
      ...statusOf(container),
      ready: true,
      started: true,
      state: { running: { startedAt: time } },
    })),
  };
}

function ended(containers: Pod['spec']['containers'], succeed: boolean): object {
  const time = new Date().toISOString();
  return {
    phase: succeed ? 'Succeeded' : 'Failed',
    startTime: time,
    conditions: [condition('Initialized', time)],
    containerStatuses: containers.map((container) => ({
      ...statusOf(container),
      ready: false,
      state: { terminated: { exitCode: succeed ? 0 : 1, startedAt: time, finishedAt: time } },
    })),
  };
}

function condition(type: string, time: string): object {
  return { type, status: 'True', lastTransitionTime: time };
}

function statusOf({ name, image }: { readonly name: string; readonly image: string }) {
  return { name, image, imageID: image, restartCount: 0 };
}
