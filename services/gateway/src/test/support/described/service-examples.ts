// The values of a run in the examples of the calls of administrators, replaced by fixed ones.
import { PARTITIONS } from '@taskgraph/wire/ids';
import type { ServiceDetails, ServiceProcess, ServiceStatus } from '@taskgraph/wire/public-types';

const NAME = 'worker-1';
const METRICS = [
  { name: 'taskgraph_waiting_commands', value: 3 },
  { name: 'taskgraph_waiting_reads', value: 0 },
];

/** A worker as in the documents. */
function exampleService(service: ServiceProcess): ServiceProcess {
  const serves = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  return { ...service, name: NAME, node: 'v24.11.0', metrics: METRICS, serves };
}

/** The status of one worker. */
export function exampleStatus({ services, leases, ...more }: ServiceStatus): ServiceStatus {
  const [worker] = services.filter(({ kind }) => kind === 'worker');
  if (worker === undefined || leases === null) throw new Error('no worker has a current view');
  const workers = [{ name: NAME, ageMs: 412, isLeaving: false }];
  const partitions = Array.from({ length: PARTITIONS }, () => NAME);
  return { ...more, services: [exampleService(worker)], leases: { partitions, workers } };
}

/** Some settings and metrics of a worker. */
export function exampleDetails({ service, settings, ...more }: ServiceDetails): ServiceDetails {
  const shown = settings.filter(({ name }) => name === 'LOG_LEVEL' || name === 'NEO4J_PASSWORD');
  const metrics = '# HELP taskgraph_waiting_commands Commands waiting in the mailboxes.\n# EOF\n';
  return { ...more, service: exampleService(service), settings: shown, metrics };
}
