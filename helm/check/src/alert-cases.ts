// What Prometheus sees, and which alerts it must raise then. Series are as promtool takes them: `0x5` is 0 and five times more, a minute
// apart; `0+60x5` adds 60 each time.
import { NAMESPACE, RELEASE } from './helm.ts';

interface Fired {
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

export interface AlertCase {
  readonly alert: string;
  readonly series: Readonly<Record<string, string>>;
  /** Minutes after which the alert is looked at, such as `5m`. */
  readonly after: string;
  readonly fires: readonly Fired[];
}

const RELEASE_NAME = `${RELEASE}-taskgraph`;
const POD = `${RELEASE_NAME}-worker-0`;

/** A series of a pod of the release. */
function of(metric: string, labels: Readonly<Record<string, string>> = {}, pod = POD): string {
  const all = Object.entries({ namespace: NAMESPACE, pod, ...labels }).map(([name, value]) => `${name}="${value}"`);
  return `${metric}{${all.join(',')}}`;
}

function up(component: string, values: string): Record<string, string> {
  return { [`up{namespace="${NAMESPACE}",service="${RELEASE_NAME}-${component}-admin"}`]: values };
}

const commands = (outcome: string) => of('taskgraph_commands_total', { event: 'node:add', outcome });
/** Of 60 commands a minute all take less than 1 s, or one in twenty takes more. */
const slow = (fast: string) => ({
  [of('taskgraph_command_duration_seconds_bucket', { le: '1' })]: fast,
  [of('taskgraph_command_duration_seconds_bucket', { le: '2.5' })]: '0+60x20',
  [of('taskgraph_command_duration_seconds_bucket', { le: '+Inf' })]: '0+60x20',
});

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'TaskgraphDown',
    series: { ...up('gateway', '1 0x9'), ...up('worker', '1x10') },
    after: '9m',
    fires: ['gateway', 'jobs'].map((component) => ({
      labels: { severity: 'critical', component },
      summary: `No ${component} of ${RELEASE_NAME} answers.`,
    })),
  },
  {
    alert: 'TaskgraphDown',
    series: { ...up('gateway', '1 0 1x8'), ...up('worker', '1x10'), ...up('jobs', '1x10') },
    after: '9m',
    fires: [],
  },
  {
    alert: 'TaskgraphBackendAway',
    series: { [of('taskgraph_backend_up', { backend: 'neo4j' })]: '1 0x9' },
    after: '5m',
    fires: [
      {
        labels: { severity: 'critical', backend: 'neo4j' },
        summary: `neo4j can't be reached by ${RELEASE_NAME}, or by some of its pods.`,
      },
    ],
  },
  {
    alert: 'TaskgraphBackendAway',
    series: {
      [of('taskgraph_backend_up', { backend: 'neo4j' })]: '1 0 1x8',
      [of('taskgraph_backend_up', { backend: 'nats' }, 'another-release-worker-0')]: '0x10',
    },
    after: '5m',
    fires: [],
  },
  {
    alert: 'TaskgraphPartitionsUnserved',
    series: { [of('taskgraph_partitions')]: '32x10', [of('taskgraph_partitions', {}, `${POD}1`)]: '32 0x9' },
    after: '5m',
    fires: [
      {
        labels: { severity: 'critical' },
        summary: 'Workers hold 32 of 64 partitions; commands of the others are refused.',
      },
    ],
  },
  {
    alert: 'TaskgraphPartitionsUnserved',
    series: { [of('taskgraph_partitions')]: '32x10', [of('taskgraph_partitions', {}, `${POD}1`)]: '32 0 32x8' },
    after: '5m',
    fires: [],
  },
  {
    alert: 'TaskgraphCommandsFail',
    series: { [commands('ok')]: '0+90x20', [commands('error')]: '0+10x20' },
    after: '15m',
    fires: [{ labels: { severity: 'critical' }, summary: '10% of the commands fail.' }],
  },
  {
    alert: 'TaskgraphCommandsFail',
    series: { [commands('ok')]: '0+90x20', [commands('refused')]: '0+90x20', [commands('error')]: '0+1x20' },
    after: '15m',
    fires: [],
  },
  {
    alert: 'TaskgraphCommandsSlow',
    series: slow('0+57x20'),
    after: '18m',
    fires: [{ labels: { severity: 'warning' }, summary: 'One in a hundred commands takes longer than 2.2s.' }],
  },
  { alert: 'TaskgraphCommandsSlow', series: slow('0+60x20'), after: '18m', fires: [] },
  {
    alert: 'TaskgraphCommandsWait',
    series: { [of('taskgraph_waiting_commands')]: '0 6000x9' },
    after: '5m',
    fires: [{ labels: { severity: 'warning' }, summary: '6000 commands wait in one worker.' }],
  },
  {
    alert: 'TaskgraphCommandsWait',
    series: {
      [of('taskgraph_waiting_commands')]: '0 4000x9',
      [of('taskgraph_waiting_commands', {}, `${POD}1`)]: '0 4000x9',
    },
    after: '5m',
    fires: [],
  },
  {
    alert: 'TaskgraphJobsFail',
    series: { [of('taskgraph_job_runs_total', { kind: 'expire', outcome: 'error' })]: '0+1x60' },
    after: '50m',
    fires: [
      {
        labels: { severity: 'warning' },
        summary: 'Jobs fail, so that what has ended or was deleted is not cleared.',
      },
    ],
  },
  {
    alert: 'TaskgraphJobsFail',
    series: {
      [of('taskgraph_job_runs_total', { kind: 'expire', outcome: 'error' })]: '0x30 1x30',
      [of('taskgraph_job_runs_total', { kind: 'sweep', outcome: 'ok' })]: '0+1x60',
    },
    after: '50m',
    fires: [],
  },
];
