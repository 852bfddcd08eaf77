// The objects of a release in the API by kind, and the objects that must be gone after it.
import type { Manifest } from '../helm.ts';
import type { Api } from './api.ts';

/** The API path of each kind that the chart renders. */
const PATHS: Readonly<Record<string, readonly [group: string, plural: string]>> = {
  Pod: ['api/v1', 'pods'],
  Service: ['api/v1', 'services'],
  Secret: ['api/v1', 'secrets'],
  ConfigMap: ['api/v1', 'configmaps'],
  ServiceAccount: ['api/v1', 'serviceaccounts'],
  Deployment: ['apis/apps/v1', 'deployments'],
  ReplicaSet: ['apis/apps/v1', 'replicasets'],
  Job: ['apis/batch/v1', 'jobs'],
  CronJob: ['apis/batch/v1', 'cronjobs'],
  PodDisruptionBudget: ['apis/policy/v1', 'poddisruptionbudgets'],
  HorizontalPodAutoscaler: ['apis/autoscaling/v2', 'horizontalpodautoscalers'],
  NetworkPolicy: ['apis/networking.k8s.io/v1', 'networkpolicies'],
  Ingress: ['apis/networking.k8s.io/v1', 'ingresses'],
  ServiceMonitor: ['apis/monitoring.coreos.com/v1', 'servicemonitors'],
  PrometheusRule: ['apis/monitoring.coreos.com/v1', 'prometheusrules'],
  Gateway: ['apis/gateway.networking.k8s.io/v1', 'gateways'],
  HTTPRoute: ['apis/gateway.networking.k8s.io/v1', 'httproutes'],
  ScaledObject: ['apis/keda.sh/v1alpha1', 'scaledobjects'],
};

export function pathOf(kind: string, namespace: string, name = ''): string {
  const [group, plural] = PATHS[kind] ?? [];
  if (group === undefined) throw new Error(`objects.ts does not know where the API has ${kind}`);
  return `/${group}/namespaces/${namespace}/${plural}${name === '' ? '' : `/${name}`}`;
}

/** All objects of a kind in a namespace, optionally with a label such as `a=b`. */
export async function list(api: Api, kind: string, namespace: string, label = ''): Promise<readonly Manifest[]> {
  const query = label === '' ? '' : `?labelSelector=${encodeURIComponent(label)}`;
  return (await api.get(`${pathOf(kind, namespace)}${query}`)).items;
}

/** The remaining objects of a release in the namespace, as `Kind name`. */
export async function leftOf(api: Api, namespace: string, release: string): Promise<string[]> {
  const found: string[] = [];
  for (const kind of Object.keys(PATHS)) {
    const objects = await list(api, kind, namespace, `app.kubernetes.io/instance=${release}`);
    found.push(...objects.map(({ metadata }) => `${kind} ${metadata.name}`));
  }
  return found;
}

/**
 * Validates an object without storing it; unknown fields are rejected. Throws with the API's
 * message.
 */
export async function dryRun(api: Api, manifest: Manifest, namespace: string): Promise<void> {
  const query = '?dryRun=All&fieldValidation=Strict&fieldManager=proof&force=true';
  const path = `${pathOf(manifest.kind, namespace, manifest.metadata.name)}${query}`;
  await api.must('PATCH', path, manifest, 'application/apply-patch+yaml');
}
