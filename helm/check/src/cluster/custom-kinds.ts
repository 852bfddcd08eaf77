// The custom kinds that the chart can render, as open definitions: their own projects' schemas are not part of this proof.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';

const KINDS = [
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor', plural: 'servicemonitors' },
  { group: 'monitoring.coreos.com', version: 'v1', kind: 'PrometheusRule', plural: 'prometheusrules' },
  { group: 'gateway.networking.k8s.io', version: 'v1', kind: 'Gateway', plural: 'gateways' },
  { group: 'gateway.networking.k8s.io', version: 'v1', kind: 'HTTPRoute', plural: 'httproutes' },
  { group: 'keda.sh', version: 'v1alpha1', kind: 'ScaledObject', plural: 'scaledobjects' },
] as const;

const TRIES = 100;

/** Defines them, and waits until the API serves each. */
export async function defineCustomKinds(api: Api): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const { group, version, kind, plural } of KINDS) {
    const name = `${plural}.${group}`;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await api.must('POST', definitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      // The API demands this word for definitions in the groups of Kubernetes itself.
      metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved, for a proof' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    });
  }
  for (const { group, version, plural } of KINDS) await served(api, `/apis/${group}/${version}/${plural}`);
}

async function served(api: Api, path: string): Promise<void> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if ((await api.send('GET', path)).status === 200) return;
    await sleep(100);
  }
  throw new Error(`${path} is not served`);
}
