// Wrong values and what Helm must say of them: the value's name is in the message.
import { type Given, tryTemplate } from './helm.ts';
import { over } from './matrix.ts';

interface Refusal {
  readonly title: string;
  readonly values: Given;
  /** What the message must hold. */
  readonly says: RegExp;
}

export const REFUSALS: readonly Refusal[] = [
  { title: 'no address of Neo4j', values: over({ neo4j: { url: '' } }), says: /neo4j.*url/s },
  { title: 'an address of something else', values: over({ neo4j: { url: 'http://neo4j' } }), says: /neo4j.*url/s },
  { title: 'no address of NATS', values: over({ nats: { url: '' } }), says: /nats.*url/s },
  { title: 'a key that is not there', values: over({ gateway: { replicaCount: 2 } }), says: /replicaCount/ },
  { title: 'a section that is not there', values: over({ gatway: {} }), says: /gatway/ },
  { title: 'a variable that is not there', values: over({ worker: { config: { LANES: 2 } } }), says: /LANES/ },
  {
    title: 'a number past its bound',
    values: over({ worker: { config: { WORKER_LANES: 65 } } }),
    says: /WORKER_LANES/,
  },
  { title: 'text for a number', values: over({ gateway: { replicas: 'two' } }), says: /gateway.*replicas/s },
  { title: 'a text for a switch', values: over({ ingress: { enabled: 'maybe' } }), says: /ingress.*enabled/s },
  { title: 'more workers than partitions', values: over({ worker: { replicas: 65 } }), says: /worker.*replicas/s },
  { title: 'a digest that is none', values: over({ image: { digest: 'sha256:12' } }), says: /image.*digest/s },
  { title: 'a pull policy that is none', values: over({ image: { pullPolicy: 'Sometimes' } }), says: /pullPolicy/ },
  {
    title: 'an Ingress without TLS',
    values: over({ ingress: { enabled: true, hosts: ['tasks.example.com'] } }),
    says: /ingress.*tls/s,
  },
  {
    title: 'an Ingress without a host',
    values: over({ ingress: { enabled: true, allowPlainHttp: true } }),
    says: /ingress.*hosts/s,
  },
  {
    title: 'a TLS entry without a Secret',
    values: over({ ingress: { enabled: true, hosts: ['a.example.com'], tls: [{ hosts: ['a.example.com'] }] } }),
    says: /secretName/,
  },
  {
    title: 'a route without a Gateway',
    values: over({ gatewayApi: { enabled: true } }),
    says: /gatewayApi.*parentRefs/s,
  },
  {
    title: 'a Gateway without a certificate',
    values: over({ gatewayApi: { enabled: true, createGateway: true, className: 'envoy' } }),
    says: /gatewayApi.*tlsSecretName/s,
  },
  {
    title: 'a scaler without a metric',
    values: over({ gateway: { autoscaling: { enabled: true, targetCPUUtilizationPercentage: 0 } } }),
    says: /gateway.*autoscaling.*metrics/s,
  },
  {
    title: 'two scalers of the workers',
    values: over({
      worker: { autoscaling: { enabled: true }, keda: { enabled: true, prometheusAddress: 'http://p' } },
    }),
    says: /worker.*autoscaling.*enabled/s,
  },
  {
    title: 'KEDA without a trigger',
    values: over({ worker: { keda: { enabled: true } } }),
    says: /worker.*keda.*triggers/s,
  },
  {
    title: 'leave to gain privileges',
    values: over({ defaults: { containerSecurityContext: { allowPrivilegeEscalation: true } } }),
    says: /allowPrivilegeEscalation/,
  },
  {
    title: 'a budget that is none',
    values: over({ jobs: { podDisruptionBudget: { maxUnavailable: 'all' } } }),
    says: /maxUnavailable/,
  },
  {
    title: 'a Secret without a key',
    values: over({ secrets: { references: { REDIS_URL: { name: 'a' } } } }),
    says: /REDIS_URL.*key/s,
  },
  {
    title: 'a user of NATS without a name',
    values: over({ nats: { users: { worker: '' } } }),
    says: /nats.*users.*worker/s,
  },
  {
    title: 'a backend without a port',
    values: over({ networkPolicy: { neo4j: { ports: [] } } }),
    says: /networkPolicy.*neo4j.*ports/s,
  },
  {
    title: 'a time-out that is none',
    values: over({ gatewayApi: { timeouts: { socket: 'never' } } }),
    says: /timeouts.*socket/s,
  },
  {
    title: 'a secret that nothing gives',
    values: over({ secrets: { existingSecret: '' } }),
    says: /(NATS_[A-Z]+|NEO4J)_PASSWORD is not set/,
  },
  {
    title: 'a second secret that nothing gives',
    values: over({
      nats: { user: 'taskgraph' },
      secrets: { existingSecret: '', values: { NATS_PASSWORD: 'a', NEO4J_PASSWORD: 'b', TASKGRAPH_SECRET: 'c' } },
    }),
    says: /REDIS_URL is not set/,
  },
];

/** Throws where wrong values are taken, or refused without their name. */
export async function checkRefusal(helm: string, refusal: Refusal, kubeVersion: string): Promise<void> {
  const { code, stderr } = await tryTemplate(helm, refusal.values, kubeVersion);
  if (code === 0) throw new Error(`${refusal.title}: it was not refused`);
  if (!refusal.says.test(stderr))
    throw new Error(`${refusal.title}: the message does not say ${refusal.says}:\n${stderr}`);
}
