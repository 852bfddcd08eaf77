// What each switch of the chart renders: values, and what must be true of the objects. It is long because the switches are many.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Manifest } from './helm.ts';

/** The objects of one rendering, with ways to find them. */
export interface Rendered {
  readonly manifests: readonly Manifest[];
  /** The specifications of all pods, those of Deployments and Jobs too. */
  // biome-ignore lint/suspicious/noExplicitAny: as in Manifest.
  readonly pods: readonly any[];
  all(kind: string): readonly Manifest[];
  /** The names of a kind, sorted. */
  names(kind: string): string[];
  /** The one object of this kind and name. Throws where there is none, or more. */
  one(kind: string, name: string): Manifest;
}

export interface RenderCase {
  /** The switch, by its path in the values. */
  readonly switch: string;
  readonly says: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The Kubernetes version to render for; the newest if it is left out. */
  readonly kubeVersion?: string;
  expect(rendered: Rendered): void;
}

const WORKLOADS = ['gateway', 'worker', 'jobs'];
const NAME = 'proof-taskgraph';

function deployment(rendered: Rendered, name: string): Manifest {
  return rendered.one('Deployment', `${NAME}-${name}`);
}

function container(rendered: Rendered, name: string) {
  return deployment(rendered, name).spec.template.spec.containers[0];
}

function variable(rendered: Rendered, name: string, key: string) {
  return container(rendered, name).env.find((each: { name: string }) => each.name === key);
}

const ingress = (values: object) => ({
  ingress: { enabled: true, hosts: ['a.example.com'], tls: [{ secretName: 'a' }], ...values },
});

/** An object that holds the warnings of the notes: Helm shows those after an install alone. */
const noted = {
  extraObjects: [
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {text: {{ include "taskgraph.warnings" . | toJson }}}',
  ],
};

function notes(rendered: Rendered): string {
  return rendered.one('ConfigMap', 'notes').data.text;
}

export const RENDER_CASES: readonly RenderCase[] = [
  {
    switch: 'gateway.enabled',
    says: 'three workloads by default, each able to be left out',
    values: { jobs: { enabled: false } },
    expect(rendered) {
      deepStrictEqual(rendered.names('Deployment'), [`${NAME}-gateway`, `${NAME}-worker`]);
      deepStrictEqual(rendered.names('PodDisruptionBudget'), [`${NAME}-gateway`, `${NAME}-worker`]);
    },
  },
  {
    switch: 'image.digest',
    says: 'a digest comes before the tag',
    values: { image: { repository: 'a/b', tag: '9', digest: `sha256:${'0'.repeat(64)}` } },
    expect: (rendered) => strictEqual(container(rendered, 'worker').image, `a/b@sha256:${'0'.repeat(64)}`),
  },
  {
    switch: 'image.tag',
    says: 'a tag comes before the version of the chart',
    values: { image: { tag: '9' } },
    expect: (rendered) => strictEqual(container(rendered, 'worker').image, 'taskgraph:9'),
  },
  {
    switch: 'secrets.existingSecret',
    says: 'passwords come from Secrets alone, and the chart makes none',
    values: {},
    expect(rendered) {
      deepStrictEqual(rendered.names('Secret'), []);
      deepStrictEqual(variable(rendered, 'worker', 'NEO4J_PASSWORD').valueFrom.secretKeyRef, {
        name: 'taskgraph',
        key: 'NEO4J_PASSWORD',
      });
    },
  },
  {
    switch: 'secrets.references',
    says: 'one variable from another Secret',
    values: { secrets: { references: { REDIS_URL: { name: 'valkey', key: 'url' } } } },
    expect(rendered) {
      const { secretKeyRef } = variable(rendered, 'gateway', 'REDIS_URL').valueFrom;
      deepStrictEqual(secretKeyRef, { name: 'valkey', key: 'url' });
    },
  },
  {
    switch: 'secrets.values',
    says: 'a trial has a Secret of the release, and one that is there before the migration',
    values: { secrets: { values: { NEO4J_PASSWORD: 'x' } } },
    expect(rendered) {
      deepStrictEqual(rendered.names('Secret'), [NAME, `${NAME}-migration`]);
      strictEqual(rendered.one('Secret', NAME).data.NEO4J_PASSWORD, Buffer.from('x').toString('base64'));
      const job = rendered.one('Job', `${NAME}-migration`).spec.template.spec.containers[0];
      const password = job.env.find((each: { name: string }) => each.name === 'NEO4J_PASSWORD');
      strictEqual(password.valueFrom.secretKeyRef.name, `${NAME}-migration`);
    },
  },
  {
    switch: 'nats.users',
    says: 'each service has its own user of NATS, with a password of its own; the migration has none',
    values: { nats: { users: { worker: 'w' } } },
    expect(rendered) {
      for (const [name, user] of [
        ['gateway', 'gateway'],
        ['worker', 'w'],
        ['jobs', 'jobs'],
      ] as const) {
        strictEqual(variable(rendered, name, 'NATS_USER').value, user);
        const { key } = variable(rendered, name, 'NATS_PASSWORD').valueFrom.secretKeyRef;
        strictEqual(key, `NATS_${name.toUpperCase()}_PASSWORD`);
      }
      const { env } = rendered.one('Job', `${NAME}-migration`).spec.template.spec.containers[0];
      deepStrictEqual(
        env.filter((each: { name: string }) => each.name.startsWith('NATS')),
        [],
      );
    },
  },
  {
    switch: 'nats.user',
    says: 'or one user is for all',
    values: { nats: { user: 'all' } },
    expect(rendered) {
      for (const name of WORKLOADS) {
        strictEqual(variable(rendered, name, 'NATS_USER').value, 'all');
        strictEqual(variable(rendered, name, 'NATS_PASSWORD').valueFrom.secretKeyRef.key, 'NATS_PASSWORD');
      }
    },
  },
  {
    switch: 'nats.tls.secretName',
    says: 'certificates are mounted where a service speaks to the backend, and nowhere else',
    values: {
      neo4j: { tls: { secretName: 'n' } },
      nats: { tls: { secretName: 'b', clientCertificate: true, serverName: 'bus' } },
      redis: { tls: { secretName: 'r', authorityKey: '' } },
    },
    expect(rendered) {
      const mountsOf = (pod: { containers: { volumeMounts: { name: string }[] }[]; volumes: { name: string }[] }) => {
        const volumes = pod.volumes.map(({ name }) => name);
        const mounts = pod.containers[0]?.volumeMounts.map(({ name }) => name);
        deepStrictEqual(mounts, volumes);
        return volumes
          .filter((name) => name.endsWith('-certificates'))
          .map((name) => name.replace('-certificates', ''));
      };
      const pod = (name: string) => deployment(rendered, name).spec.template.spec;
      deepStrictEqual(mountsOf(pod('gateway')), ['nats', 'redis']);
      deepStrictEqual(mountsOf(pod('worker')), ['neo4j', 'nats']);
      deepStrictEqual(mountsOf(pod('jobs')), ['neo4j', 'nats', 'redis']);
      deepStrictEqual(mountsOf(rendered.one('Job', `${NAME}-migration`).spec.template.spec), ['neo4j']);
      strictEqual(variable(rendered, 'worker', 'NEO4J_CA_FILE').value, '/etc/taskgraph/neo4j/ca.crt');
      strictEqual(variable(rendered, 'worker', 'NEO4J_KEY_FILE'), undefined);
      strictEqual(variable(rendered, 'gateway', 'NATS_CERTIFICATE_FILE').value, '/etc/taskgraph/nats/tls.crt');
      strictEqual(variable(rendered, 'gateway', 'NATS_KEY_FILE').value, '/etc/taskgraph/nats/tls.key');
      strictEqual(variable(rendered, 'gateway', 'NATS_SERVER_NAME').value, 'bus');
      strictEqual(variable(rendered, 'jobs', 'REDIS_CA_FILE'), undefined);
      strictEqual(variable(rendered, 'gateway', 'NEO4J_CA_FILE'), undefined);
    },
  },
  {
    switch: 'redis.url',
    says: 'a Redis without a password needs no Secret',
    values: { redis: { url: 'redis://r:6379' } },
    expect: (rendered) => strictEqual(variable(rendered, 'gateway', 'REDIS_URL').value, 'redis://r:6379'),
  },
  {
    switch: 'worker.config',
    says: 'large numbers stay whole, and null leaves a variable out',
    values: { worker: { config: { WAITING_BYTES: 268435456, LANE_REST_MS: null } } },
    expect(rendered) {
      strictEqual(variable(rendered, 'worker', 'WAITING_BYTES').value, '268435456');
      strictEqual(variable(rendered, 'worker', 'LANE_REST_MS'), undefined);
    },
  },
  {
    switch: 'gateway.replicas',
    says: 'gateways know their number, which limits need while Redis is away, and that they run in production',
    values: { gateway: { replicas: 3, autoscaling: { minReplicas: 5 } } },
    expect(rendered) {
      strictEqual(variable(rendered, 'gateway', 'GATEWAYS').value, '3');
      strictEqual(variable(rendered, 'gateway', 'NODE_ENV').value, 'production');
    },
  },
  {
    switch: 'gateway.autoscaling.minReplicas',
    says: 'where gateways are scaled, the least number counts',
    values: { gateway: { replicas: 3, autoscaling: { enabled: true, minReplicas: 5 } } },
    expect: (rendered) => strictEqual(variable(rendered, 'gateway', 'GATEWAYS').value, '5'),
  },
  {
    switch: 'secrets.existingSecret',
    says: 'what a service can do without may be missing in the Secret',
    values: {},
    expect(rendered) {
      strictEqual(variable(rendered, 'gateway', 'SMTP_URL').valueFrom.secretKeyRef.optional, true);
      strictEqual(variable(rendered, 'gateway', 'TASKGRAPH_SECRET').valueFrom.secretKeyRef.optional, undefined);
    },
  },
  {
    switch: 'defaults.extraEnv',
    says: 'further variables for all, or for one in place of them',
    values: { defaults: { extraEnv: [{ name: 'TZ', value: 'UTC' }] }, jobs: { extraEnv: [{ name: 'A', value: 'b' }] } },
    expect(rendered) {
      strictEqual(variable(rendered, 'worker', 'TZ').value, 'UTC');
      strictEqual(variable(rendered, 'jobs', 'TZ'), undefined);
      strictEqual(variable(rendered, 'jobs', 'A').value, 'b');
    },
  },
  {
    switch: 'defaults.containerSecurityContext',
    says: 'every container is restricted, those of hooks too',
    values: {},
    expect(rendered) {
      strictEqual(rendered.pods.length, 5);
      for (const pod of rendered.pods) {
        strictEqual(pod.automountServiceAccountToken, false);
        strictEqual(pod.securityContext.runAsNonRoot, true);
        deepStrictEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' });
        for (const each of pod.containers) {
          strictEqual(each.securityContext.allowPrivilegeEscalation, false);
          strictEqual(each.securityContext.readOnlyRootFilesystem, true);
          deepStrictEqual(each.securityContext.capabilities, { drop: ['ALL'] });
        }
      }
    },
  },
  {
    switch: 'defaults.podSecurityContext',
    says: 'null leaves user and group to the platform',
    values: { defaults: { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null } } },
    expect(rendered) {
      const context = deployment(rendered, 'jobs').spec.template.spec.securityContext;
      deepStrictEqual(Object.keys(context).sort(), ['fsGroupChangePolicy', 'runAsNonRoot', 'seccompProfile']);
    },
  },
  {
    switch: 'defaults.probes',
    says: 'three probes at the admin port, one of which is changed for one service',
    values: { worker: { probes: { liveness: { failureThreshold: 9 } } } },
    expect(rendered) {
      for (const name of WORKLOADS) {
        const { startupProbe, readinessProbe, livenessProbe } = container(rendered, name);
        deepStrictEqual(startupProbe.httpGet, { path: '/livez', port: 'admin' });
        deepStrictEqual(readinessProbe.httpGet, { path: '/readyz', port: 'admin' });
        deepStrictEqual(livenessProbe.httpGet, { path: '/livez', port: 'admin' });
        strictEqual(livenessProbe.failureThreshold, name === 'worker' ? 9 : 3);
        strictEqual(livenessProbe.periodSeconds, 10);
      }
    },
  },
  {
    switch: 'gateway.shutdown',
    says: 'the grace period has room for preStop and drain, and no pod goes before its successor is ready',
    values: { gateway: { shutdown: { preStopSeconds: 7, stopSeconds: 40 } } },
    expect(rendered) {
      const { spec } = deployment(rendered, 'gateway');
      strictEqual(spec.template.spec.terminationGracePeriodSeconds, 52);
      deepStrictEqual(container(rendered, 'gateway').lifecycle, { preStop: { sleep: { seconds: 7 } } });
      deepStrictEqual(spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
    },
  },
  {
    switch: 'gateway.shutdown',
    says: 'before Kubernetes 1.30 Node waits in preStop',
    values: {},
    kubeVersion: '1.29.0',
    expect: (rendered) => strictEqual(container(rendered, 'gateway').lifecycle.preStop.exec.command[0], 'node'),
  },
  {
    switch: 'defaults.podDisruptionBudget',
    says: 'a budget for each, able to be turned off for one',
    values: {
      worker: { podDisruptionBudget: { maxUnavailable: '25%' } },
      jobs: { podDisruptionBudget: { enabled: false } },
    },
    expect(rendered) {
      deepStrictEqual(rendered.names('PodDisruptionBudget'), [`${NAME}-gateway`, `${NAME}-worker`]);
      strictEqual(rendered.one('PodDisruptionBudget', `${NAME}-worker`).spec.maxUnavailable, '25%');
    },
  },
  {
    switch: 'defaults.topologySpread',
    says: 'pods spread over zones and nodes',
    values: {},
    expect(rendered) {
      for (const name of WORKLOADS) {
        const constraints = deployment(rendered, name).spec.template.spec.topologySpreadConstraints;
        const keys = constraints.map((each: { topologyKey: string }) => each.topologyKey);
        deepStrictEqual(keys, ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']);
      }
    },
  },
  {
    switch: 'gateway.autoscaling',
    says: 'by CPU by default, and the Deployment names no number',
    values: { gateway: { autoscaling: { enabled: true } } },
    expect(rendered) {
      const { metrics } = rendered.one('HorizontalPodAutoscaler', `${NAME}-gateway`).spec;
      deepStrictEqual(metrics, [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      ]);
      ok(!('replicas' in deployment(rendered, 'gateway').spec));
    },
  },
  {
    switch: 'gateway.autoscaling.targetConnections',
    says: 'by connections, under the name that the metric has',
    values: {
      gateway: { autoscaling: { enabled: true, targetCPUUtilizationPercentage: 0, targetConnections: 5000 } },
      monitoring: { metrics: { sockets: 'my_sockets' } },
    },
    expect(rendered) {
      const { metrics } = rendered.one('HorizontalPodAutoscaler', `${NAME}-gateway`).spec;
      deepStrictEqual(metrics, [
        {
          type: 'Pods',
          pods: { metric: { name: 'my_sockets' }, target: { type: 'AverageValue', averageValue: '5000' } },
        },
      ]);
    },
  },
  {
    switch: 'worker.keda',
    says: 'a ScaledObject by waiting commands',
    values: { worker: { keda: { enabled: true, prometheusAddress: 'http://p:9090' } } },
    expect(rendered) {
      const [trigger] = rendered.one('ScaledObject', `${NAME}-worker`).spec.triggers;
      strictEqual(trigger.type, 'prometheus');
      ok(
        trigger.metadata.query.includes(
          'taskgraph_waiting_commands{namespace="proof",pod=~"proof-taskgraph-worker-.*"}',
        ),
      );
      ok(!('replicas' in deployment(rendered, 'worker').spec));
    },
  },
  {
    switch: 'networkPolicy',
    says: 'denies all in both directions, and opens what is needed',
    values: { networkPolicy: { neo4j: { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [7687, 7688] } } },
    expect(rendered) {
      const all = rendered.one('NetworkPolicy', `${NAME}-default`).spec;
      deepStrictEqual(all.policyTypes, ['Ingress', 'Egress']);
      ok(!('app.kubernetes.io/component' in all.podSelector.matchLabels));
      deepStrictEqual(all.ingress, [
        {
          ports: [{ port: 'admin' }],
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        },
      ]);
      const [names, ...others] = all.egress;
      deepStrictEqual(
        names.ports,
        [53, 53].map((port, index) => ({ port, protocol: ['UDP', 'TCP'][index] })),
      );
      deepStrictEqual(others, []);
      const neo4j = { ports: [{ port: 7687 }, { port: 7688 }], to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] };
      const [nats, redis] = [{ ports: [{ port: 4222 }] }, { ports: [{ port: 6379 }] }];
      const egressOf = (name: string) => rendered.one('NetworkPolicy', `${NAME}-${name}`).spec.egress;
      deepStrictEqual(egressOf('gateway'), [nats, redis]);
      deepStrictEqual(egressOf('worker'), [neo4j, nats]);
      deepStrictEqual(egressOf('jobs'), [neo4j, nats, redis]);
      deepStrictEqual(egressOf('migration').slice(1), [neo4j]);
      deepStrictEqual(rendered.one('NetworkPolicy', `${NAME}-gateway`).spec.ingress, [{ ports: [{ port: 'http' }] }]);
      ok(rendered.one('NetworkPolicy', `${NAME}-migration`).metadata.annotations?.['helm.sh/hook']);
    },
  },
  {
    switch: 'networkPolicy.gatewayEgress',
    says: 'only gateways reach mail servers and providers, and all services a collector',
    values: {
      networkPolicy: { gatewayEgress: [{ ports: [{ port: 587 }] }], extraEgress: [{ ports: [{ port: 4318 }] }] },
    },
    expect(rendered) {
      const portsOf = (name: string) =>
        rendered
          .one('NetworkPolicy', `${NAME}-${name}`)
          .spec.egress.flatMap(({ ports }: { ports: { port: number }[] }) => ports.map(({ port }) => port));
      deepStrictEqual(portsOf('gateway'), [4222, 6379, 587, 4318]);
      deepStrictEqual(portsOf('worker'), [7687, 4222, 4318]);
      deepStrictEqual(portsOf('jobs'), [7687, 4222, 6379, 4318]);
      deepStrictEqual(portsOf('migration'), [53, 53, 7687]);
    },
  },
  {
    switch: 'networkPolicy.enabled',
    says: 'none where they are turned off',
    values: { networkPolicy: { enabled: false } },
    expect: (rendered) => deepStrictEqual(rendered.names('NetworkPolicy'), []),
  },
  {
    switch: 'ingress.controller',
    says: 'TLS for all hosts, and time-outs that let WebSockets live',
    values: ingress({ controller: 'nginx', className: 'nginx' }),
    expect(rendered) {
      const { metadata, spec } = rendered.one('Ingress', `${NAME}-gateway`);
      strictEqual(metadata.annotations?.['nginx.ingress.kubernetes.io/proxy-read-timeout'], '3600');
      deepStrictEqual(spec.tls, [{ secretName: 'a', hosts: ['a.example.com'] }]);
      strictEqual(spec.rules[0].http.paths[0].backend.service.name, `${NAME}-gateway`);
    },
  },
  {
    switch: 'ingress.annotations',
    says: "one's own annotations come before those of the controller",
    values: ingress({ controller: 'haproxy', annotations: { 'haproxy.org/timeout-tunnel': '5m' } }),
    expect(rendered) {
      const { annotations } = rendered.one('Ingress', `${NAME}-gateway`).metadata;
      strictEqual(annotations?.['haproxy.org/timeout-tunnel'], '5m');
      strictEqual(annotations?.['haproxy.org/timeout-server'], '130s');
    },
  },
  {
    switch: 'gatewayApi',
    says: 'a route to Gateways that are there, without a time-out for sockets',
    values: { gatewayApi: { enabled: true, parentRefs: [{ name: 'shared' }], hostnames: ['a.example.com'] } },
    expect(rendered) {
      deepStrictEqual(rendered.names('Gateway'), []);
      const { rules, parentRefs } = rendered.one('HTTPRoute', `${NAME}-gateway`).spec;
      deepStrictEqual(parentRefs, [{ name: 'shared' }]);
      strictEqual(rules[0].matches[0].path.value, '/ext-socket.io');
      deepStrictEqual(rules[0].timeouts, { request: '0s', backendRequest: '0s' });
      deepStrictEqual(rules[1].timeouts, { request: '130s' });
    },
  },
  {
    switch: 'gatewayApi.createGateway',
    says: 'a Gateway with TLS, and a redirect from plain HTTP',
    values: { gatewayApi: { enabled: true, createGateway: true, className: 'envoy', tlsSecretName: 'a' } },
    expect(rendered) {
      const [https] = rendered.one('Gateway', `${NAME}-gateway`).spec.listeners;
      deepStrictEqual(https.tls, { mode: 'Terminate', certificateRefs: [{ name: 'a' }] });
      const [filter] = rendered.one('HTTPRoute', `${NAME}-redirect`).spec.rules[0].filters;
      strictEqual(filter.requestRedirect.scheme, 'https');
    },
  },
  {
    switch: 'monitoring.serviceMonitor',
    says: 'scrapes the admin port of all workloads',
    values: { monitoring: { serviceMonitor: { enabled: true, labels: { release: 'p' } } } },
    expect(rendered) {
      const monitor = rendered.one('ServiceMonitor', NAME);
      strictEqual(monitor.metadata.labels?.release, 'p');
      strictEqual(monitor.spec.endpoints[0].port, 'admin');
      const chosen = Object.entries(monitor.spec.selector.matchLabels);
      const services = rendered
        .all('Service')
        .filter(({ metadata }) => chosen.every(([key, value]) => metadata.labels?.[key] === value));
      deepStrictEqual(
        services.map(({ metadata }) => metadata.name).sort(),
        WORKLOADS.map((name) => `${NAME}-${name}-admin`).sort(),
      );
    },
  },
  {
    switch: 'monitoring.prometheusRule',
    says: 'alerts with the metrics by their names, and no alert for what does not run',
    values: { monitoring: { prometheusRule: { enabled: true, alertLabels: { team: 'a' } } }, jobs: { enabled: false } },
    expect(rendered) {
      const [{ rules }] = rendered.one('PrometheusRule', NAME).spec.groups;
      const down = rules.filter(({ alert }: { alert: string }) => alert === 'TaskgraphDown');
      deepStrictEqual(
        down.map((each: Manifest) => each.labels.component),
        ['gateway', 'worker'],
      );
      for (const rule of rules) {
        strictEqual(rule.labels.team, 'a');
        ok(!/@|<no value>/.test(rule.expr), rule.expr);
      }
      ok(rules.some(({ expr }: { expr: string }) => expr.includes('rate(taskgraph_commands_total{namespace="proof"')));
    },
  },
  {
    switch: 'monitoring.dashboard',
    says: 'a dashboard that Grafana can read, with the metrics by their names',
    values: { monitoring: { dashboard: { enabled: true }, metrics: { commands: 'my_commands' } } },
    expect(rendered) {
      const map = rendered.one('ConfigMap', `${NAME}-dashboard`);
      strictEqual(map.metadata.labels?.grafana_dashboard, '1');
      const text = map.data[`${NAME}.json`];
      ok(!/@\w+@/.test(text), 'a metric has no name');
      ok(text.includes('my_commands'));
      ok(JSON.parse(text).panels.length >= 10);
    },
  },
  {
    switch: 'migration.enabled',
    says: 'runs before install and upgrade, under an account that is there by then',
    values: {},
    expect(rendered) {
      const job = rendered.one('Job', `${NAME}-migration`);
      strictEqual(job.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
      deepStrictEqual(job.spec.template.spec.containers[0].args, ['services/admin/dist/migrate.js']);
      const account = rendered.one('ServiceAccount', job.spec.template.spec.serviceAccountName);
      strictEqual(account.metadata.annotations?.['helm.sh/hook-weight'], '-10');
    },
  },
  {
    switch: 'tests.enabled',
    says: 'helm test asks for the health of the gateways',
    values: { gateway: { service: { port: 8000 } } },
    expect(rendered) {
      const pod = rendered.one('Pod', `${NAME}-test`);
      strictEqual(pod.metadata.annotations?.['helm.sh/hook'], 'test');
      strictEqual(pod.spec.containers[0].args.at(-1), `http://${NAME}-gateway.proof.svc.cluster.local:8000/api/health`);
    },
  },
  {
    switch: 'serviceAccount.create',
    says: 'an account of the name given, whose token is mounted nowhere',
    values: { serviceAccount: { name: 'mine', annotations: { a: 'b' } } },
    expect(rendered) {
      const account = rendered.one('ServiceAccount', 'mine');
      strictEqual(account.automountServiceAccountToken, false);
      strictEqual(deployment(rendered, 'jobs').spec.template.spec.serviceAccountName, 'mine');
    },
  },
  {
    switch: 'gateway.service',
    says: 'a load balancer with annotations and ranges',
    values: {
      gateway: { service: { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'], annotations: { a: 'b' } } },
    },
    expect(rendered) {
      const { metadata, spec } = rendered.one('Service', `${NAME}-gateway`);
      strictEqual(spec.type, 'LoadBalancer');
      deepStrictEqual(spec.loadBalancerSourceRanges, ['10.0.0.0/8']);
      strictEqual(metadata.annotations?.a, 'b');
    },
  },
  {
    switch: 'commonLabels',
    says: 'all objects and pods bear them, and selectors do not',
    values: { commonLabels: { team: 'a' }, commonAnnotations: { b: 'c' } },
    expect(rendered) {
      for (const { metadata } of rendered.manifests) {
        strictEqual(metadata.labels?.team, 'a');
        strictEqual(metadata.annotations?.b, 'c');
      }
      ok(!('team' in deployment(rendered, 'worker').spec.selector.matchLabels));
    },
  },
  {
    switch: 'extraObjects',
    says: 'objects and texts, as templates',
    values: { extraObjects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-x' } }] },
    expect: (rendered) => deepStrictEqual(rendered.names('ConfigMap'), ['proof-x']),
  },
  {
    switch: 'gateway.config.TRUSTED_PROXIES',
    says: 'the notes warn where callers come from outside and no proxy is trusted',
    values: { ...ingress({}), ...noted },
    expect: (rendered) => ok(notes(rendered).includes('TRUSTED_PROXIES names no proxy')),
  },
  {
    switch: 'gateway.config.TRUSTED_PROXIES',
    says: 'the notes warn of a wide network',
    values: { ...ingress({}), ...noted, gateway: { config: { TRUSTED_PROXIES: '10.1.7.0/24, 10.0.0.0/8' } } },
    expect: (rendered) => ok(notes(rendered).includes('TRUSTED_PROXIES names a wide network')),
  },
  {
    switch: 'gateway.config.TRUSTED_PROXIES',
    says: 'the notes say nothing of proxies where narrow ones are named',
    values: { ...ingress({}), ...noted, gateway: { config: { TRUSTED_PROXIES: '10.1.7.0/24, 10.1.8.5, fd00::/64' } } },
    expect: (rendered) => ok(!notes(rendered).includes('TRUSTED_PROXIES')),
  },
  {
    switch: 'ingress.enabled',
    says: 'the notes say nothing of proxies where nobody comes from outside',
    values: noted,
    expect: (rendered) => ok(!notes(rendered).includes('TRUSTED_PROXIES')),
  },
  {
    switch: 'fullnameOverride',
    says: 'a long name leaves room for every suffix',
    values: { fullnameOverride: 'n'.repeat(40) },
    expect(rendered) {
      for (const { metadata } of rendered.manifests) ok(metadata.name.length <= 63, metadata.name);
    },
  },
];
