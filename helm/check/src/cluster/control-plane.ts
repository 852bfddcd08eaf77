// A Kubernetes control plane on loopback: etcd, API server, controller manager and scheduler, built
// from source.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@taskgraph/launcher/processes/ports';
import { stringify } from 'yaml';
import { type ProgramHandle, start } from '../program.ts';
import { repositoryPath } from '../repository.ts';
import { buildProgram } from '../tools.ts';
import { type Api, connect } from './api.ts';

export const KUBERNETES = 'v1.36.3';

const READY_TIMEOUT_MS = 120_000;

export interface ControlPlane {
  readonly api: Api;
  /** The kubeconfig with which Helm connects. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

interface Programs {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
}

/** Builds the missing programs: once, for some minutes, with about 1 GB of memory. */
export async function buildControlPlane(): Promise<Programs> {
  const version = `-X k8s.io/component-base/version.gitVersion=${KUBERNETES}`;
  const kubernetes = (name: string) =>
    buildProgram(() => repositoryPath('helm', 'check', 'control-plane'), join(`kubernetes-${KUBERNETES}`, name), [
      '-ldflags',
      `-s -w ${version}`,
      `k8s.io/kubernetes/cmd/${name}`,
    ]);
  return {
    etcd: await buildProgram(() => repositoryPath('helm', 'check', 'etcd'), join('etcd-v3.6.8', 'etcd'), [
      '-ldflags',
      '-s -w',
      '.',
    ]),
    apiServer: await kubernetes('kube-apiserver'),
    controllerManager: await kubernetes('kube-controller-manager'),
    scheduler: await kubernetes('kube-scheduler'),
  };
}

/**
 * Starts the control plane in its own folder, which is deleted when it stops. If a program does not
 * start, throws with its last log lines.
 */
export async function startControlPlane(programs: Programs): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-cluster-'));
  const file = (name: string) => join(folder, name);
  const running: ProgramHandle[] = [];
  const launch = (name: string, program: string, given: readonly string[]) => {
    running.push(start(program, given, folder, file(`${name}.log`)));
  };
  const stop = async () => {
    for (const child of running.reverse()) {
      child.kill();
      await child;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [client, peer, secure, manager, scheduler] = await freePorts(5);
    const token = writeCredentials(file);
    const store = `http://127.0.0.1:${client}`;
    launch('etcd', programs.etcd, [
      `--data-dir=${file('etcd')}`,
      `--listen-client-urls=${store}`,
      `--advertise-client-urls=${store}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=default=http://127.0.0.1:${peer}`,
      // No data outlives the proof.
      '--unsafe-no-fsync',
    ]);
    launch('api-server', programs.apiServer, [
      `--etcd-servers=${store}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${secure}`,
      `--cert-dir=${file('certificates')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${file('account.pub')}`,
      `--service-account-signing-key-file=${file('account.key')}`,
      `--token-auth-file=${file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
      // Endpoints of the service `kubernetes` must not be loopback addresses, and the proof does
      // not use them.
      '--endpoint-reconciler-type=none',
    ]);
    const certificate = join(file('certificates'), 'apiserver.crt');
    const api = await ready(folder, running, () => {
      return existsSync(certificate) ? connect({ port: secure as number, token, certificate }) : null;
    });
    const kubeconfig = file('kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(`https://127.0.0.1:${secure}`, certificate, token), { mode: 0o600 });
    const common = [`--kubeconfig=${kubeconfig}`, '--bind-address=127.0.0.1', '--leader-elect=false'];
    launch('controller-manager', programs.controllerManager, [
      ...common,
      `--secure-port=${manager}`,
      `--service-account-private-key-file=${file('account.key')}`,
      `--root-ca-file=${certificate}`,
      // The nodes are simulated and send no heartbeats.
      '--node-monitor-grace-period=24h',
    ]);
    launch('scheduler', programs.scheduler, [...common, `--secure-port=${scheduler}`]);
    return { api, kubeconfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Writes the keys of service accounts and the administrator's token, and returns the token. */
function writeCredentials(file: (name: string) => string): string {
  const token = randomBytes(24).toString('hex');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(file('account.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(file('account.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(file('tokens.csv'), `${token},proof,proof,system:masters\n`, { mode: 0o600 });
  return token;
}

/** Waits until the API server reports that it is ready. */
async function ready(folder: string, running: readonly ProgramHandle[], open: () => Api | null): Promise<Api> {
  const waitUntil = Date.now() + READY_TIMEOUT_MS;
  while (
    Date.now() < waitUntil &&
    running.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  ) {
    const api = open();
    const answer = await api?.send('GET', '/readyz').catch(() => null);
    if (api !== null && answer?.status === 200) return api;
    await sleep(250);
  }
  const logs = ['etcd', 'api-server'].map((name) => {
    return `${name}:\n${readFileSync(join(folder, `${name}.log`), 'utf8')
      .split('\n')
      .slice(-15)
      .join('\n')}`;
  });
  throw new Error(`the API server did not come up\n${logs.join('\n')}`);
}

function kubeconfigOf(server: string, certificate: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'proof',
    contexts: [{ name: 'proof', context: { cluster: 'proof', user: 'proof' } }],
    clusters: [{ name: 'proof', cluster: { server, 'certificate-authority': certificate } }],
    users: [{ name: 'proof', user: { token } }],
  });
}
